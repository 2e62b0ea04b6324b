"""The history of a table, kept by DoltLite, for the workload `versions` of `Tools/bench`.

    python3 history-in-doltlite.py FOLDER ROWS COMMITS

Prints the figures as JSON: milliseconds, and bytes of the database's files. `rows` are what each side must find.
"""

import json
import os
import statistics
import sys
import time

import doltlite  # noqa: F401  Puts its library in the place of SQLite's, before that is loaded.
import sqlite3

folder, rows, commits = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
EACH = 10
columns = "abcdefghij"


def value(row, column):
    mixed = (row * 10 + column + 1) * 0x9E3779B97F4A7C15 % (1 << 64)
    return (mixed - (1 << 64) if mixed >> 63 else mixed) >> (20 + column * 4)


def milliseconds(body):
    start = time.perf_counter()
    result = body()
    return (time.perf_counter() - start) * 1e3, result


def size():
    return sum(entry.stat().st_size for entry in os.scandir(folder))


database = sqlite3.connect(os.path.join(folder, "history.db"), isolation_level=None)
execute = database.execute


def one(sql, *values):
    return execute(sql, values).fetchone()


def commit(message):
    return one("SELECT dolt_commit('-A', '-m', ?)", message)[0]


execute(f"CREATE TABLE item(id INTEGER PRIMARY KEY, {', '.join(columns)})")
execute("BEGIN")
database.executemany(
    f"INSERT INTO item({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
    ([value(row, column) for column in range(len(columns))] for row in range(rows)))
execute("COMMIT")
hashes = [commit("rows")]
before = size()


def change(number):
    execute("BEGIN")
    for index in range(EACH):
        execute("UPDATE item SET a = ? WHERE id = ?", (number, (number * EACH + index) * 7919 % rows + 1))
    execute("COMMIT")
    hashes.append(commit("changes"))


seconds, _ = milliseconds(lambda: [change(number) for number in range(commits)])
figures = {"a commit, ms": seconds / commits, "a change, bytes": (size() - before) / (commits * EACH)}
middle = commits // 2
row = (middle * EACH) * 7919 % rows + 1


def count(at):
    return one("SELECT count(*), sum(a) FROM dolt_at_item(?)", hashes[at])


figures["first count as of, ms"], counted = milliseconds(lambda: count(middle))
points = [middle + number for number in range(1, 6)]
figures["next counts as of, ms"] = statistics.median(milliseconds(lambda: count(at))[0] for at in points)
figures["a row as of, ms"], found = milliseconds(
    lambda: one("SELECT a FROM dolt_at_item(?) WHERE id = ?", hashes[middle + 1], row))
figures["a row's history, ms"], versions = milliseconds(
    lambda: one("SELECT count(DISTINCT a) FROM dolt_history_item WHERE id = ?", row))
figures["difference of two points, ms"], difference = milliseconds(
    lambda: one("SELECT count(*) FROM dolt_diff_item WHERE from_commit = ? AND to_commit = ?",
                hashes[middle], hashes[middle + 1]))
print(json.dumps({"figures": figures, "rows": [*counted, *found, *versions, *difference]}))
