"""Which host a URI names, and which is this machine."""

import ipaddress
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field


def is_loopback(host: str) -> bool:
    """Tell whether an address or name is reached from this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def host_of(uri: str) -> str:
    """Return the host that a URI names, without brackets.

    Raises:
        ValueError: It names none, or what it has for a port is none.
    """
    address = urlsplit(uri)  # refuses brackets left open, and its `port` what is no port
    if not address.hostname or address.port == 0:
        raise ValueError("it names no host and port, as bolt://127.0.0.1:7687 does")
    return address.hostname


#: `bolt` or `neo4j`, with `+s` or `+ssc` for TLS, and a host.
Neo4jUri = Annotated[
    str,
    Field(pattern=r"^(bolt|neo4j)(\+s|\+ssc)?://.+"),
    AfterValidator(lambda uri: host_of(uri) and uri),
]
