# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
"""Checks result files by the rules of the programs that read them; each rule names its program.
usage: consumers.py [--recorded] FILE...
--recorded: also our own rules for results that are kept. Exit code 1 and one line for each violation."""
import json
import numbers
import sys

UNITS = {"ns", "us", "ms", "s"}


def refuse(constant):
    raise ValueError("%s is no JSON" % constant)


def pairs(members):
    """serde and jansson refuse a repeated member; JSON.parse and Python keep one of them."""
    keys = [key for key, _ in members]
    twice = {key for key in keys if keys.count(key) > 1}
    if twice:
        raise ValueError("twice: %s" % ", ".join(sorted(twice)))
    return dict(members)


def number(value):
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def compare_py(document):
    """google/benchmark tools/gbench: the unit is a key of its table and equal for all rows of a
    name; the overall figure uses the logarithm of both times."""
    unit = {}
    for row in document["benchmarks"]:
        yield row["time_unit"] in UNITS, "unit"
        yield unit.setdefault(row["name"], row["time_unit"]) == row["time_unit"], "units differ"
        yield number(row["real_time"]) and row["real_time"] > 0, "real_time"
        yield number(row["cpu_time"]) and row["cpu_time"] > 0, "cpu_time"
        yield "error_occurred" not in row and "skipped" not in row, "a row without a time"


def github_action_benchmark(document):
    """src/extract.ts, extractGoogleCppResult(): a missing member becomes the text "undefined"; a file
    without rows is an error."""
    yield len(document["benchmarks"]) > 0, "no rows"
    for row in document["benchmarks"]:
        yield isinstance(row["name"], str) and row["name"] != "", "name"
        yield whole(row["iterations"]) and whole(row["threads"]), "iterations, threads"


def bencher(document):
    """lib/bencher_adapter/src/adapters/cpp/google.rs: Vec<JsonEmpty>, BenchmarkName, Decimal, Units."""
    caches = document["context"]["caches"]
    yield isinstance(caches, list) and all(isinstance(c, dict) for c in caches), "context.caches"
    for row in document["benchmarks"]:
        yield 1 <= len(row["name"]) <= 1024, "name"
        yield number(row["real_time"]) and abs(row["real_time"]) < 7.9e28, "real_time is no Decimal"


def conbench(document):
    """benchadapt/adapters/gbench.py: a row's members become keyword arguments; the benchmark's name
    ends at the first '/'; a counter called size, or of bytes or items, would replace the time."""
    taken = {"self", "size", "bytes_per_second", "items_per_second"}
    for row in document["benchmarks"]:
        yield not taken & set(row), "a member that the adapter takes for its own"
        yield row["run_type"] in ("iteration", "aggregate"), "run_type"
        yield row["name"][0] not in "/<", "name"


def recorded(document):
    """Our own: recorded files contain only iterations, all of them distinct."""
    seen = set()
    for row in document["benchmarks"]:
        key = (row["name"], row["repetition_index"])
        yield row["run_type"] == "iteration", "an aggregate"
        yield row["name"] == row["run_name"], "run_name"
        yield key not in seen, "a repetition that is there twice"
        seen.add(key)


def breaches(path, rules):
    with open(path, encoding="utf-8") as file:
        document = json.load(file, parse_constant=refuse, object_pairs_hook=pairs)
    for consumer in rules:
        bad = [what for good, what in consumer(document) if not good]
        if bad:
            yield "%s: %s: %s (%d)" % (path, consumer.__name__, bad[0], len(bad))


def main():
    failed = 0
    rules = [compare_py, github_action_benchmark, bencher, conbench]
    paths = sys.argv[1:]
    if paths[:1] == ["--recorded"]:
        rules.append(recorded)
        paths = paths[1:]
    for path in paths:
        try:
            found = list(breaches(path, rules))
        except (ValueError, KeyError, TypeError, OSError) as error:
            found = ["%s: %r" % (path, error)]
        for line in found:
            print(line)
        failed += len(found) > 0
    print("%d files, %d with breaches" % (len(paths), failed))
    return 1 if failed or not paths else 0


sys.exit(main())
