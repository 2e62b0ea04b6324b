"""The routes in the router of an application, Tests/MountedFeed, which saves into the store that it serves."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import threading
import unittest

import support
import test_pages


class Application(support.Server):
    def command(self):
        return [support.PROGRAMS / "MountedFeed", support.MODEL, str(self.store), *self.arguments]


class Mounted(support.ServedCase):
    token = ""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.store = cls.folder / "School.sqlite"
        cls.make(cls.store)
        cls.server = Application(cls.store)

    def add(self, name):
        self.assertEqual(self.get("/students/" + name, method="POST").status, 201)

    def test_the_application_has_its_routes_and_the_feed(self):
        self.assertEqual(self.get("/hello").text, "hello")
        self.assertEqual(self.get("/history/v1/store").json["name"], "School.sqlite")
        self.assertEqual(self.get("/v1/store").status, 404)

    def test_what_the_application_saves_arrives(self):
        events = iter(self.server.events(after="head", path="/history/v1/changes"))
        filtered = iter(self.server.events(after="head", path="/history/v1/changes", query={"author": "application"}))
        self.add("Uma")
        for follower in [events, filtered]:
            _, _, data = next(follower)
            line = json.loads(data)
            self.assertEqual((line["after"]["name"], line["source"]["author"]), ("Uma", "application"))
        self.assertEqual(self.get("/history/v1/objects/Student", {"predicate": "name == 'Uma'"}).json["objects"][0]["values"]["name"], "Uma")

    def test_the_checks_stand_before_the_feed_only(self):
        self.assertEqual(self.get("/hello", headers={"Host": "evil.example"}).status, 200)
        self.refused(self.get("/history/v1/store", headers={"Host": "evil.example"}), 421)
        self.refused(self.get("/history/v1/store", headers={"Origin": "http://evil.example"}), 403)

    def test_links_stay_below_the_prefix(self):
        self.assertTrue(self.get("/history/v1/changes?limit=2").headers["Link"].startswith("</history/v1/changes?"))
        for path in ["/history/", "/history/objects/Student", "/history/records/4", "/history/model"]:
            found = test_pages.Links(self.get(path).text)
            self.assertEqual([link for link in found.links if not link.startswith("/history/")], [], path)
            for link in found.links:
                self.assertEqual(self.get(link).status, 200, link)

    def test_a_signal_ends_the_application_with_streams_and_long_polls_open(self):
        self.addCleanup(self.server.restart)
        streams = [
            self.server.events(
                after="head", path="/history/v1/changes", query=query, headers={"Authorization": "Bearer " + self.token})
            for query in [{}, {"author": "x"}]
        ]
        answers = []
        poll = threading.Thread(target=lambda: answers.append(self.get("/history/v1/changes?after=head&live=true&wait=60")))
        poll.start()
        self.eventually(lambda: "firn_followers 3" in self.get("/history/metrics").text)
        self.server.process.terminate()
        self.assertEqual(self.server.process.wait(timeout=20), 0)
        poll.join()
        self.assertEqual([answer.status for answer in answers], [200])
        self.assertEqual([stream.response.status for stream in streams], [200, 200])

    def test_a_route_that_is_not_there_is_not_answered_by_the_feed(self):
        self.assertEqual(self.get("/history/v1/nothing").status, 404)
        self.assertEqual(self.get("/nothing").status, 404)


class MountedRevert(Mounted):
    """The same application, which lets those who have the token revert. Its own coordinator does it."""

    token = "0123456789abcdef0123456789abcdef"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.close()
        cls.server = Application(cls.store, cls.token)

    def get(self, path, query=None, headers=None, **rest):
        headers = {"Authorization": "Bearer " + self.token, **(headers or {})}
        return self.server.get(path, query, headers=headers, **rest)

    def test_what_the_application_saves_arrives(self):
        self.add("Vic")
        head = self.get("/history/v1/store").json["head"]
        answer = self.get(f"/history/records/{head}/revert", method="POST")
        self.assertEqual(answer.status, 303, answer.text)
        self.assertEqual(answer.headers["Location"], f"/history/records/{head + 1}")
        self.assertEqual(self.get("/history/v1/objects/Student", {"predicate": "name == 'Vic'"}).json["objects"], [])


if __name__ == "__main__":
    unittest.main()
