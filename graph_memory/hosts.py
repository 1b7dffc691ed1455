"""Which host is this machine."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Tell whether an address or name is reached from this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
