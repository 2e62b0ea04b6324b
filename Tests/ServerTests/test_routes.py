"""Every route for programs, against a server process."""

import gzip
import http.client
import json
import os
import pathlib
import shutil
import ssl
import subprocess
import tempfile
import unittest
import urllib.request

import support


class StoreRoutes(support.ServedCase):
    def test_the_store_has_its_identity_its_records_and_its_model(self):
        store = self.get("/v1/store").json
        self.assertEqual((store["name"], store["first"], store["head"], store["baseline"]), ("School.sqlite", 1, 9, 0))
        entities = {entity["name"]: entity for entity in store["model"]["entities"]}
        self.assertEqual(sorted(entities), ["Course", "Student", "Teacher"])
        self.assertIn({"name": "teacher", "type": "toOne", "destination": "Teacher"}, entities["Course"]["properties"])

    def test_health_is_told_without_a_host_that_is_known(self):
        answer = self.get("/healthz", headers={"Host": "probe"})
        self.assertEqual((answer.status, answer.json), (200, {"status": "ok"}))

    def test_metrics_count_responses(self):
        self.get("/v1/store")
        text = self.get("/metrics").text
        self.assertIn("firn_head_record 9\n", text)
        self.assertRegex(text, r'firn_responses_total\{status="200"\} \d+')

    def test_the_description_names_every_route(self):
        paths = self.get("/openapi.json").json["paths"]
        for path in ["/v1/store", "/v1/changes", "/v1/baseline", "/v1/records/{number}", "/v1/diff", "/v1/objects/{entity}",
                     "/v1/objects/{entity}/{key}", "/v1/objects/{entity}/{key}/history", "/healthz", "/metrics", "/records.json",
                     "/records.csv"]:
            self.assertIn(path, paths)

    def test_head_answers_without_a_body(self):
        answer = self.get("/v1/store", method="HEAD")
        self.assertEqual((answer.status, answer.body), (200, b""))


class ChangeRoutes(support.ServedCase):
    def test_changes_are_the_lines_of_export(self):
        exported = support.tool("export", str(self.store)).replace(str(self.store), "School.sqlite")
        self.assertEqual(self.get("/v1/changes").text, exported)

    def test_pages_lead_from_one_to_the_next(self):
        lines, path = [], "/v1/changes?limit=2"
        for _ in range(10):
            answer = self.get(path)
            lines += answer.lines
            if answer.headers["Firn-Position"].split("-")[0] == answer.headers["Firn-Head"]:
                break
            path = answer.headers["Link"].split(">")[0][1:]
        self.assertEqual(lines, self.get("/v1/changes").lines)
        self.assertEqual(len(lines), 69)

    def test_a_page_has_a_tag_that_a_cache_has_to_ask_about(self):
        answer = self.get("/v1/changes", {"after": 0, "limit": 4})
        self.assertEqual(answer.headers["Cache-Control"], "no-cache")
        again = self.get("/v1/changes", {"after": 0, "limit": 4}, headers={"If-None-Match": answer.headers["ETag"]})
        self.assertEqual((again.status, again.body), (304, b""))

    def test_an_entity_leaves_others_out(self):
        lines = self.get("/v1/changes", {"entity": "Course"}).lines
        self.assertEqual({line["source"]["entity"] for line in lines}, {"Course"})

    def test_an_object_leaves_others_out(self):
        lines = self.get("/v1/changes", {"object": "Student/2"}).lines
        self.assertEqual([line["op"] for line in lines], ["c", "u", "d"])

    def test_an_author_leaves_others_out(self):
        lines = self.get("/v1/changes", {"author": "ben"}).lines
        self.assertEqual({line["source"]["author"] for line in lines}, {"ben"})

    def test_dates_bound_the_changes(self):
        times = [line["ts_ms"] for line in self.get("/v1/changes").lines]
        middle = "2026-09-22T00:00:00Z"
        early = self.get("/v1/changes", {"to": middle}).lines
        late = self.get("/v1/changes", {"from": middle}).lines
        self.assertEqual(len(early) + len(late), len(times))
        self.assertGreater(len(early), 0)
        self.assertLess(early[-1]["ts_ms"], late[0]["ts_ms"])

    def test_a_log_that_was_not_trimmed_has_no_baseline(self):
        answer = self.get("/v1/baseline")
        self.assertEqual((answer.status, answer.body, answer.headers["Firn-Position"]), (200, b"", "0"))

    def test_after_head_there_is_nothing_yet(self):
        answer = self.get("/v1/changes", {"after": "head"})
        self.assertEqual((answer.status, answer.body, answer.headers["Firn-Position"].split("-")[0]), (200, b"", "9"))

    def test_a_position_that_is_not_there_is_refused(self):
        self.refused(self.get("/v1/changes", {"after": 10}), 404)

    def test_parameters_that_make_no_sense_are_refused(self):
        for query in [{"after": "x"}, {"limit": 0}, {"limit": 10**9}, {"limit": -1}, {"from": "x"}, {"live": "yes"},
                      {"wait": 1000}, {"aftr": 1}, {"after": [1, 2]}, {"after": "1" * 5000}]:
            with self.subTest(query=query):
                self.refused(self.get("/v1/changes", query), 400)
        for query in [{"entity": "Studnet"}, {"object": "Student"}]:
            with self.subTest(query=query):
                self.refused(self.get("/v1/changes", query), 404)

    def test_an_entity_that_is_misspelled_is_answered_with_the_right_name(self):
        self.assertIn("Student", self.refused(self.get("/v1/changes", {"entity": "Studnet"}), 404)["reason"])


class Compression(support.ServedCase):
    def test_lines_are_compressed_for_a_client_that_accepts_it(self):
        plain = self.get("/v1/changes")
        answer = self.get("/v1/changes", headers={"Accept-Encoding": "gzip, br"})
        self.assertEqual(answer.headers["Content-Encoding"], "gzip")
        self.assertEqual(gzip.decompress(answer.body), plain.body)
        self.assertLess(len(answer.body) * 3, len(plain.body))
        self.assertIn("Accept-Encoding", answer.headers["Vary"])
        self.assertIn("Accept-Encoding", plain.headers["Vary"])
        self.assertEqual(answer.headers["ETag"], plain.headers["ETag"])

    def test_a_large_object_and_a_page_are_compressed(self):
        for path in ["/v1/records/7", "/v1/objects/Student", "/openapi.json", "/", "/style.css"]:
            with self.subTest(path=path):
                answer = self.get(path, headers={"Accept-Encoding": "gzip"})
                self.assertEqual(answer.headers["Content-Encoding"], "gzip")
                self.assertEqual(gzip.decompress(answer.body), self.get(path).body)

    def test_nothing_is_compressed_for_a_client_that_does_not_accept_it(self):
        for value in ["", "identity", "br", "gzip;q=0", "deflate, gzip; q=0.0"]:
            with self.subTest(value=value):
                answer = self.get("/v1/changes", headers={"Accept-Encoding": value})
                self.assertIsNone(answer.headers["Content-Encoding"])

    def test_what_is_short_and_streams_stay_as_they_are(self):
        self.assertIsNone(self.get("/v1/objects/Teacher/1", headers={"Accept-Encoding": "gzip"}).headers["Content-Encoding"])
        events = self.server.events(after=0, headers={"Accept-Encoding": "gzip"})
        self.assertIsNone(events.response.headers["Content-Encoding"])
        self.assertEqual(next(iter(events))[1], "2")
        events.close()

    def test_a_compressed_response_that_the_client_has_is_not_sent_again(self):
        headers = {"Accept-Encoding": "gzip"}
        tag = self.get("/v1/records/7", headers=headers).headers["ETag"]
        for known in [tag, tag.removeprefix("W/"), f'"x", {tag}']:
            self.assertEqual(self.get("/v1/records/7", headers={**headers, "If-None-Match": known}).status, 304)


class RecordRoutes(support.ServedCase):
    def test_a_record_has_every_value_old_and_new(self):
        record = self.get("/v1/records/4").json
        self.assertEqual((record["sequence"], record["author"], record["kind"]), (4, "ben", "changes"))
        self.assertEqual(
            record["changes"],
            [{"operation": "update", "object": "Student/1", "old": {"name": "Bob"}, "new": {"name": "Robert"}}])

    def test_a_large_record_comes_in_pages(self):
        first = self.get("/v1/records/7", {"limit": 50}).json
        second = self.get("/v1/records/7", {"limit": 50, "offset": first["nextOffset"]}).json
        self.assertEqual((len(first["changes"]), len(second["changes"])), (50, 10))
        self.assertNotIn("nextOffset", second)

    def test_a_record_has_the_metadata_of_its_save(self):
        self.assertEqual(self.get("/v1/records/2").json["metadata"], {"request": "r-1"})

    def test_a_record_that_is_not_there_is_refused(self):
        for number in ["0", "10", "x", "-1", "1e3", "99999999999999999999999", "%00"]:
            with self.subTest(number=number):
                self.refused(self.get("/v1/records/" + number), 404)

    def test_the_difference_is_the_net_change(self):
        diff = self.get("/v1/diff", {"from": 3, "to": 6}).json
        changes = {change["object"]: change["operation"] for change in diff["changes"]}
        self.assertEqual(changes, {"Student/1": "update", "Student/2": "delete"})

    def test_the_difference_backwards_is_the_other_way_round(self):
        diff = self.get("/v1/diff", {"from": 6, "to": 3}).json
        self.assertEqual({change["operation"] for change in diff["changes"]}, {"update", "insert"})

    def test_the_difference_of_an_entity_leaves_others_out(self):
        diff = self.get("/v1/diff", {"from": 1, "entity": "Teacher"}).json
        self.assertEqual([change["object"] for change in diff["changes"]], ["Teacher/1"])

    def test_a_difference_without_a_beginning_is_refused(self):
        self.refused(self.get("/v1/diff"), 400)


class ObjectRoutes(support.ServedCase):
    def test_an_object_has_its_values_and_members(self):
        teacher = self.get("/v1/objects/Teacher/1").json
        self.assertEqual(teacher["values"], {"name": "Eve"})
        self.assertEqual(teacher["members"]["courses"], {"count": 1, "objects": ["Course/1"]})

    def test_an_object_as_of_a_record_is_as_it_was(self):
        self.assertEqual(self.get("/v1/objects/Student/1").json["values"]["name"], "Robert")
        self.assertEqual(self.get("/v1/objects/Student/1", {"as-of": 3}).json["values"]["name"], "Bob")
        self.assertEqual(self.get("/v1/objects/Student/2", {"as-of": "2026-09-23T00:00:00Z"}).json["values"]["grade"], 10)

    def test_an_object_that_was_deleted_is_not_there(self):
        self.refused(self.get("/v1/objects/Student/2"), 404)
        self.refused(self.get("/v1/objects/Student/1", {"as-of": 2}), 404)

    def test_the_history_of_an_object_has_all_that_happened_to_it(self):
        history = self.get("/v1/objects/Student/2/history").json
        self.assertEqual([change["sequence"] for change in history["changes"]], [3, 5, 6])
        self.assertEqual([change["author"] for change in history["changes"]], ["ann", "ben", "ann"])
        self.assertTrue(history["complete"])

    def test_the_history_comes_in_parts(self):
        first = self.get("/v1/objects/Student/2/history", {"limit": 2}).json
        self.assertFalse(first["complete"])
        second = self.get("/v1/objects/Student/2/history", {"limit": 2, "after": first["position"]}).json
        self.assertEqual([change["sequence"] for change in second["changes"]], [6])

    def test_objects_come_sorted_and_in_pages(self):
        query = {"sort": ["grade:desc", "name"], "limit": 7}
        first = self.get("/v1/objects/Student", query).json
        grades = [item["values"]["grade"] for item in first["objects"]]
        self.assertEqual(grades, sorted(grades, reverse=True))
        second = self.get("/v1/objects/Student", {**query, "offset": first["nextOffset"]}).json
        names = [item["object"] for item in first["objects"] + second["objects"]]
        self.assertEqual(len(set(names)), 14)

    def test_a_predicate_with_arguments_chooses_objects(self):
        query = {"predicate": "name == %@ AND grade > %d", "arguments": '["Robert", 3]'}
        self.assertEqual([item["object"] for item in self.get("/v1/objects/Student", query).json["objects"]], ["Student/1"])

    def test_an_argument_is_never_part_of_the_predicate(self):
        query = {"predicate": "name == %@", "arguments": """["x' OR 1 == 1 OR name == 'y"]"""}
        self.assertEqual(self.get("/v1/objects/Student", query).json["objects"], [])

    def test_objects_as_of_a_record_are_those_that_were_there(self):
        answer = self.get("/v1/objects/Student", {"as-of": 3, "sort": "name"})
        self.assertEqual([item["values"]["name"] for item in answer.json["objects"]], ["Bob", "Cat"])

    def test_times_are_read_as_people_say_them_and_said_back(self):
        for path, name in [("/v1/objects/Student", "as-of"), ("/v1/objects/Student/1", "as-of"), ("/v1/diff", "from"),
                           ("/v1/changes", "from"), ("/v1/changes", "after")]:
            with self.subTest(path=path, name=name):
                answer = self.get(path, {name: "2026-09-23 00:00"})
                self.assertEqual(answer.status, 200, answer.text[:300])
                self.assertRegex(answer.headers["Firn-Times"], r"^2026-09-23 00:00 is 2026-09-23 00:00:00 [+-]\d\d:\d\d, after record \d+$")
        self.assertIsNone(self.get("/v1/objects/Student", {"as-of": 3}).headers["Firn-Times"])
        self.assertEqual(self.get("/v1/diff", {"from": "last year"}).status, 200)

    def test_a_state_before_the_first_record_is_refused_with_its_date(self):
        for point in ["2020-01-01", "0"]:
            with self.subTest(point=point):
                reason = self.refused(self.get("/v1/objects/Student", {"as-of": point}), 404)["reason"]
                self.assertIn("before the first record", reason)

    def test_questions_that_make_no_sense_are_refused(self):
        for query in [{"predicate": "name =="}, {"predicate": "nme == 1"}, {"predicate": "name == %@"},
                      {"predicate": "name == %@", "arguments": "x"}, {"predicate": "name == %@", "arguments": '[{"a": 1}]'},
                      {"arguments": "[1]"}, {"sort": "name:up"}, {"sort": "nme"}, {"limit": 5000}, {"offset": -1}]:
            with self.subTest(query=query):
                self.refused(self.get("/v1/objects/Student", query), 400)
        self.refused(self.get("/v1/objects/Pupil"), 404)
        self.refused(self.get("/v1/objects/Student/x"), 404)


class Commands(unittest.TestCase):
    """`firn serve`, which runs the program in its folder."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())

    def tearDown(self):
        shutil.rmtree(self.folder)

    def test_the_tool_runs_the_program_of_its_folder(self):
        support.school(self.folder / "School.sqlite")
        process = subprocess.Popen(
            [support.PROGRAMS / "firn", "serve", self.folder / "School.sqlite", "--port", "0"],
            stdout=subprocess.PIPE, text=True)
        line = process.stdout.readline()
        process.terminate()
        process.wait(20)
        process.stdout.close()
        self.assertRegex(line, r"serving School.sqlite at http://127\.0\.0\.1:\d+/")

    def test_without_the_program_the_tool_says_how_to_build_it(self):
        shutil.copy(support.PROGRAMS / "firn", self.folder / "firn")
        result = subprocess.run(
            [self.folder / "firn", "serve", "x.sqlite"], capture_output=True, text=True, env={"PATH": "/usr/bin"})
        self.assertEqual(result.returncode, 2)
        self.assertIn("swift build -c release --traits Server --product firn-serve", result.stderr)


class Encrypted(support.ServedCase):
    @classmethod
    def setUpClass(cls):
        cls.keys = pathlib.Path(tempfile.mkdtemp())
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost", "-keyout", cls.keys / "key", "-out", cls.keys / "cert"],
            check=True, capture_output=True)
        cls.arguments = ("--tls-cert", cls.keys / "cert", "--tls-key", cls.keys / "key")
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.keys)

    def test_a_client_that_trusts_the_certificate_is_answered(self):
        context = ssl.create_default_context(cafile=self.keys / "cert")
        address = f"https://localhost:{self.server.port}/v1/store"
        with urllib.request.urlopen(address, context=context, timeout=10) as response:
            self.assertEqual(json.load(response)["head"], 9)

    def test_a_request_in_clear_text_is_not_answered(self):
        with self.assertRaises((OSError, http.client.HTTPException)):
            self.get("/v1/store", timeout=5)


class WithoutTables(support.ServedCase):
    def test_a_log_without_tables_is_served(self):
        for name in ["School.sqlite", "School.sqlite-wal", "School.sqlite-shm"]:
            (self.folder / name).unlink(missing_ok=True)
        answer = self.get("/v1/objects/Student", {"predicate": "name == 'Robert'"})
        self.assertEqual([item["object"] for item in answer.json["objects"]], ["Student/1"])


class Trimmed(support.ServedCase):
    def test_a_log_that_is_trimmed_says_where_it_begins(self):
        support.tool("trim", str(self.store), "--keep", "3")
        baseline = 6
        self.eventually(lambda: self.get("/v1/changes", {"after": 0}).status == 410)
        self.assertIn("trimmed", self.refused(self.get("/v1/changes", {"after": 0}), 410)["reason"])
        self.assertEqual(self.get("/v1/store").json["baseline"], baseline)
        events = iter(self.server.events(after=0))
        self.assertEqual(next(events), ("gap", str(baseline), '{"after":0,"through":%d}' % baseline))
        self.assertEqual(next(events)[1], str(baseline + 1))
        rest = self.get("/v1/changes", {"after": baseline}).lines
        self.assertEqual(rest[0]["source"]["sequence"], baseline + 1)
        self.assertEqual(self.get("/v1/objects/Student/1", {"as-of": 7}).json["values"]["name"], "Robert")
        self.refused(self.get("/v1/records/3"), 404)

    def test_the_baseline_is_what_the_trimmed_records_left(self):
        support.tool("trim", str(self.store), "--keep", "3")
        self.eventually(lambda: self.get("/v1/changes", {"after": 0}).status == 410)
        self.assertIn("/v1/baseline", self.refused(self.get("/v1/changes", {"after": 0}), 410)["remedy"])
        answer = self.get("/v1/baseline")
        position = int(answer.headers["Firn-Position"].split("-")[0])
        self.assertEqual(position, self.get("/v1/store").json["baseline"])
        exported = [json.loads(line) for line in support.tool("export", str(self.store)).splitlines()]
        for line in exported:
            line["source"]["store"] = "School.sqlite"
        self.assertEqual(answer.lines, [line for line in exported if line["source"]["sequence"] == position])
        self.assertEqual({line["op"] for line in answer.lines}, {"r"})
        # With the changes after it that is everything that the tool exports.
        path = answer.headers["Link"].split(">")[0][1:]
        self.assertEqual(answer.lines + self.get(path).lines, exported)

    def test_a_follower_that_begins_before_the_baseline_gets_its_state(self):
        support.tool("trim", str(self.store), "--keep", "3")
        self.eventually(lambda: self.get("/v1/changes", {"after": 0}).status == 410)
        state = {}

        def apply(line):
            source = line["source"]
            if "key" in source:
                name = f"{source['entity']}/{source['key']}"
                state[name] = {**(line["before"] or {}), **(state.get(name) or {}), **line["after"]} if line["after"] else None

        name, _, data = next(iter(self.server.events(after=0)))
        self.assertEqual(name, "gap")
        answer = self.get("/v1/baseline")
        self.assertGreaterEqual(int(answer.headers["Firn-Position"].split("-")[0]), json.loads(data)["through"])
        for line in answer.lines:
            apply(line)
        head = self.get("/v1/store").json["head"]
        for _, last_id, data in self.server.events(after=answer.headers["Firn-Position"]):
            for line in data.split("\n"):
                apply(json.loads(line))
            if int(last_id) == head:
                break
        for entity in ["Student", "Teacher", "Course"]:
            objects = {item["object"]: item["values"] for item in self.get(f"/v1/objects/{entity}").json["objects"]}
            found = {name: values for name, values in state.items() if values and name.startswith(entity)}
            self.assertEqual(found, objects)

    def test_the_baseline_can_be_filtered_and_compressed(self):
        support.tool("trim", str(self.store), "--keep", "3")
        self.eventually(lambda: self.get("/v1/changes", {"after": 0}).status == 410)
        lines = self.get("/v1/baseline", {"entity": "Teacher"}).lines
        self.assertEqual([line["source"]["entity"] for line in lines], ["Teacher"])
        self.assertEqual(len(self.get("/v1/baseline", {"object": "Student/1"}).lines), 1)
        compressed = self.get("/v1/baseline", headers={"Accept-Encoding": "gzip"})
        self.assertEqual(gzip.decompress(compressed.body), self.get("/v1/baseline").body)
        self.refused(self.get("/v1/baseline", {"after": 1}), 400)


if __name__ == "__main__":
    unittest.main()
