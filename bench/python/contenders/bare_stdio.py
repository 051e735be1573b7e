"""Python itself: answers anything with an empty line, so that its start and memory can be seen."""

import sys

for line in sys.stdin:
    if "id" in line:
        print(flush=True)
