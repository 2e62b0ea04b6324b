#!/usr/bin/env python3
"""Sends each change of a served store to a webhook, in order, and survives restarts of everything.

    webhook.py http://127.0.0.1:8080 http://127.0.0.1:9000/hook --state position.json

It follows the change feed of `firn serve` with Python's standard library. After each record that the webhook has
accepted, its ID is stored in the state file. So after a crash the last record may be sent once more: each POST
carries it as `Idempotency-Key`, by which the receiver can tell.
"""

import argparse
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request

RETRY_SECONDS = [0.2, 0.5, 1, 2, 5, 10]


def load(path):
    """The ID of the last record that was delivered; 0 before the first."""
    try:
        with open(path) as file:
            return json.load(file)["position"]
    except FileNotFoundError:
        return 0


def store(path, position):
    """Replaces the state file in one step, so that a crash leaves the old one or the new one."""
    with open(path + ".new", "w") as file:
        json.dump({"position": position}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)


def events(response):
    """The events of a stream, as name, ID and data; comments have no name and no data."""
    name, last_id, data = "message", None, []
    for raw in response:
        line = raw.decode().rstrip("\n")
        if line == "":
            yield (name, last_id, "\n".join(data)) if data else (None, last_id, None)
            name, data = "message", []
        elif not line.startswith(":"):
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "data":
                data.append(value)
            elif field == "event":
                name = value
            elif field == "id":
                last_id = value


def deliver(hook, last_id, lines):
    """Posts the changes of one record, until the webhook accepts them."""
    body = json.dumps([json.loads(line) for line in lines.split("\n")]).encode()
    headers = {"Content-Type": "application/json", "Idempotency-Key": last_id}
    for attempt in range(sys.maxsize):
        try:
            with urllib.request.urlopen(urllib.request.Request(hook, body, headers), timeout=30):
                return
        except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
            print(f"record {last_id} was not accepted ({error}); trying again", file=sys.stderr)
            time.sleep(RETRY_SECONDS[min(attempt, len(RETRY_SECONDS) - 1)])


def follow(feed, hook, state, token):
    """Follows one connection until it ends."""
    headers = {"Accept": "text/event-stream"}
    if token:
        headers["Authorization"] = "Bearer " + token
    request = urllib.request.Request(f"{feed}/v1/changes?after={load(state)}", headers=headers)
    # The service sends a comment every 15 seconds: without one for a minute the connection is dead.
    with urllib.request.urlopen(request, timeout=60) as response:
        for name, last_id, data in events(response):
            if name == "gap":
                raise SystemExit(f"the history was trimmed: {data}; read the objects again, then delete {state}")
            if name == "message":
                deliver(hook, last_id, data)
            if last_id is not None:
                store(state, last_id)


def main():
    parser = argparse.ArgumentParser(description="Sends each change of a served store to a webhook.")
    parser.add_argument("feed", help="the address that firn serve printed")
    parser.add_argument("hook", help="the address that is posted to")
    parser.add_argument("--state", default="webhook.json", help="the file with the last record that was delivered")
    parser.add_argument("--token-file", help="a file with the token of the service")
    arguments = parser.parse_args()
    token = open(arguments.token_file).readline().strip() if arguments.token_file else None
    while True:
        try:
            follow(arguments.feed.rstrip("/"), arguments.hook, arguments.state, token)
        except urllib.error.HTTPError as error:
            if error.code < 500:
                raise SystemExit(f"{error.code}: {error.read().decode()}")
        except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
            print(f"the feed cannot be read ({error}); trying again", file=sys.stderr)
        time.sleep(RETRY_SECONDS[0])


if __name__ == "__main__":
    main()
