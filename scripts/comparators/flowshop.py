#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
"""Solves a permutation flowshop with CP-SAT of OR-Tools or with CBC, for scripts/prove.sh.

usage: flowshop.py cpsat|cbc FILE --json FILE [--time-limit S] [--threads N]

FILE has Taillard's format. The answer has status (optimal or limit), objective, bound, solution (the
order of the jobs, from 0) and nodes. The time limit counts from the start of this process, so that
building the model is part of it. CBC is the program in the environment's CBC (cbc).

CP-SAT: an interval for each job on each machine, no overlap on a machine, and one literal for each pair
of jobs that says which comes first on all machines. CBC: a binary variable for each job and position, and
the times at which the positions end on the machines (Wagner's model).
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

BEGAN = time.monotonic()


def read(path):
    """Returns time[machine][job]."""
    lines = open(path).read().split("\n")
    machines = int(lines[1].split()[1])
    return [[int(word) for word in line.split()] for line in lines[3:3 + machines]]


def lower_bound(times):
    """The bound of one machine: its work, the shortest way to it and the shortest way from it."""
    jobs, machines = range(len(times[0])), len(times)
    return max(sum(times[m]) + min(sum(times[k][j] for k in range(m)) for j in jobs) +
               min(sum(times[k][j] for k in range(m + 1, machines)) for j in jobs) for m in range(machines))


def makespan(times, order):
    front = [0] * len(times)
    for job in order:
        before = 0
        for m, row in enumerate(times):
            before = front[m] = max(front[m], before) + row[job]
    return front[-1]


def answer(times, order, bound, optimal, nodes):
    objective = makespan(times, order) if order else None
    return {"status": "optimal" if optimal else "limit", "objective": objective, "bound": bound,
            "solution": order, "nodes": nodes}


def seconds_left(limit):
    return max(0.1, limit - (time.monotonic() - BEGAN))


def cpsat(times, limit, threads):
    from ortools.sat.python import cp_model
    machines, jobs = len(times), len(times[0])
    horizon = makespan(times, range(jobs))
    model = cp_model.CpModel()
    start = [[model.new_int_var(0, horizon, "") for _ in range(jobs)] for _ in range(machines)]
    end = model.new_int_var(lower_bound(times), horizon, "")
    for m in range(machines):
        model.add_no_overlap([model.new_fixed_size_interval_var(start[m][j], times[m][j], "") for j in range(jobs)])
        for j in range(jobs):
            after = start[m + 1][j] if m + 1 < machines else end
            model.add(after >= start[m][j] + times[m][j])
    for i in range(jobs):
        for j in range(i):
            first = model.new_bool_var("")
            for m in range(machines):
                model.add(start[m][j] >= start[m][i] + times[m][i]).only_enforce_if(first)
                model.add(start[m][i] >= start[m][j] + times[m][j]).only_enforce_if(first.Not())
    model.minimize(end)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = threads
    solver.parameters.max_time_in_seconds = seconds_left(limit)
    status = solver.solve(model)
    order = []
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        order = sorted(range(jobs), key=lambda j: [solver.value(row[j]) for row in reversed(start)])
    return answer(times, order, math.ceil(solver.best_objective_bound - 1e-6), status == cp_model.OPTIMAL,
                  solver.num_branches)


def write_program(times, file):
    """Writes the model in CPLEX's LP format."""
    machines, jobs = len(times), len(times[0])
    print("Minimize\n makespan: e%d_%d\nSubject To" % (machines - 1, jobs - 1), file=file)
    for k in range(jobs):
        print(" + ".join("x%d_%d" % (j, k) for j in range(jobs)), "= 1", file=file)
    for j in range(jobs):
        print(" + ".join("x%d_%d" % (j, k) for k in range(jobs)), "= 1", file=file)
    for m in range(machines):
        for k in range(jobs):
            # a position ends no earlier than the one before it, and than the same on the machine before
            for before in [(m, k - 1)] if k else []:
                position(times, m, k, "- e%d_%d" % before, file)
            position(times, m, k, "- e%d_%d" % (m - 1, k) if m else "", file)
    print("e%d_%d >= %d\nBinary" % (machines - 1, jobs - 1, lower_bound(times)), file=file)
    for j in range(jobs):
        print(" ".join("x%d_%d" % (j, k) for k in range(jobs)), file=file)
    print("End", file=file)


def position(times, m, k, before, file):
    print("e%d_%d" % (m, k), before, *("- %d x%d_%d" % (t, j, k) for j, t in enumerate(times[m])), ">= 0", file=file)


def cbc(times, limit, threads):
    jobs = range(len(times[0]))
    with tempfile.TemporaryDirectory() as folder:
        program, found = folder + "/model.lp", folder + "/found.txt"
        with open(program, "w") as file:
            write_program(times, file)
        run = subprocess.run([os.environ.get("CBC", "cbc"), program, "-seconds", "%.1f" % seconds_left(limit),
                              "-timeMode", "elapsed", "-threads", str(threads), "-ratio", "0", "-allow", "0", "-solve",
                              "-solution", found], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode or not os.path.exists(found):
            sys.exit("cbc failed: " + "".join(run.stdout.strip().split("\n")[-1:]))
        lines = open(found).read().split("\n")
    place = {}
    for line in lines[1:]:
        words = [w for w in line.split() if w != "**"]
        if len(words) > 2 and words[1].startswith("x") and float(words[2]) > 0.5:
            job, k = words[1][1:].split("_")
            place[int(job)] = int(k)
    order = sorted(jobs, key=place.get) if len(set(place.values())) == len(jobs) else []
    optimal = lines[0].startswith("Optimal") and bool(order)
    bound, nodes = lower_bound(times), None
    for line in run.stdout.split("\n"):
        if line.startswith("Lower bound:"):
            bound = max(bound, math.ceil(float(line.split()[-1]) - 1e-4))
        if line.startswith("Enumerated nodes:"):
            nodes = int(line.split()[-1])
    return answer(times, order, makespan(times, order) if optimal else bound, optimal, nodes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("solver", choices=["cpsat", "cbc"])
    parser.add_argument("file")
    parser.add_argument("--json", required=True)
    parser.add_argument("--time-limit", type=float, default=60)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    given = parser.parse_args()
    solve = {"cpsat": cpsat, "cbc": cbc}[given.solver]
    result = solve(read(given.file), given.time_limit, given.threads)
    with open(given.json, "w") as file:
        json.dump(result, file)


if __name__ == "__main__":
    main()
