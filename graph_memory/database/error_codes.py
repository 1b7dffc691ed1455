"""The meaning of each error code of Neo4j for a caller of ours.

Source: the status codes of Neo4j 2026.09 (`org.neo4j.kernel.api.exceptions.Status`); a test
compares this table with the jar of the local Neo4j. The classification at the front of a code
(`Neo.ClientError`) is left out, because it has changed between versions.
"""

from enum import Enum, auto


class Meaning(Enum):
    """The kinds of errors, by what a caller can do about them."""

    TIMEOUT = auto()  #: The statement ran too long.
    LOCKED = auto()  #: The statement waited too long for a lock.
    OVERLOADED = auto()  #: Neo4j has too little memory, or too many threads or transactions.
    STOPPED = auto()  #: Neo4j closed the database after a failure of its own, and must restart.
    UNAVAILABLE = auto()  #: Neo4j does not answer now, or this server does not.
    REFUSED = auto()  #: User, password or privileges.
    NO_DATABASE = auto()
    READ_ONLY = auto()  #: The database accepts no writes.
    VALUE = auto()  #: A value is of another type than the statement expects.
    DEFECT = auto()  #: The statement or its use is wrong, or the store is damaged.


_CODES = {
    Meaning.TIMEOUT: """
        Procedure.ProcedureTimedOut Statement.ExecutionTimeout Transaction.BookmarkTimeout
        Transaction.TransactionTimedOut Transaction.TransactionTimedOutClientConfiguration
    """,
    Meaning.LOCKED: """
        Transaction.DeadlockDetected Transaction.LockAcquisitionTimeout
        Transaction.LockClientStopped
    """,
    Meaning.OVERLOADED: """
        General.MemoryPoolOutOfMemoryError General.OutOfMemoryError General.StackOverFlowError
        General.TransactionMemoryLimit General.TransactionOutOfMemoryError
        Request.NoThreadsAvailable Request.ResourceExhaustion
        Transaction.MaximumTransactionLimitReached
    """,
    Meaning.STOPPED: """
        Routing.DbmsInPanic Transaction.TransactionCommitFailed Transaction.TransactionLogError
        Transaction.TransactionStartFailed
    """,
    Meaning.UNAVAILABLE: """
        Cluster.NotALeader Cluster.ReplicationFailure Cluster.Routing
        Database.UnableToStartDatabase General.DatabaseUnavailable General.RemoteFailure
        Routing.RoutingFailed Statement.RemoteExecutionTransientError
        Transaction.Interrupted Transaction.LeaderSwitch Transaction.LeaseExpired
        Transaction.Outdated Transaction.Terminated Transaction.TransactionNotFound
    """,
    Meaning.REFUSED: """
        Security.AuthProviderFailed Security.AuthProviderTimeout Security.AuthenticationRateLimit
        Security.AuthorizationExpired Security.CredentialsExpired Security.Forbidden
        Security.ModifiedConcurrently Security.TokenExpired Security.Unauthorized
    """,
    Meaning.NO_DATABASE: "Database.DatabaseNotFound",
    Meaning.READ_ONLY: """
        General.ForbiddenOnReadOnlyDatabase General.WriteOnReadOnlyAccessDatabase
        Statement.AccessMode
    """,
    Meaning.VALUE: """
        Procedure.ProcedureCallFailed Procedure.TypeError Statement.ArgumentError
        Statement.ArithmeticError Statement.TypeError
    """,
    Meaning.DEFECT: """
        ChangeDataCapture.Disabled ChangeDataCapture.FutureIdentifier
        ChangeDataCapture.InvalidIdentifier ChangeDataCapture.ScanFailure
        Data.DataUnsupportedByStoreFormat Database.DatabaseLimitReached
        Database.ExistingAliasFound Database.ExistingDatabaseFound Database.IllegalAliasChain
        Database.Unknown General.EntityIdNotFound General.IndexCorruptionDetected
        General.InvalidArguments General.SchemaCorruptionDetected General.StorageDamageDetected
        General.UnknownError General.UpgradeRequired
        Procedure.ProcedureNotFound Procedure.ProcedureRegistrationFailed
        Request.Invalid Request.InvalidFormat Request.InvalidUsage
        Schema.ConstraintAlreadyExists Schema.ConstraintCreationFailed
        Schema.ConstraintDropFailed Schema.ConstraintNotFound Schema.ConstraintValidationFailed
        Schema.ConstraintViolation Schema.ConstraintWithNameAlreadyExists
        Schema.EquivalentSchemaRuleAlreadyExists Schema.ForbiddenOnConstraintIndex
        Schema.IndexAlreadyExists Schema.IndexCreationFailed Schema.IndexDropFailed
        Schema.IndexMultipleFound Schema.IndexNotApplicable Schema.IndexNotFound
        Schema.IndexWithNameAlreadyExists Schema.LabelAccessFailed Schema.PropertyKeyAccessFailed
        Schema.RelationshipTypeAccessFailed Schema.RepeatedLabelInSchema
        Schema.RepeatedPropertyInCompositeSchema Schema.RepeatedRelationshipTypeInSchema
        Schema.SchemaRuleAccessFailed Schema.SchemaRuleDuplicateFound
        Schema.SchemaRuleEntrySizeLimitError Schema.TokenLengthError Schema.TokenLimitReached
        Schema.TokenNameError
        Statement.ConstraintVerificationFailed Statement.EntityNotFound Statement.ExecutionFailed
        Statement.ExternalResourceFailed Statement.InvalidTargetDatabaseError
        Statement.NotSystemDatabaseError Statement.ParameterMissing Statement.PropertyNotFound
        Statement.RemoteExecutionClientError Statement.RemoteExecutionFailed
        Statement.RuntimeUnsupportedError Statement.SemanticError Statement.SyntaxError
        Statement.UnsupportedAdministrationCommand
        Statement.UnsupportedOperationError Transaction.ConstraintsChanged
        Transaction.ForbiddenDueToTransactionType Transaction.InvalidBookmark
        Transaction.InvalidBookmarkMixture Transaction.LinkedTransactionError
        Transaction.QueryExecutionFailedOnTransaction Transaction.TransactionAccessedConcurrently
        Transaction.TransactionHookFailed Transaction.TransactionMarkedAsFailed
        Transaction.TransactionRollbackFailed Transaction.TransactionTerminationFailed
        Transaction.TransactionValidationFailed
    """,
}

#: The meaning of each code, such as `Transaction.TransactionTimedOut`.
MEANINGS = {code: meaning for meaning, codes in _CODES.items() for code in codes.split()}


def meaning(code: str | None) -> Meaning:
    """Return the meaning of a code such as `Neo.ClientError.Statement.SyntaxError`.

    A code that is not in the table, of a later Neo4j, counts as a defect.
    """
    return MEANINGS.get(".".join((code or "").split(".")[2:]), Meaning.DEFECT)
