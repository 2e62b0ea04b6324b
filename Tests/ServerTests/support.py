"""What the tests of firn-serve share: a store, a server process, a client that hides nothing of HTTP."""

import http.client
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ.get("FIRN_PROGRAMS", ROOT / ".build/server/debug"))
MODEL = ROOT / "Examples/School/School.xcdatamodeld"
START = 1_790_000_000_000  # milliseconds since 1970

_keys = itertools.count(100_000)


def new_key():
    """A key that no store of the tests gave away: they only go up."""
    return next(_keys)


class Lines:
    """Lines for `firn import-changes`, as `firn export` writes them."""

    def __init__(self, first=2):
        self.sequence = first - 1
        self.lines = []
        self.source = {}

    def save(self, author, hours=0.0, **metadata):
        """Begins a change set."""
        self.sequence += 1
        self.source = {"store": "x", "sequence": self.sequence, "author": author, "metadata": metadata}
        self.date = START + int(hours * 3_600_000)
        return self

    def _add(self, op, before, after, **source):
        line = {"op": op, "before": before, "after": after, "source": {**self.source, **source}, "ts_ms": self.date}
        self.lines.append(json.dumps(line))
        return self

    def create(self, entity, key, **values):
        return self._add("c", None, values, entity=entity, key=key)

    def update(self, entity, key, before, after, touched=()):
        more = {"touched": list(touched)} if touched else {}
        return self._add("u", before, after, entity=entity, key=key, **more)

    def delete(self, entity, key, **values):
        return self._add("d", values, None, entity=entity, key=key)

    def link(self, relationship, source, destination):
        return self._add("c", None, {"source": source, "destination": destination}, relationship=relationship)

    def write(self, store):
        """Appends them to a store, which is made if there is none."""
        model = [] if pathlib.Path(str(store) + "-log").exists() else ["--model", str(MODEL)]
        tool("import-changes", str(store), *model, input="\n".join(self.lines) + "\n")
        self.lines = []


def tool(*arguments, input=None):
    result = subprocess.run(
        [PROGRAMS / "firn", *arguments], input=input, capture_output=True, text=True, timeout=120)
    if result.returncode != 0:
        raise AssertionError(f"firn {' '.join(arguments)}: {result.returncode} {result.stderr}")
    return result.stdout


def school(store):
    """A small history: records 2 to 9; record 1 is the model."""
    lines = Lines()
    lines.save("ann", 0, request="r-1").create("Teacher", 1, name="Eve").create("Course", 1, title="Maths", teacher="Teacher/1")
    lines.save("ann", 1).create("Student", 1, name="Bob", grade=7).create("Student", 2, name="Cat", grade=9)
    lines.save("ben", 30).update("Student", 1, {"name": "Bob"}, {"name": "Robert"})
    lines.save("ben", 31).update("Student", 2, {"grade": 9}, {"grade": 10})
    lines.save("ann", 50).delete("Student", 2, name="Cat", grade=10)
    lines.save("importer", 72)
    for key in range(3, 63):
        lines.create("Student", key, name=f"Student {key}", grade=key % 10)
    long = "\n".join(f"Line {n} of a long title that somebody wrote" for n in range(20))
    lines.save("ann", 100).update("Course", 1, {"title": "Maths"}, {"title": long})
    lines.save("ann", 101).update("Course", 1, {"title": long}, {"title": long.replace("Line 7", "Line seven")})
    lines.write(store)
    return lines


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def lines(self):
        return [json.loads(line) for line in self.body.splitlines()]


class Server:
    def __init__(self, store, *arguments, port=0):
        self.store = store
        self.arguments = arguments
        self.errors = tempfile.TemporaryFile()
        self.environment = None
        self.port = port
        self.start()

    def command(self):
        return [PROGRAMS / "firn-serve", str(self.store), "--port", str(self.port), *self.arguments]

    def start(self):
        self.process = subprocess.Popen(
            self.command(), stdout=subprocess.PIPE, stderr=self.errors, text=True, env=self.environment)
        line = self.process.stdout.readline()
        if not line:
            self.errors.seek(0)
            raise AssertionError("the server did not start: " + self.errors.read().decode())
        self.address = line.split()[-1].rstrip("/")
        self.port = urllib.parse.urlsplit(self.address).port

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def close(self):
        self.kill()
        self.errors.close()

    def restart(self):
        self.kill()
        self.start()

    def memory(self):
        """Resident bytes."""
        pages = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def get(self, path, query=None, method="GET", headers=None, body=None, timeout=30):
        if query:
            path += "?" + urllib.parse.urlencode(query, doseq=True)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def events(self, after=None, query=None, last_id=None, timeout=30, headers=None, path="/v1/changes"):
        return Events(self, after, query, last_id, timeout, headers, path)


class Events:
    """A stream of server-sent events, read as a browser does. Each is given as name, record and data; `last_id` is the
    whole ID of the last one."""

    def __init__(self, server, after, query, last_id, timeout, headers, path):
        query = dict(query or {})
        if after is not None:
            query["after"] = after
        headers = {"Accept": "text/event-stream", **(headers or {})}
        if last_id is not None:
            headers["Last-Event-ID"] = str(last_id)
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout)
        self.connection.request("GET", path + "?" + urllib.parse.urlencode(query), headers=headers)
        self.response = self.connection.getresponse()
        self.last_id = last_id

    def __iter__(self):
        name, data = "message", []
        while True:
            raw = self.response.readline()
            if not raw:
                return
            line = raw.decode().rstrip("\n")
            if not line:
                if data:
                    yield name, self.record, "\n".join(data)
                name, data = "message", []
            elif line.startswith(":"):
                yield "comment", self.record, line[1:].strip()
            else:
                field, _, value = line.partition(": ")
                if field == "data":
                    data.append(value)
                elif field == "event":
                    name = value
                elif field == "id":
                    self.last_id = value

    @property
    def record(self):
        return str(self.last_id).split("-")[0] if self.last_id is not None else None

    def close(self):
        self.connection.close()


class ServedCase(unittest.TestCase):
    """One server for the tests of a class, on a store of their own."""

    arguments = ()

    @classmethod
    def make(cls, store):
        cls.lines = school(store)

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.store = cls.folder / "School.sqlite"
        cls.make(cls.store)
        cls.server = Server(cls.store, *cls.arguments)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        shutil.rmtree(cls.folder)

    def get(self, path, query=None, **rest):
        return self.server.get(path, query, **rest)

    def refused(self, answer, status):
        """Checks that an answer is an error that says why, and what to do."""
        self.assertEqual(answer.status, status, answer.text)
        error = answer.json["error"]
        self.assertEqual(error["status"], status)
        self.assertGreater(len(error["reason"]), 5)
        self.assertGreater(len(error["remedy"]), 5)
        return error

    def eventually(self, condition, seconds=10):
        deadline = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), deadline, "it did not happen in time")
            time.sleep(0.02)
