"""Serves the store of the tests until it is ended, and prints the address."""

import pathlib
import signal
import sys

import support

store = pathlib.Path(sys.argv[1]) / "School.sqlite"
support.school(store)
server = support.Server(store)
print(server.address, flush=True)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
try:
    signal.pause()
finally:
    server.close()
