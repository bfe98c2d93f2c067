# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
"""The optima of small instance files by trying everything; shares no code with copra.

usage: samples.py KIND FILE [ANSWER.json]
prints the optimum, then, if an answer is given, the value of its solution
KIND: taillard, vfr, jobs-by-machines, machines-by-jobs, knapsack, atsp, maxsat, samegame
"""
import functools
import itertools
import json
import sys


def numbers(path):
    lines = [l.split("#")[0].replace(",", " ").split() for l in open(path)]
    return [[int(x) for x in l] for l in lines if l]


# ---- flowshop: times[job][machine] ----

def makespan(times, order):
    done = [0] * len(times[0])
    for job in order:
        ready = 0
        for k, t in enumerate(times[job]):
            ready = done[k] = max(ready, done[k]) + t
    return done[-1]


def flowshop(times):
    return (min(makespan(times, p) for p in itertools.permutations(range(len(times)))),
            lambda s: makespan(times, s) if sorted(s) == list(range(len(times))) else None)


def taillard(path):
    rows = [[int(x) for x in l.split()] for l in open(path).readlines()[3:]]
    return flowshop(list(zip(*rows)))


def vfr(path):
    return flowshop([row[1::2] for row in numbers(path)[1:]])


# ---- the others ----

def knapsack(path):
    rows = numbers(path)
    if len(rows[0]) == 1:  # n, lines of index, profit and weight, the capacity
        items, capacity = [r[1:] for r in rows[1:-1]], rows[-1][0]
    else:
        items, capacity = rows[1:], rows[0][1]

    def value(chosen):
        fits = sum(items[i][1] for i in chosen) <= capacity and len(set(chosen)) == len(chosen)
        return sum(items[i][0] for i in chosen) if fits else None
    subsets = (c for k in range(len(items) + 1)
               for c in itertools.combinations(range(len(items)), k))
    return max(v for v in map(value, subsets) if v is not None), value


def atsp(path):
    rows = [l.split() for l in open(path)]
    start = next(i for i, l in enumerate(rows) if l and l[0].startswith("EDGE_WEIGHT_SECTION"))
    cost = [[int(x) for x in l] for l in rows[start + 1:] if l and l[0] != "EOF"]

    def length(tour):
        if sorted(tour) != list(range(len(cost))):
            return None
        return sum(cost[a][b] for a, b in zip(tour, tour[1:] + tour[:1]))
    rest = range(1, len(cost))
    return min(length([0, *p]) for p in itertools.permutations(rest)), length


def maxsat(path):
    top, clauses, form = None, [], "2022"
    for line in open(path):
        words = line.split()
        if not words or words[0] == "c":
            continue
        if words[0] == "p":
            form = words[1]
            top = int(words[4]) if len(words) > 4 else None
            continue
        weight = 1
        if form != "cnf":
            first = words.pop(0)
            weight = None if first == "h" or int(first) == top else int(first)
        clauses.append((weight, [int(x) for x in words[:-1]]))
    variables = max(abs(l) for _, c in clauses for l in c)

    def value(bits):
        sum_of = 0
        for weight, clause in clauses:
            if any(bits[abs(l) - 1] == (l > 0) for l in clause):
                sum_of += weight or 0
            elif weight is None:
                return None
        return sum_of
    values = map(value, itertools.product((0, 1), repeat=variables))
    return max(v for v in values if v is not None), value


def samegame(path):
    rows = [l.strip() for l in open(path) if l.strip() and l[0] != "#"]
    height = len(rows)
    # columns from the bottom to the top
    board = tuple("".join(rows[r][c] for r in reversed(range(height)))
                  for c in range(len(rows[0])))

    def group(b, c, r):
        found, todo = set(), [(c, r)]
        while todo:
            x, y = todo.pop()
            if (x, y) in found or not (0 <= x < len(b) and 0 <= y < len(b[x])) or b[x][y] != b[c][r]:
                continue
            found.add((x, y))
            todo += [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
        return frozenset(found)

    def play(b, g):
        left = ("".join(s for y, s in enumerate(col) if (x, y) not in g) for x, col in enumerate(b))
        return tuple(col for col in left if col)

    def end(b):
        if not b:
            return 1000
        return -sum((sum(col.count(s) for col in b) - 2) ** 2 for s in set("".join(b)))

    @functools.lru_cache(None)
    def best(b):
        groups = {group(b, x, y) for x in range(len(b)) for y in range(len(b[x]))}
        moves = [(len(g) - 2) ** 2 + best(play(b, g)) for g in groups if len(g) > 1]
        return max(moves) if moves else end(b)

    def score(moves):
        b, total = board, 0
        for cell in moves:
            row, column = divmod(cell, len(rows[0]))
            g = group(b, column, height - 1 - row)
            if len(g) < 2:
                return None
            total += (len(g) - 2) ** 2
            b = play(b, g)
        return total + end(b)
    return best(board), score


KINDS = {"taillard": taillard, "vfr": vfr, "knapsack": knapsack, "atsp": atsp, "maxsat": maxsat,
         "samegame": samegame, "jobs-by-machines": lambda p: flowshop(numbers(p)),
         "machines-by-jobs": lambda p: flowshop(list(zip(*numbers(p))))}

if __name__ == "__main__":
    optimum, value = KINDS[sys.argv[1]](sys.argv[2])
    print(optimum, *(value(json.load(open(f))["solution"]) for f in sys.argv[3:]))
