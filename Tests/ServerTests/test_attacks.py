"""What a hostile client may try: each is answered with a 4xx and a reason, or its connection is closed."""

import base64
import os
import socket
import time
import unittest

import support


class Hostile(support.ServedCase):
    arguments = ("--query-timeout", "1")

    @classmethod
    def make(cls, store):
        super().make(store)
        # Enough rows that a question can take long.
        head = cls.lines.sequence
        lines = support.Lines(head + 1).save("importer", 300)
        for key in range(1000, 9000):
            lines.create("Student", key, name="a" * 60 + str(key), grade=key % 10)
        lines.write(store)

    def raw(self, data, timeout=10):
        """Sends bytes and reads until the server closes, or the time is over."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=timeout) as connection:
            try:
                connection.sendall(data)
                answer = b""
                while chunk := connection.recv(65536):
                    answer += chunk
            except (ConnectionError, TimeoutError):
                pass
            return answer

    def tearDown(self):
        self.assertEqual(self.get("/healthz").status, 200, "the server survives")

    def test_a_foreign_name_is_refused(self):
        for host in ["evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "0x7f.1", "x"]:
            with self.subTest(host=host):
                self.refused(self.get("/v1/store", headers={"Host": host}), 421)

    def test_an_address_and_localhost_are_answered(self):
        for host in ["localhost:99", "127.0.0.1", "[::1]:5", "LOCALHOST"]:
            with self.subTest(host=host):
                self.assertEqual(self.get("/v1/store", headers={"Host": host}).status, 200)

    def test_no_name_at_all_is_refused(self):
        self.assertIn(b" 400 ", self.raw(b"GET /v1/store HTTP/1.1\r\nConnection: close\r\n\r\n"))

    def test_a_host_is_a_name_or_address_and_a_port_and_nothing_else(self):
        for host in ["[::1]evil", "[::1]evil.example:80", "[::1", "[127.0.0.1]", "localhost:80evil", "127.0.0.1:x", "user@127.0.0.1",
                     "localhost/evil", "127.0.0.1 evil", "localhost,evil.example", "[::1%25eth0]", "[]", "::1", "localhost:8:8"]:
            with self.subTest(host=host):
                self.refused(self.get("/v1/store", headers={"Host": host}), 421)

    def test_two_hosts_are_refused(self):
        for first, second in [("localhost", "evil.example"), ("evil.example", "localhost"), ("localhost", "localhost")]:
            with self.subTest(first=first, second=second):
                request = f"GET /v1/store HTTP/1.1\r\nHost: {first}\r\nHOST: {second}\r\nConnection: close\r\n\r\n"
                self.assertRegex(self.raw(request.encode())[:20], rb" 4\d\d ")

    def test_a_target_that_is_no_path_is_refused(self):
        for target in ["http://evil.example/v1/store", "http://localhost/v1/store", "https://localhost/", "ftp://x/v1/store", "v1/store",
                       "localhost:80", "HTTP://localhost/v1/store", "*", "http:/v1/store", "file:///v1/store"]:
            with self.subTest(target=target):
                request = f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                self.assertRegex(self.raw(request.encode())[:20], rb" 4\d\d |^$")

    def test_pages_of_other_origins_are_refused(self):
        for headers in [{"Origin": "http://evil.example"}, {"Origin": "null"},
                        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"},
                        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}]:
            with self.subTest(headers=headers):
                self.refused(self.get("/v1/store", headers=headers), 403)

    def test_the_own_origin_is_answered(self):
        host = f"127.0.0.1:{self.server.port}"
        self.assertEqual(self.get("/v1/store", headers={"Origin": "http://" + host, "Host": host}).status, 200)

    def test_no_answer_lets_another_origin_read_it(self):
        headers = self.get("/v1/store").headers
        self.assertIsNone(headers["Access-Control-Allow-Origin"])
        self.assertIsNone(headers["Set-Cookie"])
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertNotIn("unsafe", headers["Content-Security-Policy"])

    def test_nothing_is_written(self):
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]:
            for path in ["/v1/changes", "/", "/v1/objects/Student/1"]:
                with self.subTest(method=method, path=path):
                    answer = self.get(path, method=method, body="x=1")
                    self.refused(answer, 405)
                    self.assertEqual(answer.headers["Allow"], "GET, HEAD")

    def test_paths_lead_to_no_file(self):
        for path in ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/v1/objects/..%2f..%2fetc/1", "/style.css/../x",
                     "//etc/passwd", "/v1/records/..", "/v1/objects/%2e%2e/%2e%2e", "/School.sqlite", "/v1/objects/Student/1%00"]:
            with self.subTest(path=path):
                answer = self.get(path)
                self.assertIn(answer.status, (400, 404), answer.text)
                self.assertNotIn("root:", answer.text)

    def test_huge_numbers_are_refused(self):
        huge = ["18446744073709551615", "18446744073709551616", "9223372036854775807", "9" * 400]
        for number in huge:
            for path, query in [("/v1/changes", {"after": number}), ("/v1/changes", {"limit": number}),
                                ("/v1/diff", {"from": number}), ("/v1/objects/Student", {"as-of": number}),
                                ("/v1/objects/Student", {"offset": number}), ("/v1/records/" + number, None),
                                ("/v1/objects/Student/" + number, None)]:
                with self.subTest(path=path, query=query):
                    self.assertIn(self.get(path, query).status, (400, 404))
            for path, query in [("/", {"before": number}), ("/records", {"after": number}), ("/", {"to": number}),
                                ("/", {"from": number}), ("/compare", {"from": number}), ("/objects/Student", {"as-of": number})]:
                with self.subTest(path=path, query=query):
                    self.assertIn(self.get(path, query).status, (200, 400, 404))

    def test_a_long_predicate_is_refused(self):
        for predicate in ["(" * 3000 + "1 == 1" + ")" * 1000, "NOT " * 1000 + "TRUEPREDICATE", "name == 'x' AND " * 100 + "TRUEPREDICATE"]:
            with self.subTest(predicate=predicate[:20]):
                self.assertIn(self.get("/v1/objects/Student", {"predicate": predicate}).status, (200, 400, 503))
        self.refused(self.get("/v1/objects/Student", {"predicate": "x" * 5000}), 400)

    def test_a_question_that_takes_long_is_cancelled(self):
        # On each of eight thousand texts this takes some milliseconds.
        predicate = "name MATCHES '.*.*.*.*b'"
        begun = time.monotonic()
        self.refused(self.get("/v1/objects/Student", {"predicate": predicate}, timeout=60), 503)
        self.assertLess(time.monotonic() - begun, 5)
        self.assertRegex(self.get("/metrics").text, r"\nfirn_queries_cancelled_total [1-9]")

    def test_a_pattern_that_takes_long_on_one_text_is_refused(self):
        for pattern in ["(a*)*(a*)*b", "(a+)+b", "["]:
            with self.subTest(pattern=pattern):
                self.refused(self.get("/v1/objects/Student", {"predicate": "name MATCHES %@", "arguments": f'["{pattern}"]'}), 400)

    def test_a_page_does_not_repeat_a_long_predicate(self):
        page = self.get("/objects/Student", {"predicate": f"name != '{chr(0x96ea) * 670}'"})
        self.assertEqual(page.status, 200)
        self.assertIn('data-name="name"', page.text)
        # In a link to the next page, and not in one of each column.
        self.assertEqual(page.text.count("%E9"), 670)

    def test_predicates_run_no_code(self):
        for predicate in ["FUNCTION(self, 'delete') == 1", "FUNCTION('x', 'writeToFile:', '/tmp/x') == 1",
                          "CAST('x', 'NSTask') != nil", "name == $x", "BLOCKPREDICATE(1)"]:
            with self.subTest(predicate=predicate):
                self.refused(self.get("/v1/objects/Student", {"predicate": predicate}), 400)

    def test_values_are_text_on_a_page(self):
        head = self.get("/v1/store").json["head"]
        name = "<script>alert(1)</script>\"'&"
        key = support.new_key()
        support.Lines(head + 1).save(name, 400).create("Student", key, name=name).write(self.store)
        for path in ["/", f"/records/{head + 1}", f"/objects/Student/{key}", f"/compare?from={head}",
                     "/?text=%3Cscript%3E", "/?author=%22%3E%3Cscript%3E", "/objects/Student?sort=name"]:
            with self.subTest(path=path):
                self.assertNotIn("<script>alert", self.get(path).text)
                self.assertNotIn('"><script>', self.get(path).text)

    def test_many_header_fields_are_refused(self):
        fields = b"".join(b"X-%d: y\r\n" % number for number in range(500))
        self.assertRegex(self.raw(b"GET /v1/store HTTP/1.1\r\nHost: localhost\r\n" + fields + b"\r\n")[:20], rb" 4\d\d |^$")

    def test_a_long_header_field_is_refused(self):
        self.assertRegex(
            self.raw(b"GET /v1/store HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 200_000 + b"\r\n\r\n")[:20], rb" 4\d\d |^$")

    def test_a_long_address_is_refused(self):
        self.assertRegex(self.raw(b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")[:20], rb" 4\d\d |^$")

    def test_nonsense_is_refused(self):
        for data in [b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n", b"\x00" * 1000, b"GET / HTTP/9.9\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nzzz"]:
            with self.subTest(data=data[:20]):
                self.assertNotIn(b" 500 ", self.raw(data, timeout=2)[:20])

    def test_a_body_is_not_read_into_memory(self):
        before = self.server.memory()
        head = b"POST /v1/changes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000000\r\n\r\n"
        self.raw(head + b"x" * 20_000_000, timeout=5)
        self.assertLess(self.server.memory() - before, 15_000_000)


class Limits(support.ServedCase):
    """What walks over the log ends when its time is over, as a predicate does."""

    arguments = ("--query-timeout", "0.001")

    @classmethod
    def make(cls, store):
        super().make(store)
        lines = support.Lines(cls.lines.sequence + 1)
        for key in range(1000, 4000):
            lines.save("importer", 300).create("Student", key, name=str(key))
        lines.write(store)

    def cancelled(self):
        return int(self.get("/metrics").text.split("\nfirn_queries_cancelled_total ")[1].split()[0])

    def test_a_comparison_that_takes_long_is_cancelled(self):
        before = self.cancelled()
        self.refused(self.get("/v1/diff", {"from": 1}), 503)
        self.assertEqual(self.get("/compare", {"from": 1}).status, 503)
        self.assertEqual(self.cancelled(), before + 2)

    def test_a_history_that_takes_long_is_cancelled(self):
        before = self.cancelled()
        self.refused(self.get("/v1/objects/Student/1/history"), 503)
        self.assertEqual(self.cancelled(), before + 1)

    def test_a_search_in_the_timeline_that_takes_long_is_cancelled(self):
        self.assertEqual(self.get("/", {"author": "nowhere"}).status, 503)


class Slow(support.ServedCase):
    def test_a_request_that_never_ends_is_closed(self):
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as connection:
            begun = time.monotonic()
            connection.sendall(b"GET /v1/store HTTP/1.1\r\nHost: localhost\r\n")
            try:
                while time.monotonic() - begun < 55:
                    connection.settimeout(1)
                    try:
                        if connection.recv(100) == b"":
                            break
                    except TimeoutError:
                        connection.sendall(b"X: y\r\n")
            except ConnectionError:
                pass
            self.assertLess(time.monotonic() - begun, 45)

    def test_idle_connections_cost_little_and_end(self):
        count = int(os.environ.get("FIRN_IDLE", "500"))
        before = self.server.memory()
        connections = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(count)]
        try:
            self.assertEqual(self.get("/v1/store").status, 200)
            self.assertLess((self.server.memory() - before) / count, 60_000)
            begun = time.monotonic()
            connections[0].settimeout(60)
            self.assertEqual(connections[0].recv(1), b"")
            self.assertLess(time.monotonic() - begun, 45)
        finally:
            for connection in connections:
                connection.close()

    def test_a_client_that_does_not_read_its_response_is_closed(self):
        self.write_megabytes(5)
        sizes = {path: len(self.get(path, timeout=60).body) for path in ["/v1/changes?limit=100000", "/v1/objects/Course?limit=1000"]}
        connections = {}
        for path in sizes:
            connection = connections[path] = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", self.server.port))
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        time.sleep(40)
        for path, connection in connections.items():
            with self.subTest(path=path), connection:
                connection.settimeout(10)
                received = 0
                try:
                    while data := connection.recv(1 << 20):
                        received += len(data)
                except ConnectionError:
                    pass
                self.assertLess(received, sizes[path])

    def write_megabytes(self, count):
        """Saves courses with titles of 100 KB, and waits until the service has seen them."""
        sequence = self.get("/v1/store").json["head"]
        title = "x" * 100_000
        lines = support.Lines(sequence + 1)
        for number in range(10 * count):
            lines.save("ann", 500).create("Course", support.new_key(), title=f"{number} {title}")
        lines.write(self.store)
        self.eventually(lambda: self.get("/v1/store").json["head"] >= sequence + 10 * count)
        # The followers are served after that.
        time.sleep(2)

    def test_a_follower_that_does_not_read_costs_no_memory(self):
        with socket.create_connection(("127.0.0.1", self.server.port)) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(b"GET /v1/changes?after=0 HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
            # 30 MB go by twice. The first time fills what all followers share, a ring of 8 MB, and what the allocator keeps.
            self.write_megabytes(30)
            before = self.server.memory()
            self.write_megabytes(30)
            self.assertLess(self.server.memory() - before, 15_000_000)
            self.assertLess(self.server.memory(), 160_000_000)


    def test_a_follower_that_reads_a_byte_a_second_costs_no_memory(self):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", self.server.port))
        self.addCleanup(connection.close)
        connection.sendall(b"GET /v1/changes?after=head HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        memory = []
        for part in range(4):
            sequence = self.get("/v1/store").json["head"]
            lines = support.Lines(sequence + 1)
            for number in range(200):
                lines.save("ann", 600).create("Course", support.new_key(), title=f"{number} " + "y" * 100_000)
            lines.write(self.store)
            self.eventually(lambda: f"firn_head_record {sequence + 200}\n" in self.get("/metrics").text)
            self.assertEqual(len(connection.recv(1)), 1)
            time.sleep(1)
            memory.append(self.server.memory())
        # After the first 40 MB the ring, and what the allocator keeps, are full. 40 MB more go by.
        self.assertLess(memory[-1] - memory[1], 15_000_000, memory)


class Tokens(support.ServedCase):
    @classmethod
    def setUpClass(cls):
        import pathlib, tempfile
        cls.token = "0123456789abcdef0123456789abcdef"
        folder = pathlib.Path(tempfile.mkdtemp())
        (folder / "token").write_text(cls.token + "\n")
        cls.arguments = ("--host", "0.0.0.0", "--token-file", str(folder / "token"), "--allow-host", "history.example")
        super().setUpClass()

    def test_no_token_or_a_wrong_one_is_refused(self):
        wrong = [None, "Bearer x", "Bearer " + self.token[:-1], "Bearer " + self.token + "0", "Bearer ", self.token, "Basic !!"]
        for value in wrong:
            for path in ["/v1/store", "/v1/changes", "/", "/metrics", "/style.css"]:
                with self.subTest(value=value, path=path):
                    answer = self.get(path, headers={"Authorization": value} if value else {})
                    self.refused(answer, 401)
                    self.assertIn("Basic", answer.headers["WWW-Authenticate"])

    def test_the_token_opens_as_bearer_and_as_password(self):
        basic = base64.b64encode(f"me:{self.token}".encode()).decode()
        for value in ["Bearer " + self.token, "bearer " + self.token, "Basic " + basic]:
            self.assertEqual(self.get("/v1/store", headers={"Authorization": value}).status, 200)

    def test_a_name_that_was_allowed_is_answered(self):
        headers = {"Authorization": "Bearer " + self.token, "Host": "History.example"}
        self.assertEqual(self.get("/v1/store", headers=headers).status, 200)
        self.refused(self.get("/v1/store", headers={**headers, "Host": "other.example"}), 421)

    def test_what_a_token_opens_is_for_no_shared_cache(self):
        answer = self.get("/v1/records/4", headers={"Authorization": "Bearer " + self.token})
        self.assertTrue(answer.headers["Cache-Control"].startswith("private"))


class ServerWithoutTemporaryFolder(support.Server):
    """The folder for temporary files cannot be used."""

    def command(self):
        return ["env", "TMPDIR=/dev/null/none", *super().command()]

    def start(self):
        self.errors = open("/dev/full", "r+b", buffering=0)
        super().start()


class WithoutTemporaryFolder(support.ServedCase):
    def test_questions_are_answered_without_the_folder_for_temporary_files(self):
        server = ServerWithoutTemporaryFolder(self.store)
        try:
            for path in ["/v1/objects/Student?as-of=3", "/v1/changes", "/"]:
                self.assertEqual(server.get(path).status, 200)
        finally:
            server.close()


class Beginnings(unittest.TestCase):
    def run_program(self, *arguments):
        import subprocess
        return subprocess.run([support.PROGRAMS / "firn-serve", *arguments], capture_output=True, text=True, timeout=20)

    def test_other_machines_need_a_token(self):
        result = self.run_program("x.sqlite", "--host", "0.0.0.0")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("--token-file", result.stderr)

    def test_a_short_token_is_refused(self):
        import tempfile
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("short\n")
            file.flush()
            result = self.run_program("x.sqlite", "--token-file", file.name)
        self.assertEqual(result.returncode, 2)
        self.assertIn("at least 16", result.stderr)

    def test_a_store_that_is_not_there_is_named(self):
        result = self.run_program("/nowhere/x.sqlite")
        self.assertEqual(result.returncode, 2)
        self.assertIn("/nowhere/x.sqlite", result.stderr)


if __name__ == "__main__":
    unittest.main()
