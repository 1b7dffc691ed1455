"""Entry point of the MCPB bundle: serve over stdin and stdout.

Options that the user leaves empty arrive as empty variables; they count as not given.
"""

import os
import sys

for name, value in list(os.environ.items()):
    if name.startswith("GRAPH_MEMORY_") and not value:
        del os.environ[name]

from graph_memory.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.argv[1:] = ["serve", "--stdio"]
    main()
