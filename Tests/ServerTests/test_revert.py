"""The button that undoes a record: off by default; with a token it shows first what it would do."""

import base64
import html
import itertools
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import browser
import support

# A revert that inserts makes the store give away the keys after the highest.
KEYS = itertools.count(200_000, 10_000)
TOKEN = "0123456789abcdef0123456789abcdef"


class RevertCase(support.ServedCase):
    @classmethod
    def setUpClass(cls):
        cls.secrets = pathlib.Path(tempfile.mkdtemp())
        (cls.secrets / "token").write_text(TOKEN + "\n")
        cls.arguments = ("--token-file", str(cls.secrets / "token"), "--allow-revert")
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.secrets)

    def setUp(self):
        self.host = f"127.0.0.1:{self.server.port}"
        basic = base64.b64encode(f"me:{TOKEN}".encode()).decode()
        # What a browser sends with the form of the page.
        self.form = {"Authorization": "Basic " + basic, "Origin": "http://" + self.host, "Host": self.host,
                     "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"}

    def get(self, path, query=None, headers=None, **rest):
        return self.server.get(path, query, headers={"Authorization": "Bearer " + TOKEN} if headers is None else headers, **rest)

    def head(self):
        return self.get("/v1/store").json["head"]

    def change(self, name):
        """Saves a student with a name, then another name. Returns the key and the number of the second save."""
        key, head = next(KEYS), self.head()
        lines = support.Lines(head + 1).save("ann", 500).create("Student", key, name=name, grade=1)
        lines.save("ann", 501).update("Student", key, {"name": name}, {"name": name + " the second"}).write(self.store)
        return key, head + 2

    def name(self, key):
        return self.get(f"/v1/objects/Student/{key}").json["values"]["name"]


class Reverts(RevertCase):
    def test_the_page_of_a_record_leads_to_what_a_revert_would_do(self):
        key, number = self.change("Leo")
        self.assertIn(f'href="/records/{number}/revert"', self.get(f"/records/{number}").text)
        answer = self.get(f"/records/{number}/revert")
        self.assertEqual(answer.status, 200)
        self.assertIn(f"Student/{key}", answer.text)
        self.assertIn('<td class="old"><span class="text">Leo the second</span></td>', answer.text)
        self.assertIn('<td class="new"><span class="text">Leo</span></td>', answer.text)
        self.assertIn('method="post"', answer.text)
        # Looking writes nothing.
        self.assertEqual(self.head(), number)
        self.assertEqual(self.name(key), "Leo the second")

    def test_a_preview_after_an_erasure_is_without_the_value(self):
        secret = "xyzzy-nobody-may-know"
        key, number = self.change(secret)
        pages = [f"/records/{number}/revert", f"/records/{number - 1}/revert", f"/records/{number}"]
        self.assertIn(f"{secret} the second", self.get(pages[0]).text)
        support.tool("erase", str(self.store), f"Student/{key}", "--property", "name")
        for page in pages:
            with self.subTest(page=page):
                self.assertNotIn(secret, self.get(page).text)

    def test_the_button_undoes_the_record_by_a_new_one(self):
        key, number = self.change("Mia")
        answer = self.get(f"/records/{number}/revert", headers=self.form, method="POST")
        self.assertEqual((answer.status, answer.headers["Location"]), (303, f"/records/{number + 1}"), answer.text)
        self.assertEqual(self.name(key), "Mia")
        record = self.get(f"/v1/records/{number + 1}").json
        self.assertEqual((record["author"], record["context"]), ("firn serve", f"revert of record {number}"))
        self.assertEqual(record["changes"][0]["new"], {"name": "Mia"})

    def test_an_insertion_and_a_deletion_are_undone(self):
        key, number = self.change("Ned")
        head = self.head()
        support.Lines(head + 1).save("ann", 502).delete("Student", key, name="Ned the second", grade=1).write(self.store)
        self.assertIn("a new Student", self.get(f"/records/{head + 1}/revert").text)
        self.assertEqual(self.get(f"/records/{head + 1}/revert", headers=self.form, method="POST").status, 303)
        found = self.get("/v1/objects/Student", {"predicate": "name == 'Ned the second'"}).json["objects"]
        self.assertEqual(len(found), 1)
        self.assertNotEqual(found[0]["object"], f"Student/{key}")
        self.assertEqual(self.get(f"/records/{head + 2}/revert", headers=self.form, method="POST").status, 303)
        self.assertEqual(self.get("/v1/objects/Student", {"predicate": "name == 'Ned the second'"}).json["objects"], [])

    def test_an_object_and_a_value_are_restored_from_the_page_of_the_object(self):
        key, number = self.change("Lea")
        place = f"/objects/Student/{key}"
        page = self.get(place).text
        whole, name = f"{place}/restore?to={number - 1}", f"{place}/restore?to={number - 1}&property=name"
        for link in (whole, name):
            self.assertIn(f'href="{html.escape(link)}"', page)
        self.assertIn(html.escape(whole), self.get(place, {"as-of": number - 1}).text)
        for link in (name, whole):
            with self.subTest(link=link):
                head, before = self.head(), self.name(key)
                preview = self.get(link)
                self.assertEqual((preview.status, self.head()), (200, head))
                self.assertIn('<td class="new"><span class="text">Lea</span></td>', preview.text)
                answer = self.get(link, headers=self.form, method="POST")
                self.assertEqual((answer.status, answer.headers["Location"]), (303, f"/records/{head + 1}"), answer.text)
                self.assertEqual(self.name(key), "Lea")
                support.Lines(head + 2).save("ann", 504).update("Student", key, {"name": "Lea"}, {"name": before}).write(self.store)

    def test_a_restoration_of_what_does_not_exist_is_an_error(self):
        key, number = self.change("Ole")
        place = f"/objects/Student/{key}/restore"
        for query, status in (({}, 400), ({"to": "x"}, 400), ({"to": number + 9999}, 404),
                              ({"to": number, "property": "nothing"}, 404), ({"to": number, "other": 1}, 400)):
            with self.subTest(query=query):
                answer = self.get(place, query)
                self.assertEqual(answer.status, status, answer.text)
        # It was not there then, and is not now.
        answer = self.get(f"/objects/Student/{key}9999/restore", {"to": number})
        self.assertEqual(answer.status, 200)
        self.assertNotIn('method="post"', answer.text)

    def test_what_was_changed_later_is_not_reverted(self):
        key, number = self.change("Oda")
        lines = support.Lines(number + 1).save("ben", 503)
        lines.update("Student", key, {"name": "Oda the second"}, {"name": "Oda the third"}).write(self.store)
        shown = self.get(f"/records/{number}/revert")
        self.assertIn(f">Student/{key}</a> was changed later", shown.text)
        self.assertNotIn('method="post"', shown.text)
        answer = self.get(f"/records/{number}/revert", headers=self.form, method="POST")
        self.assertEqual(answer.status, 409)
        self.assertIn("was changed later", answer.text)
        self.assertEqual((self.head(), self.name(key)), (number + 1, "Oda the third"))

    def test_an_obstacle_names_its_object_as_a_link_to_its_versions(self):
        key, number = self.change("Uma")
        lines = support.Lines(number + 1).save("ben", 503)
        lines.update("Student", key, {"name": "Uma the second"}, {"name": "Uma the third"}).write(self.store)
        text = self.get(f"/records/{number}/revert").text
        link = f"/objects/Student/{key}?property=name"
        self.assertIn(f'<li>name of <a href="{link}">Student/{key}</a> was changed later</li>', text)
        self.assertRegex(self.get(link).text, rf">Record {number + 1}</a>.*>Record {number}</a>".replace(".*", r"[\s\S]*"))

    def test_obstacles_of_one_object_are_one_line(self):
        key, head = next(KEYS), self.head()
        lines = support.Lines(head + 1).save("ann", 504).create("Student", key, name="Xan", grade=1)
        lines.save("ben", 505).update("Student", key, {"name": "Xan", "grade": 1}, {"name": "Yan", "grade": 2}).write(self.store)
        text = self.get(f"/records/{head + 1}/revert").text
        self.assertIn(f'<li>grade, name of <a href="/objects/Student/{key}">Student/{key}</a> were changed later</li>', text)

    def test_a_creation_is_reverted_with_counts_of_members(self):
        key, head = next(KEYS), self.head()
        lines = support.Lines(head + 1).save("ann", 504).create("Teacher", key, name="Vic")
        for course in range(key, key + 30):
            lines.create("Course", course, title=f"Course {course}", teacher=f"Teacher/{key}")
        lines.save("ann", 505).create("Course", key + 30, title="One more", teacher=f"Teacher/{key}").write(self.store)
        text = self.get(f"/records/{head + 2}/revert").text
        self.assertIn("It changes 1 Teacher; deletes 1 Course. Nothing was changed yet.", text)
        card = text[text.index(f">Teacher/{key}</a>"):]
        card = card[card.index('<th scope="row">courses</th>'):card.index("</article>")]
        self.assertEqual(re.findall(r'<span class="text">([^<]*)</span>', card), ["31 members", "30 members"])
        # Only the one that goes is named.
        self.assertEqual(re.findall(r'href="/objects/Course/(\d+)"', card), [str(key + 30)])
        # Of an object that goes there is no list of what it had.
        text = self.get(f"/records/{head + 1}/revert").text
        self.assertLess(len(text), 100_000)

    def test_characters_that_are_not_seen_are_shown(self):
        _, number = self.change("Wil\u202e")
        text = self.get(f"/records/{number}/revert").text
        self.assertIn('Wil<span class="mark">U+202E</span> the second', text)
        self.assertNotIn("\u202e", text)

    def test_a_record_without_changes_is_refused(self):
        self.assertEqual(self.get("/records/1/revert").status, 409)
        self.assertEqual(self.get("/records/99999/revert").status, 404)

    def test_a_request_of_another_page_is_refused(self):
        key, number = self.change("Pia")
        without = {name: value for name, value in self.form.items() if name not in ("Origin", "Sec-Fetch-Site")}
        for headers in [without, {**without, "Origin": "null"}, {**without, "Origin": "http://evil.example"},
                        {**self.form, "Sec-Fetch-Site": "cross-site"}, {**self.form, "Sec-Fetch-Site": "same-site"},
                        {**without, "Sec-Fetch-Site": "none"}]:
            with self.subTest(headers=headers):
                answer = self.get(f"/records/{number}/revert", headers=headers, method="POST")
                self.refused(answer, 403)
        self.assertEqual((self.head(), self.name(key)), (number, "Pia the second"))

    def test_without_the_token_nothing_is_shown_or_done(self):
        _, number = self.change("Quy")
        headers = {name: value for name, value in self.form.items() if name != "Authorization"}
        for method in ["GET", "POST"]:
            self.refused(self.get(f"/records/{number}/revert", headers=headers, method=method), 401)
        self.assertEqual(self.head(), number)

    def test_a_program_with_a_bearer_token_may_revert(self):
        key, number = self.change("Rob")
        self.assertEqual(self.get(f"/records/{number}/revert", method="POST").status, 303)
        self.assertEqual(self.name(key), "Rob")

    def test_other_methods_and_other_routes_stay_closed(self):
        for method, path in [("POST", "/"), ("POST", "/v1/changes"), ("POST", "/records/4"), ("PUT", "/records/4/revert"),
                             ("DELETE", "/records/4/revert"), ("POST", "/records/4/revert/x")]:
            with self.subTest(method=method, path=path):
                self.refused(self.get(path, headers=self.form, method=method), 405)

    def test_two_reverts_at_once_do_it_once(self):
        import threading
        key, number = self.change("Sue")
        answers = []
        path = f"/records/{number}/revert"
        threads = [threading.Thread(target=lambda: answers.append(self.get(path, headers=self.form, method="POST").status)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(answers), [303] + [409] * 5)
        self.assertEqual((self.head(), self.name(key)), (number + 1, "Sue"))

    def test_a_deletion_that_is_undone_by_several_at_once_brings_back_one_object(self):
        import threading
        name = "Zoe of 4711"
        key, number = self.change(name)
        lines = support.Lines(number + 1).save("ann", 502)
        lines.delete("Student", key, name=name + " the second", grade=1).write(self.store)
        answers = []
        path = f"/records/{number + 1}/revert"
        threads = [threading.Thread(target=lambda: answers.append(self.get(path, headers=self.form, method="POST").status)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(answers), [303] + [409] * 5)
        found = self.get("/v1/objects/Student", {"predicate": "name BEGINSWITH %@", "arguments": f'["{name}"]'}).json["objects"]
        self.assertEqual(len(found), 1)
        self.assertIn("put it back already", self.get(path).text)
        restored = self.get(f"/objects/Student/{key}/restore?to={number}")
        self.assertIn("put it back already", restored.text)


class ReadOnly(support.ServedCase):
    def test_it_is_off_by_default(self):
        self.assertNotIn("revert", self.get("/records/4").text)
        self.assertEqual(self.get("/records/4/revert").status, 404)
        answer = self.get("/records/4/revert", method="POST")
        self.refused(answer, 405)
        self.assertEqual(answer.headers["Allow"], "GET, HEAD")

    def test_it_needs_a_token(self):
        result = subprocess.run(
            [support.PROGRAMS / "firn-serve", self.store, "--allow-revert"], capture_output=True, text=True, timeout=20)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("--token-file", result.stderr)


@unittest.skipUnless(browser.program(), "there is no Chromium: install Debian's package chromium")
class InABrowser(RevertCase):
    def test_a_person_sees_what_it_would_do_and_does_it(self):
        key, number = self.change("Tom")
        window = browser.Browser()
        self.addCleanup(window.close)
        # As after the dialog: the browser adds the password itself, also to requests of other pages.
        window.open(f"http://me:{TOKEN}@{self.host}/records/{number}")
        window.value("document.querySelector('a[href$=\"/revert\"]').click()")
        window.wait_for("location.pathname.endsWith('/revert') && !!document.querySelector('form.revert button')")
        self.assertEqual(self.name(key), "Tom the second")
        window.value("document.querySelector('form.revert button').click()")
        window.wait_for(f"location.pathname === '/records/{number + 1}'")
        self.assertEqual(self.name(key), "Tom")
        self.assertEqual(window.problems, [])


if __name__ == "__main__":
    unittest.main()
