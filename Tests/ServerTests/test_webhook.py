"""The example that follows the feed, killed and restarted while the service and the receiver are too."""

import http.server
import json
import pathlib
import subprocess
import sys
import threading
import unittest

import support

PROGRAM = support.ROOT / "Examples/Webhook/webhook.py"


class Receiver(http.server.ThreadingHTTPServer):
    """Keeps what is posted; refuses every third delivery."""

    def __init__(self):
        self.keys, self.changes, self.count = [], {}, 0
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.count += 1
        if self.server.count % 3 == 0:
            return self.send_error(503)
        key = int(self.headers["Idempotency-Key"].split("-")[0])
        self.server.keys.append(key)
        self.server.changes[key] = body
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        pass


class Webhook(support.ServedCase):
    def start(self):
        hook = f"http://127.0.0.1:{self.receiver.server_port}/hook"
        return subprocess.Popen(
            [sys.executable, PROGRAM, self.server.address, hook, "--state", str(self.folder / "position.json")],
            stderr=subprocess.DEVNULL)

    def test_everything_is_delivered_in_order(self):
        self.receiver = Receiver()
        follower = self.start()
        try:
            self.eventually(lambda: len(self.receiver.changes) >= 3)
            follower.kill()
            follower.wait()
            self.server.restart()
            follower = self.start()
            self.eventually(lambda: len(self.receiver.changes) >= 6)
            self.server.restart()
            head = self.get("/v1/store").json["head"]
            support.Lines(head + 1).save("zoe", 300).create("Student", support.new_key(), name="Last").write(self.store)
            self.eventually(lambda: head + 1 in self.receiver.changes, 30)
        finally:
            follower.kill()
            follower.wait()
            self.receiver.shutdown()
            self.receiver.server_close()
        self.assertEqual(sorted(self.receiver.changes), list(range(2, head + 2)))
        self.assertEqual(self.receiver.keys, sorted(self.receiver.keys), "in order")
        delivered = [change for key in sorted(self.receiver.changes) for change in self.receiver.changes[key]]
        self.assertEqual(delivered, self.get("/v1/changes").lines)


if __name__ == "__main__":
    unittest.main()
