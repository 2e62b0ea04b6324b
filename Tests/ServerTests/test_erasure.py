"""What was erased is nowhere: in no answer, in no file of the service, and no process leaves files when it is killed."""

import json
import os
import pathlib
import threading
import unittest

import support

class Erased(support.ServedCase):
    """Asks every route, erases a value, and asks again."""

    def setUp(self):
        head = self.get("/v1/store").json["head"]
        self.key, self.number = support.new_key(), head + 1
        self.secret = f"xyzzy-nobody-may-know-{self.key}"
        # A follower at the head has the service encode the records that come, once for all who follow.
        self.follower = self.server.events(after=head)
        events = iter(self.follower)
        lines = support.Lines(head + 1)
        lines.save("ann", 300).create("Student", self.key, name=self.secret, grade=1).write(self.store)
        self.assertIn(self.secret, next(events)[2])
        support.Lines(head + 2).save("ann", 301).update(
            "Student", self.key, {"name": self.secret}, {"name": "Dan"}).write(self.store)
        self.assertIn(self.secret, next(events)[2])
        self.head = head + 2

    def tearDown(self):
        self.follower.close()

    def questions(self):
        name, first, last = f"Student/{self.key}", self.number, self.number + 1
        return [
            ("/v1/changes", {"after": first - 1}), ("/v1/changes", {"object": name}), (f"/v1/records/{first}", None),
            (f"/v1/records/{last}", None), ("/v1/objects/Student", {"as-of": first, "predicate": f"name == '{self.secret}'"}),
            (f"/v1/objects/{name}", {"as-of": first}), (f"/v1/objects/{name}/history", None),
            ("/v1/diff", {"from": first - 1, "to": first}), ("/v1/diff", {"from": last, "to": first}),
            (f"/records/{first}", None), (f"/records/{last}", None), (f"/objects/{name}", {"as-of": first}),
            (f"/objects/{name}", None), ("/objects/Student", {"as-of": first, "predicate": f"name == '{self.secret}'"}),
            ("/compare", {"from": first - 1, "to": first}), ("/compare", {"from": last, "to": first})]

    def answers_with_the_secret(self):
        found = []
        for path, query in self.questions():
            answer = self.get(path, query)
            body = answer.text.replace(f"'{self.secret}'", "").replace(f"&#39;{self.secret}&#39;", "").replace(f"%27{self.secret}%27", "")
            if self.secret in body:
                found.append((path, query))
        return found

    def test_no_route_gives_an_erased_value(self):
        self.assertEqual(self.answers_with_the_secret(), self.questions())
        support.tool("erase", str(self.store), f"Student/{self.key}", "--property", "name")
        self.assertEqual(self.answers_with_the_secret(), [])

    def test_a_follower_that_comes_back_is_not_sent_an_erased_value(self):
        support.tool("erase", str(self.store), f"Student/{self.key}", "--property", "name")
        self.eventually(lambda: self.get("/v1/store").json["head"] > self.head)
        again = self.server.events(last_id=self.number - 1)
        events = iter(again)
        self.assertNotIn(self.secret, next(events)[2] + next(events)[2])
        again.close()

    def test_no_open_file_of_the_service_has_an_erased_value(self):
        self.answers_with_the_secret()
        self.get("/v1/objects/Student")
        support.tool("erase", str(self.store), f"Student/{self.key}", "--property", "name")
        self.answers_with_the_secret()
        self.get("/v1/objects/Student")
        found = []
        for entry in pathlib.Path(f"/proc/{self.server.process.pid}/fd").iterdir():
            try:
                if entry.resolve().is_file() or "(deleted)" in os.readlink(entry):
                    if self.secret.encode() in entry.read_bytes():
                        found.append(os.readlink(entry))
            except OSError:
                pass
        self.assertEqual(found, [])

    def test_an_answer_about_the_past_is_checked_again_by_caches(self):
        for path, query in self.questions():
            with self.subTest(path=path, query=query):
                field = self.get(path, query).headers["Cache-Control"]
                self.assertIn(field, ["no-cache", "no-store"])

    def test_a_cache_that_checks_an_answer_gets_the_erased_one(self):
        tag = self.get(f"/v1/records/{self.number}").headers["ETag"]
        self.assertEqual(self.get(f"/v1/records/{self.number}", headers={"If-None-Match": tag}).status, 304)
        support.tool("erase", str(self.store), f"Student/{self.key}", "--property", "name")
        answer = self.get(f"/v1/records/{self.number}", headers={"If-None-Match": tag})
        self.assertEqual(answer.status, 200)
        self.assertNotIn(self.secret, answer.text)


class ErasedUnderLoad(support.ServedCase):
    """Clients ask while values are erased, one after the other."""

    def test_no_answer_that_is_asked_for_after_an_erasure_has_the_value(self):
        keys = [support.new_key() for _ in range(4)]
        secret = "xyzzy-nobody-may-know"
        lines = support.Lines(self.get("/v1/store").json["head"] + 1)
        for key in keys:
            lines.save("ann", 300).create("Student", key, name=f"{secret}-{key}", grade=1)
        lines.write(self.store)
        point = self.get("/v1/store").json["head"]
        erased, found, problems = set(), [], []
        done = threading.Event()

        def ask():
            while not done.is_set():
                for path, query in [("/v1/objects/Student", {"as-of": point, "limit": 1000}),
                                    ("/v1/diff", {"from": 1, "to": point}), ("/v1/changes", {"after": 1})]:
                    gone = set(erased)
                    answer = self.get(path, query, timeout=60)
                    if answer.status not in (200, 503):
                        problems.append((path, answer.status, answer.text[:200]))
                    found.extend((path, key) for key in gone if f"{secret}-{key}" in answer.text)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for key in keys:
            support.tool("erase", str(self.store), f"Student/{key}", "--property", "name")
            erased.add(key)
        done.set()
        for thread in threads:
            thread.join()
        self.assertEqual((found, problems), ([], []))


class Trimmed(support.ServedCase):
    def test_objects_as_of_a_record_are_read_after_a_trim_past_what_was_read_before(self):
        self.assertEqual(self.get("/v1/objects/Student/1", {"as-of": 3}).status, 200)
        lines = support.Lines(10)
        for hour in range(20):
            lines.save("ann", 200 + hour).create("Student", support.new_key(), name="x")
        lines.write(self.store)
        support.tool("trim", str(self.store), "--keep", "3")
        head = self.get("/v1/store").json["head"]
        answer = self.get("/v1/objects/Student/1", {"as-of": head - 1})
        self.assertEqual((answer.status, answer.json.get("values", {}).get("name")), (200, "Robert"))


class Killed(support.ServedCase):
    """The folder for temporary files, while the service runs and after it was killed."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.temporary = cls.folder / "temporary"
        cls.temporary.mkdir()
        cls.server.kill()
        cls.server.environment = {**os.environ, "TMPDIR": str(cls.temporary), "SQLITE_TMPDIR": str(cls.temporary)}
        cls.server.start()

    def files(self):
        return sorted(str(path.relative_to(self.temporary)) for path in self.temporary.rglob("*"))

    def test_no_file_has_a_name_in_the_folder_for_temporary_files(self):
        self.assertEqual(self.get("/v1/objects/Student", {"as-of": 3}).status, 200)
        self.assertEqual(self.files(), [])
        self.server.kill()
        self.assertEqual(self.files(), [])
        self.server.start()

    def test_the_history_file_alone_is_written_next_to_the_store(self):
        names = lambda: {path.name for path in self.folder.rglob("*") if not path.name.endswith(("-wal", "-shm"))}
        before = names()
        for path in ["/v1/objects/Student?as-of=3", "/objects/Student/1?as-of=4", "/compare?from=2&to=5", "/"]:
            self.assertEqual(self.get(path).status, 200)
        self.assertEqual(names(), before | {"School.sqlite-history"})

    def test_a_killed_service_leaves_a_history_that_the_next_one_goes_on_with(self):
        self.assertEqual(self.get("/objects/Student/1").status, 200)
        before = (self.folder / "School.sqlite-history").stat().st_ino
        self.server.kill()
        head = json.loads(support.tool("info", "--json", str(self.store)))["head"]
        support.Lines(head + 1).save("ann", 400).update("Student", 1, {"name": "Robert"}, {"name": "Rob"}).write(self.store)
        self.server.start()
        self.assertRegex(self.get("/objects/Student/1").text, rf'"/records/{head + 1}">{head + 1}</a> <span class="who">ann')
        self.assertEqual((self.folder / "School.sqlite-history").stat().st_ino, before)

    def test_a_file_that_lags_gives_no_erased_value_to_a_service_that_starts(self):
        secret, key = "xyzzy-nobody-may-know-lag", support.new_key()
        head = self.get("/v1/store").json["head"]
        lines = support.Lines(head + 1).save("ann", 300).create("Student", key, name=secret, grade=1)
        lines.save("ann", 301).update("Student", key, {"name": secret}, {"name": "Dan"}).write(self.store)
        self.assertIn(secret, self.get(f"/objects/Student/{key}", {"as-of": head + 1}).text)
        self.server.kill()
        files = [path for path in self.folder.iterdir() if "-history" in path.name]
        kept = {path: path.read_bytes() for path in files}
        support.tool("erase", str(self.store), f"Student/{key}", "--property", "name")
        for path, content in kept.items():
            path.write_bytes(content)
        self.server.start()
        for query in [{"as-of": head + 1}, None]:
            self.assertNotIn(secret, self.get(f"/objects/Student/{key}", query).text)
        self.assertNotIn(secret, self.get(f"/v1/objects/Student/{key}/history").text)
        self.assertEqual([path.name for path in files if path.exists() and secret.encode() in path.read_bytes()], [])


if __name__ == "__main__":
    unittest.main()
