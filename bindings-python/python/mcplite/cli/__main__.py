"""Makes `python -m mcplite.cli` the same as `mcplite`."""

import sys

from mcplite.cli import main

if __name__ == "__main__":
    sys.exit(main())
