"""Hosts of URIs, and loopback addresses."""

import ipaddress
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field


def is_loopback(host: str) -> bool:
    """Check whether an address or name is reachable only from this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def host_of(uri: str) -> str:
    """Return the host of a URI, without brackets.

    Raises:
        ValueError: The URI does not name a host, or its port is not valid.
    """
    address = urlsplit(uri)  # raises for an open bracket; `port` raises for an invalid port
    if not address.hostname or address.port == 0:
        raise ValueError("it must name a host, and may name a port, as in bolt://127.0.0.1:7687")
    return address.hostname


#: `bolt` or `neo4j`, with `+s` or `+ssc` for TLS, and a host.
Neo4jUri = Annotated[
    str,
    Field(pattern=r"^(bolt|neo4j)(\+s|\+ssc)?://.+"),
    AfterValidator(lambda uri: host_of(uri) and uri),
]
