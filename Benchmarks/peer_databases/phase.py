"""One phase of one peer, in a process of its own: prints its seconds and rows as JSON.

    python3 -m peer_databases.phase PEER load|ordered PLACE FILE
    python3 -m peer_databases.phase PEER third|weekly|compare PLACE TABLE
"""

import importlib
import json
import sys


def main():
    peer, phase, place, argument = sys.argv[1:]
    module = importlib.import_module(f"peer_databases.{peer}_peer")
    module.version()  # Imports the package, before the clock starts.
    if phase in ("load", "ordered"):
        seconds, rows = module.load(place, argument, phase == "ordered"), []
    else:
        seconds, rows = module.ask(place, phase, argument)
    print(json.dumps({"seconds": seconds, "rows": rows}))


main()
