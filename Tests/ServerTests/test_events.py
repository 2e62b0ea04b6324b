"""The stream of events, the long poll, and followers that resume after a kill."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import support

KILLS = int(os.environ.get("FIRN_KILLS", "6"))


class Streams(support.ServedCase):
    def test_an_event_is_a_record_with_its_number_and_its_lines(self):
        events = iter(self.server.events(after=1))
        name, last_id, data = next(events)
        self.assertEqual((name, last_id), ("message", "2"))
        lines = [json.loads(line) for line in data.split("\n")]
        self.assertEqual([line["source"]["entity"] for line in lines], ["Teacher", "Course"])

    def test_the_events_are_the_lines_of_the_pages(self):
        lines, events = [], iter(self.server.events(after=0))
        head = self.get("/v1/store").json["head"]
        while True:
            _, last_id, data = next(events)
            lines += [json.loads(line) for line in data.split("\n")]
            if int(last_id) == head:
                break
        self.assertEqual(lines, self.get("/v1/changes").lines)

    def test_last_event_id_comes_before_after(self):
        self.assertEqual(next(iter(self.server.events(after=0, last_id=4)))[1], "5")

    def test_a_save_of_another_process_arrives(self):
        head = self.get("/v1/store").json["head"]
        events = iter(self.server.events(after="head"))
        begun = time.monotonic()
        lines = support.Lines(head + 1).save("zoe", 200).create("Student", support.new_key(), name="New")
        lines.write(self.store)
        name, last_id, data = next(events)
        self.assertEqual(json.loads(data)["after"], {"name": "New"})
        self.assertEqual(last_id, str(head + 1))
        self.assertLess(time.monotonic() - begun, 5)

    def test_a_filter_holds_for_the_past_and_for_what_comes(self):
        head = self.get("/v1/store").json["head"]
        events = iter(self.server.events(after=5, query={"entity": "Course"}))
        self.assertEqual([next(events)[1], next(events)[1]], ["8", "9"])
        lines = support.Lines(head + 1).save("zoe", 201).create("Student", support.new_key(), name="New")
        lines.save("zoe", 202).create("Course", support.new_key(), title="Latin").write(self.store)
        self.assertEqual(json.loads(next(events)[2])["after"], {"title": "Latin"})

    def test_a_long_poll_waits_for_a_save(self):
        head = self.get("/v1/store").json["head"]
        answers = []
        poll = threading.Thread(
            target=lambda: answers.append(self.get("/v1/changes", {"after": head, "live": "true", "wait": 20})))
        poll.start()
        support.Lines(head + 1).save("zoe", 203).create("Student", support.new_key(), name="New").write(self.store)
        poll.join()
        self.assertEqual(len(answers[0].lines), 1)

    def test_a_long_poll_ends_after_its_time(self):
        begun = time.monotonic()
        answer = self.get("/v1/changes", {"after": "head", "live": "true", "wait": 1})
        self.assertEqual((answer.status, answer.body), (200, b""))
        self.assertLess(time.monotonic() - begun, 5)

    def test_a_position_from_another_store_is_refused(self):
        answer = self.get("/v1/changes", headers={"Accept": "text/event-stream", "Last-Event-ID": "99999"})
        self.refused(answer, 404)


class PutBack(support.ServedCase):
    def test_a_position_of_a_lost_future_is_refused_everywhere(self):
        head = self.get("/v1/store").json["head"]
        events = self.server.events(after="head")
        backup = self.folder / "backup"
        shutil.copytree(f"{self.store}-log", backup)
        support.Lines(head + 1).save("zoe", 400).create("Student", support.new_key(), name="Lost").write(self.store)
        self.assertEqual(next(iter(events))[1], str(head + 1))
        page = self.get("/v1/changes", {"after": head})
        lost, common = events.last_id, self.get("/v1/changes", {"limit": head}).headers["Firn-Position"]
        self.assertRegex(lost, f"^{head + 1}-[0-9a-f]{{16}}$")
        self.assertEqual(page.headers["Firn-Position"], lost)
        self.server.kill()
        shutil.rmtree(f"{self.store}-log")
        shutil.copytree(backup, f"{self.store}-log")
        for path in self.folder.glob("School.sqlite*"):
            if path.is_file():
                path.unlink()
        self.server.start()
        stream = {"Accept": "text/event-stream"}
        for number in range(2):
            for answer in [self.get("/v1/changes", {"after": lost}), self.get(page.headers["Link"].split(">")[0][1:]),
                           self.get("/v1/changes", {"after": 0}, headers={**stream, "Last-Event-ID": lost})]:
                self.assertIn("/v1/baseline", self.refused(answer, 410)["remedy"])
            lines = support.Lines(head + 1 + number).save("zoe", 401).create("Student", support.new_key(), name="New")
            lines.write(self.store)
            self.assertEqual(len(self.get("/v1/changes", {"after": common}).lines), number + 1)
        # A number alone says nothing of a history.
        self.assertEqual(len(self.get("/v1/changes", {"after": head + 1}).lines), 1)
        self.refused(self.get("/v1/changes", {"after": lost + "0"}), 400)


class Followers(support.ServedCase):
    """Followers share what is sent to them: each gets all of it, once."""

    def test_many_followers_get_every_save(self):
        head = self.get("/v1/store").json["head"]
        followers = [iter(self.server.events(after=after)) for after in [0, head - 1, "head"] for _ in range(20)]
        for follower in followers[:20]:
            self.assertEqual(next(follower)[1], "2")
        lines = support.Lines(head + 1)
        for _ in range(300):
            lines.save("zoe", 300).create("Student", support.new_key(), name="x" * 2000)
        lines.write(self.store)
        for number, follower in enumerate(followers):
            seen = []
            for name, last_id, _ in follower:
                seen.append(int(last_id))
                if seen[-1] == head + 300:
                    break
            first = 3 if number < 20 else head if number < 40 else head + 1
            self.assertEqual(seen, list(range(first, head + 301)))

    def test_a_follower_that_fell_behind_the_ring_reads_the_log(self):
        head = self.get("/v1/store").json["head"]
        events = self.server.events(after="head")
        lines = support.Lines(head + 1)
        # The ring holds 8 MB, the sockets some more.
        for number in range(300):
            lines.save("zoe", 301).create("Student", support.new_key(), name=f"{number} " + "x" * 100_000)
        lines.write(self.store)
        self.eventually(lambda: f"firn_head_record {head + 300}\n" in self.get("/metrics").text)
        seen = []
        for _, last_id, data in events:
            seen.append(int(last_id))
            if seen[-1] == head + 300:
                break
        self.assertEqual(seen, list(range(head + 1, head + 301)))
        support.Lines(head + 301).save("zoe", 302).create("Student", support.new_key(), name="After").write(self.store)
        self.assertEqual(next(iter(events))[1], str(head + 301))

    def test_a_second_request_on_the_connection_waits_for_the_stream(self):
        head = self.get("/v1/store").json["head"]
        request = "GET /v1/changes?after=head HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=20) as connection:
            connection.sendall((request + "GET /v1/store HTTP/1.1\r\nHost: localhost\r\n\r\n").encode())
            while b"retry:" not in connection.recv(65536):
                pass
            support.Lines(head + 1).save("zoe", 303).create("Student", support.new_key(), name="N").write(self.store)
            self.assertTrue(connection.recv(65536).split(b"\r\n")[1].startswith(b"id: "))

    def test_a_server_that_is_asked_to_end_ends_its_streams(self):
        streams = [self.server.events(after="head"), self.server.events(after="head", query={"author": "x"})]
        for stream in streams:
            self.assertEqual(stream.response.readline(), b"retry: 1000\n")
        self.server.process.terminate()
        self.assertEqual(self.server.process.wait(20), 0)
        for stream in streams:
            self.assertEqual(stream.response.read(), b"\n")
        self.server.restart()


class Comments(support.ServedCase):
    def test_an_idle_stream_gets_a_comment_with_its_position(self):
        for name, last_id, _ in self.server.events(after="head", timeout=20):
            self.assertEqual((name, last_id), ("comment", None))
            break

    def test_a_follower_that_went_is_no_follower_any_more(self):
        events = self.server.events(after="head")
        followers = lambda: int(self.get("/metrics").text.split("\nfirn_followers ")[1].split()[0])
        self.eventually(lambda: followers() >= 1)
        before = followers()
        events.close()
        self.eventually(lambda: followers() < before, 40)


class Kills(unittest.TestCase):
    """A follower resumes by its last event's number while four processes save and the server is killed."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.store = self.folder / "Entries.sqlite"
        self.savers = []

    def tearDown(self):
        for saver in self.savers:
            saver.kill()
            saver.wait()
            saver.stdout.close()
        shutil.rmtree(self.folder)

    def save(self, worker):
        saver = subprocess.Popen(
            [support.PROGRAMS / "Torture", "save", str(self.store), str(worker)], stdout=subprocess.PIPE, text=True)
        self.savers.append(saver)
        saver.stdout.readline()
        threading.Thread(target=lambda: [None for _ in saver.stdout], daemon=True).start()

    def test_nothing_is_missed_and_nothing_comes_twice(self):
        for worker in range(4):
            self.save(worker)
        server = support.Server(self.store)
        received, last, kills = [], 0, 0
        while kills < KILLS:
            events = server.events(after=0, last_id=last or None)
            count = 0
            try:
                for name, last_id, _ in events:
                    if name != "message":
                        continue
                    received.append(int(last_id))
                    last = events.last_id
                    count += 1
                    if count == 100 + 37 * kills:
                        # In the middle of a stream: what is in the sockets may still be read, or is lost.
                        server.process.kill()
            except (ConnectionError, OSError, ValueError, __import__("http").client.HTTPException):
                pass
            events.close()
            server.restart()
            kills += 1
        for saver in self.savers:
            saver.kill()
            saver.wait()
        head = server.get("/v1/store").json["head"]
        for name, last_id, _ in server.events(after=0, last_id=last):
            received.append(int(last_id))
            if int(last_id) == head:
                break
        server.close()
        wanted = [json.loads(line)["source"]["sequence"] for line in support.tool("export", str(self.store)).splitlines()]
        self.assertEqual(received, sorted(set(wanted)))
        print(f"{kills} kills, {len(received)} records, none missed, none twice")


if __name__ == "__main__":
    unittest.main()
