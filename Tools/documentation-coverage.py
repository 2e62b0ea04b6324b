#!/usr/bin/env python3
"""Count the public symbols that have a documentation comment.

usage: documentation-coverage.py GRAPHS [--apple LIST] [--missing]

GRAPHS holds the symbol graphs that Tools/documentation writes. A symbol that has a comment in a protocol or a superclass
needs none, and neither do compiler-made ones. With the list of Apple's symbols, ours are counted apart from Apple's.
"""
import argparse
import glob
import json
import os


def symbols(folder):
    for name in sorted(glob.glob(os.path.join(folder, "*.symbols.json"))):
        with open(name) as file:
            graph = json.load(file)
        inherits = {"overrides", "requirementOf", "defaultImplementationOf", "optionalRequirementOf"}
        inherited = {r["source"] for r in graph["relationships"] if r["kind"] in inherits and r["kind"] != "requirementOf"}
        conforming = {r["source"] for r in graph["relationships"] if "sourceOrigin" in r}
        for symbol in graph["symbols"]:
            precise = symbol["identifier"]["precise"]
            if "::SYNTHESIZED::" in precise or precise in conforming or "location" not in symbol:
                continue
            if symbol["names"]["title"].startswith(("_", "access", "firn_")):
                continue
            lines = symbol.get("docComment", {}).get("lines", [])
            documented = any(line["text"].strip() for line in lines)
            yield ".".join(symbol["pathComponents"]), symbol, documented or precise in inherited


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs")
    parser.add_argument("--apple")
    parser.add_argument("--missing", action="store_true")
    options = parser.parse_args()
    apple = set()
    if options.apple and os.path.exists(options.apple):
        with open(options.apple) as file:
            apple = {line.split("\t")[0] for line in file}
    counts = {"ours": [0, 0], "Apple's": [0, 0]}
    for path, symbol, documented in symbols(options.graphs):
        kind = "Apple's" if path in apple else "ours"
        counts[kind][0] += documented
        counts[kind][1] += 1
        if options.missing and not documented:
            place = symbol["location"]
            print(f"{kind}\t{path}\t{place['uri'].split('/Sources/')[-1]}:{place['position']['line'] + 1}")
    for kind, (documented, count) in counts.items():
        if count:
            print(f"{kind}: {documented} of {count} documented")


main()
