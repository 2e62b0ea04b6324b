"""Examples/Server as its clients see it: a process, which is also killed."""

import http.client
import json
import os
import pathlib
import shutil
import signal
import tempfile
import threading
import time
import unittest

import support

TOKENS = {"ada": "9f2c", "ben": "41d0"}


class Library(support.Server):
    def __init__(self, store):
        tokens = ",".join(f"{name}={token}" for name, token in TOKENS.items())
        self.variables = {**os.environ, "LIBRARY_TOKENS": tokens}
        super().__init__(store)

    def start(self):
        self.environment = self.variables
        super().start()

    def command(self):
        return [support.PROGRAMS / "LibraryServer", str(self.store), str(self.port)]

    def ask(self, method, path, body=None, author="ada", headers=None):
        headers = {"Authorization": "Bearer " + TOKENS.get(author, "none"), **(headers or {})}
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        return self.get(path, method=method, headers=headers, body=body)


class LibraryCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.server = Library(self.folder / "Library.sqlite")
        self.addCleanup(self.server.close)

    def create(self, title="Emma", pages=474, author="ada"):
        answer = self.server.ask("POST", "/books", {"title": title, "pages": pages}, author)
        self.assertEqual(answer.status, 201, answer.text)
        return answer.json

    def changes(self, last_id=None, author="ada"):
        return support.Events(
            self.server, None, None, last_id, 30, {"Authorization": "Bearer " + TOKENS[author]}, "/changes")

    def titles(self):
        return [book["title"] for book in self.server.ask("GET", "/books").json]


class Requests(LibraryCase):
    def test_a_book_is_created_read_updated_and_deleted(self):
        answer = self.server.ask("POST", "/books", {"title": "Emma", "pages": 474})
        self.assertEqual(answer.status, 201)
        book = answer.json
        path = answer.headers["Location"]
        self.assertEqual(path, f"/books/{book['id']}")
        self.assertEqual(self.server.ask("GET", path).json, book)
        updated = self.server.ask("PUT", path, {"title": "Emma", "pages": 480, "version": book["version"]})
        self.assertEqual(updated.json, {**book, "pages": 480, "version": 2})
        self.assertEqual(self.server.ask("GET", "/books").json, [updated.json])
        self.assertEqual(self.server.ask("DELETE", path).status, 204)
        answer = self.server.ask("GET", path)
        self.assertEqual(answer.status, 404)
        self.assertIn(book["id"], answer.json["message"])

    def test_a_request_needs_a_token(self):
        answer = self.server.ask("GET", "/books", author="eve")
        self.assertEqual((answer.status, answer.headers["WWW-Authenticate"]), (401, "Bearer"))

    def test_values_that_are_not_valid_are_named(self):
        answer = self.server.ask("POST", "/books", {"title": "", "pages": 10})
        self.assertEqual(answer.status, 422, answer.text)
        self.assertEqual([one["property"] for one in answer.json["properties"]], ["title"])
        answer = self.server.ask("POST", "/books", {"title": "", "pages": -1})
        self.assertEqual(sorted(one["property"] for one in answer.json["properties"]), ["pages", "title"])
        self.assertEqual(self.titles(), [])

    def test_a_conflict_is_answered_with_the_current_values(self):
        book = self.create()
        path = f"/books/{book['id']}"
        first = self.server.ask("PUT", path, {"title": "Emma", "pages": 480, "version": 1})
        second = self.server.ask("PUT", path, {"title": "Emma!", "pages": 474, "version": 1}, "ben")
        self.assertEqual((first.status, second.status), (200, 409))
        self.assertEqual(second.json["current"], first.json)

    def test_of_requests_at_once_with_one_version_one_wins(self):
        path = f"/books/{self.create()['id']}"
        answers = []

        def put(pages):
            answers.append(self.server.ask("PUT", path, {"title": "Emma", "pages": pages, "version": 1}))

        threads = [threading.Thread(target=put, args=[pages]) for pages in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(answer.status for answer in answers), [200] + [409] * 7)
        self.assertEqual(self.server.ask("GET", path).json["version"], 2)

    def test_identifiers_that_lead_nowhere(self):
        self.assertEqual(self.server.ask("GET", "/books/12").status, 400)
        id = self.create()["id"]
        self.assertEqual(self.server.ask("GET", f"/books/{id}9").status, 404)
        other = "00000000-0000-0000-0000-000000000000" + id[36:]
        self.assertEqual(self.server.ask("GET", f"/books/{other}").status, 404)

    def test_a_stream_shows_a_change_and_its_author(self):
        stream = self.changes()
        events = iter(stream)
        self.assertEqual(next(events)[0], "comment")
        book = self.create(author="ben")
        _, number, data = next(events)
        save = json.loads(data)
        self.assertEqual((save["author"], save["changes"]), ("ben", [{"id": book["id"], "kind": "insert"}]))
        stream.close()
        # Another one continues behind the record that was seen.
        self.create("Persuasion")
        events = iter(self.changes(last_id=number))
        next(events)
        self.assertEqual(next(events)[1], str(int(number) + 1))

    def test_a_record_has_the_author_and_the_request(self):
        self.create(author="ben")
        record = json.loads(support.tool("log", str(self.server.store), "--json", "--limit", "1"))
        self.assertEqual(record["author"], "ben")
        self.assertIn("request", record["metadata"])


class Shutdown(LibraryCase):
    def test_a_signal_ends_it_with_streams_open_and_loses_nothing(self):
        stream = self.changes()
        next(iter(stream))
        acknowledged = []

        def post():
            while True:
                try:
                    title = f"Volume {len(acknowledged):05}"
                    if self.server.ask("POST", "/books", {"title": title, "pages": 1}).status == 201:
                        acknowledged.append(title)
                except (OSError, http.client.HTTPException):
                    return

        thread = threading.Thread(target=post)
        thread.start()
        while len(acknowledged) < 20:
            self.assertTrue(thread.is_alive())
        self.server.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.process.wait(timeout=30), 0)
        thread.join()
        self.server.restart()
        self.assertEqual(sorted(set(acknowledged) - set(self.titles())), [])


class Killed(LibraryCase):
    """FIRN_LOAD_SECONDS=60 has it take a minute, and print figures."""

    clients = 4

    def test_what_was_acknowledged_is_there_after_kills(self):
        seconds = float(os.environ.get("FIRN_LOAD_SECONDS", "0"))
        deadline = time.monotonic() + seconds
        acknowledged, kills, lock = [], 0, threading.Lock()
        while kills < 3 or time.monotonic() < deadline:
            target = len(acknowledged) + 50 + 97 * kills % 200

            def post(client):
                headers = {"Authorization": "Bearer " + TOKENS["ada"], "Content-Type": "application/json"}
                connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
                number = 0
                try:
                    while True:
                        title = f"{kills}-{client}-{number}"
                        connection.request("POST", "/books", json.dumps({"title": title, "pages": 1}), headers)
                        response = connection.getresponse()
                        response.read()
                        if response.status == 201:
                            with lock:
                                acknowledged.append(title)
                        number += 1
                except (OSError, http.client.HTTPException):
                    connection.close()

            threads = [threading.Thread(target=post, args=[client]) for client in range(self.clients)]
            for thread in threads:
                thread.start()
            self.eventually(lambda: len(acknowledged) >= target)
            self.server.kill()
            for thread in threads:
                thread.join()
            kills += 1
            self.server.start()
        titles = self.titles()
        self.assertEqual(sorted(set(acknowledged) - set(titles)), [])
        self.assertEqual(len(titles), len(set(titles)))
        support.tool("verify", str(self.server.store))
        if seconds:
            print(f"{len(acknowledged)} acknowledged in {seconds:.0f} s, {kills} kills, {len(titles)} books are there")

    eventually = support.ServedCase.eventually


if __name__ == "__main__":
    unittest.main()
