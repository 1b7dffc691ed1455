// Keep a conversation's key unique.
//
// access  schema
CREATE CONSTRAINT conversation_key_key IF NOT EXISTS
FOR (n:Conversation)
REQUIRE n.conversation_key IS UNIQUE
