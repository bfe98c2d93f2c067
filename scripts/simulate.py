#!/usr/bin/env python3
# Runs searches on simulated clusters and writes results/simulated/helbecque-pool/*.csv, the source of
# the tables of the report that are marked SIMULATED.
# usage: simulate.py FOLDER [EXPERIMENT...]   (make simulate). FOLDER: build/simulate
# environment: SIMULATE=quick, a part of the runs, written to FOLDER/quick; JOBS, runs at a time.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
import csv
import datetime
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(ROOT, "results/simulated/helbecque-pool")
TREES = os.path.join(ROOT, "results/simulated/trees")
GPUS = 8

# ---- parameters, each with its source ----

# One-way latency of a small message (seconds) and bandwidth of a node (bytes/s).
LATENCY = 2e-6  # assumed: see platform(); the experiment `sensitivity` varies it
BANDWIDTH = 25e9  # one of a node's four ports of 200 Gbit/s (docs.lumi-supercomputer.eu, "Network")
LEAST, CHUNK = 50, 500_000  # m and M: Helbecque et al. 2025, section 4.4
# Fixed time of a chunk: Table 4, ta030 on one GPU. Between M = 100,000 and M = 50,000 it takes 132 more
# chunks of its 13,228,600 nodes, and 9.78 - 9.55 s more (m = 50).
OVERHEAD = (9.78 - 9.55) / (13_228_600 / 50_000 - 13_228_600 / 100_000)
# Bounds per second of one core in the sequential parts: 98,424,359 bounds of ta029 by the authors' C
# program took 1801.9 s at 55 % of a core. Measured on a Xeon, not on LUMI.
BOUNDS = 98_424_359 / (1801.9 * 0.55)
QUEENS = 6.0e6  # nodes/s of one core: the authors' C program, 14 queens, measured in the same way
POLL, SLICE, PERIOD, TRIES = 0.001, 0.05, 0.002, 2  # cluster_search.c

# instance: explored nodes (Tables 1 and 2)
TREE = {
    "ta021": 3_944_527_267,
    "ta024": 2_173_092_255,
    "ta026": 514_453_278,
    "19Q": 461_939_618_823,
    "18Q": 59_365_844_490,
    "17Q": 8_017_021_931,
}
# bounds that the breadth-first part evaluates until m * 8 * nodes nodes are pending (record.c, exact)
START = {
    "ta026": {1: 649, 2: 1423, 4: 2845, 8: 6413, 16: 15049, 32: 29584, 64: 67116, 128: 150364},
    "ta024": {1: 629, 2: 1259, 4: 2627, 8: 5881, 16: 12392, 32: 24649, 64: 48466, 128: 114626},
    "ta021": {1: 454, 2: 976, 4: 1894, 8: 3820, 16: 7801, 32: 17185, 64: 34627, 128: 70531},
}
# bounds evaluated for what 1,024 pools leave: ta026, 9,588 nodes with 41 below them (record.c, exact);
# taken for all instances, in proportion to the number of pools
LEFT = 43_237 / 1024
NODES = [1, 8, 16, 32, 64, 128]  # of Table 6
# How subtrees divide: flowshop, means over nodes with 1e5 to 1e8 nodes below them in the recorded ta026
# (13 to 17 children, sum of squared shares 0.19 to 0.25); queens, 10 queens completely (0.20).
SHAPE = {"flowshop": (14, 1.2), "queens": (8, 0.3)}
# An H200: nodes/s of one GPU (results/recorded/h200-x1 and -x4): 19 queens 2.28e12, ta056 1.7e11 nodes in
# 18.3 s. Trees: ta056; 24 queens at 117 nodes a solution (Table 2: 75 for 15 queens to 93 for 19, so an
# estimate) and 227,514,171,973,736 solutions (OEIS A000170); ta058 in Gmys 2022: 339e12 nodes.
H200_RATE = {"flowshop": 1.7e11 / 18.3, "queens": 2.28e12}
H200_TREE = {"ta056": int(1.7e11), "24Q": 117 * 227_514_171_973_736, "3.4e14 nodes": int(3.39e14)}
STEP = 0.01  # seconds of a step: an assumption; the engine looks for a stop between its device steps
RESTART = 0.029  # start of an engine: ta021 on an H200 takes 159 ms, of which the search takes 130 ms
# Flowshop: M = 50,000 costs 4 % on one GPU (Table 4), and a step is ten times shorter. Queens: the paper's M.
OUR_CHUNK = {"flowshop": GPUS * 50_000, "queens": GPUS * CHUNK}


def paper_table(number):
    with open(os.path.join(ROOT, f"results/papers/helbecque-pool/table{number}.csv")) as f:
        return {row["instance"]: row for row in csv.DictReader(x for x in f if not x.startswith("#"))}


TABLE6, TABLE8 = paper_table(6), paper_table(8)


def kind(instance):
    return "queens" if instance.endswith("Q") else "flowshop"


def paper_rate(instance, nodes):
    return float(TABLE6[instance][f"node{nodes}_kn_s"]) * 1000


def paper_seconds(instance, nodes):
    return TREE[instance] / paper_rate(instance, nodes)


def input_rate(instance, rates):
    """one-node: Table 6, one node. eight-nodes: an eighth of Table 6's row of 8 nodes."""
    return paper_rate(instance, 1) if rates == "one-node" else paper_rate(instance, 8) / 8


def steady(rate, chunk):
    """The rate without the fixed time of chunks, of a program measured at `rate`."""
    return 1 / (1 / rate - OVERHEAD / chunk)


# ---- runs ----


def platform(path, ranks, latency, bandwidth):
    with open(path, "w") as f:
        f.write(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<!-- Nodes of a LUMI-like cluster, or two ranks of one machine.
     Latency of a small message between two nodes: {latency} s. For LUMI 2 us is an ASSUMPTION; nothing was
     measured there. Known: at most three hops between switches (De Sensi et al. 2020, "An In-Depth Analysis
     of the Slingshot Interconnect", arXiv 2008.08886, abstract); 0.35 us a switch (the same paper, as others
     quote it; not checked in the paper itself); between 1.6 us, "expected", and 8 us for MPI on LUMI (issue 7
     of github.com/Lumi-supercomputer/reframe). The experiment `sensitivity` takes 1, 4 and 20 us.
     Bandwidth: one port of 200 Gbit/s. A node of LUMI-G has four (docs.lumi-supercomputer.eu, "Network").
     The two links of a path have half of the latency each. speed: only the unit of injected times. -->
<cluster id="lumi" prefix="node-" suffix="" radical="0-{ranks - 1}" speed="1Gf"
         bw="{bandwidth:.0f}Bps" lat="{latency / 2:.9f}s"/>
</platform>
""")


class Case:
    """A simulated run. `base`: seconds on one node, or (experiment, case) of a run on one node."""

    def __init__(self, experiment, case, settings, latency=LATENCY, bandwidth=BANDWIDTH, paper=None, base=None,
                 **fields):
        self.experiment, self.case, self.settings, self.fields = experiment, case, settings, fields
        self.latency, self.bandwidth, self.paper, self.base = latency, bandwidth, paper, base
        self.result = {}

    def run(self, folder):
        ranks = self.fields["ranks"]
        with tempfile.NamedTemporaryFile(suffix=".xml") as file:
            platform(file.name, ranks, self.latency, self.bandwidth)
            command = ["smpirun", "-np", str(ranks), "-platform", file.name, "--cfg=smpi/simulate-computation:no",
                       "--cfg=smpi/iprobe:0", "--cfg=smpi/test:0", "--cfg=smpi/host-speed:1Gf",
                       "--log=root.threshold:error", os.path.join(folder, "rank")]
            command += [f"{k}={v!r}" if isinstance(v, float) else f"{k}={v}" for k, v in self.settings.items()]
            done = subprocess.run(command, capture_output=True, text=True)
        lines = [x.split(",") for x in done.stdout.splitlines() if x.count(",") == 14]
        if done.returncode or len(lines) != 1:
            sys.exit(f"simulate: {' '.join(command)}: {done.stderr or done.stdout}")
        if int(lines[0][1]) != self.settings["total"] or lines[0][2] != "1":
            sys.exit(f"simulate: {self.case}: {lines[0][1]} of {self.settings['total']} nodes were searched")
        v = [float(x) for x in lines[0]]
        # the paper does not count the root
        self.result = {"simulated_s": v[0], "searched": int(v[1] if v[1] < 2**53 else lines[0][1]) - 1,
                       "busy": v[3], "share_least": v[4], "share_most": v[5],
                       "messages_rank0_per_s": v[6] / v[0], "asks": int(v[7]), "refusals": int(v[8]),
                       "gifts": int(v[9]), "bytes": int(v[10]), "units": int(v[11]),
                       "stealing": "" if self.fields["protocol"] == "static" else v[12]}
        print(f"{self.experiment}: {self.case}: {v[0]:.4g} s", flush=True)


def tree_settings(instance, total):
    children, skew = SHAPE[kind(instance)]
    s = {"total": total + 1, "children": children, "skew": skew}  # with the root
    path = os.path.join(TREES, f"{instance}.tree")
    if os.path.exists(path):
        s["record"] = path
    return s


def start_seconds(instance, nodes):
    return LEAST * GPUS * nodes / QUEENS if kind(instance) == "queens" else START[instance][nodes] / BOUNDS


def paper_settings(instance, nodes, protocol, rate):
    """The paper's protocol at a rate of one node in nodes/s, measured with the paper's chunks."""
    chunk = float(GPUS * CHUNK)
    return {**tree_settings(instance, TREE[instance]), "victims": protocol, "pending": LEAST * GPUS * nodes,
            "least": 2 * LEAST, "chunk": chunk, "width": float(LEAST * GPUS), "overhead": OVERHEAD,
            "rate": steady(rate, chunk),
            # polls are rarer in long runs: they only limit how soon an ask is answered
            "poll": max(POLL, TREE[instance] / rate / nodes / 500), "slice": 0.0, "period": PERIOD,
            "start": start_seconds(instance, nodes),
            "end": 0.0 if kind(instance) == "queens" else LEFT * GPUS * nodes / BOUNDS}


def our_settings(instance, total, ranks, rate, chunk, overhead=0.0, restart=0.0, width=400.0):
    return {**tree_settings(instance, total), "victims": "lifelines", "least": 1, "chunk": float(chunk),
            "width": width, "overhead": overhead, "restart": restart, "rate": rate,
            "poll": max(POLL, total / rate / ranks / 4000), "slice": SLICE, "period": PERIOD, "tries": TRIES}


def our_paper_settings(instance, nodes):
    return our_settings(instance, TREE[instance], nodes, steady(paper_rate(instance, 1), GPUS * CHUNK),
                        OUR_CHUNK[kind(instance)], OVERHEAD)


def h200_settings(instance, total, ranks, gpus=GPUS):
    rate = gpus * H200_RATE[kind(instance)]
    return our_settings(instance, total, ranks, rate, rate * STEP, restart=RESTART, width=rate * STEP)


# ---- experiments ----


def table6():
    for instance in TREE:
        for rates in ("one-node", "eight-nodes"):
            for nodes in NODES[1:]:
                yield Case("table6", f"{instance}/{rates}/{nodes}",
                           paper_settings(instance, nodes, "permuted", input_rate(instance, rates)),
                           paper=paper_seconds(instance, nodes), base=paper_seconds(instance, 1),
                           instance=instance, protocol="permuted", rates=rates, nodes=nodes, ranks=nodes)


def table8():
    """128 nodes without stealing; the rows with it are those of table6."""
    for instance in TREE:
        for rates in ("one-node", "eight-nodes"):
            yield Case("table8", f"{instance}/{rates}", paper_settings(instance, 128, "static", input_rate(instance, rates)),
                       paper=float(TABLE8[instance]["ws_disabled_s"]), base=paper_seconds(instance, 1),
                       instance=instance, protocol="static", rates=rates, nodes=128, ranks=128)


def ours():
    for instance in ("ta021", "ta024", "ta026", "19Q"):
        for nodes in NODES:
            yield Case("ours", f"{instance}/{nodes}", our_paper_settings(instance, nodes),
                       base=("ours", f"{instance}/1"), instance=instance, protocol="lifelines", rates="one-node",
                       nodes=nodes, ranks=nodes)


def h200():
    for instance, total in H200_TREE.items():
        for nodes in (1, 8, 128):
            yield Case("h200", f"{instance}/{nodes}", h200_settings(instance, total, nodes),
                       base=("h200", f"{instance}/1"), instance=instance, protocol="lifelines", rates="h200",
                       nodes=nodes, ranks=nodes)
    instance = "3.4e14 nodes"
    yield Case("h200", f"{instance}, a rank for each GPU/128",
               {**h200_settings(instance, H200_TREE[instance], 1024, 1), "poll": 0.02},
               base=("h200", f"{instance}/1"), instance=f"{instance}, a rank for each GPU", protocol="lifelines",
               rates="h200", nodes=128, ranks=1024)


def size():
    """From which amount of work for each GPU do 1,024 H200s reach an efficiency of 0.9?"""
    for shape, instance in (("flowshop", "drawn"), ("queens", "drawnQ")):
        for seconds in (1, 2, 4, 8, 12, 16, 32):
            total = int(seconds * 128 * GPUS * H200_RATE[shape])
            for nodes in (1, 128):
                yield Case("size", f"{shape}/{seconds}/{nodes}", h200_settings(instance, total, nodes),
                           base=("size", f"{shape}/{seconds}/1"), instance=f"{shape}, {seconds} s a GPU",
                           protocol="lifelines", rates="h200", nodes=nodes, ranks=nodes)


def seeds():
    """How much do the choices of victims matter? Efficiencies near a goal, with other seeds."""
    for instance, settings, base in (("ta021", our_paper_settings("ta021", 128), ("ours", "ta021/1")),
                                     ("24Q", h200_settings("24Q", H200_TREE["24Q"], 128), ("h200", "24Q/1"))):
        for seed in range(1, 6):
            yield Case("seeds", f"{instance}/{seed}", {**settings, "seed": seed}, base=base, instance=instance,
                       protocol="lifelines", rates="one-node" if instance == "ta021" else "h200", nodes=128, ranks=128)


def sensitivity():
    """ta021 on 128 nodes at the paper's rate of one node; one parameter changes at a time."""
    theirs = paper_settings("ta021", 128, "permuted", input_rate("ta021", "one-node"))
    own = our_paper_settings("ta021", 128)
    network = {"latency": LATENCY, "bandwidth": BANDWIDTH}
    changes = [("nothing", 1), ("latency", 0.5), ("latency", 2), ("latency", 10)]
    changes += [(x, 2) for x in ("bandwidth", "overhead", "poll", "period", "skew", "slice", "chunk", "start", "end")]
    for name, factor in changes:
        for protocol, settings in (("permuted", theirs), ("lifelines", own)):
            if (name, protocol) in (("slice", "permuted"), ("start", "lifelines"), ("end", "lifelines")):
                continue
            changed = {k: factor * v for k, v in {**network, **settings}.items() if k == name}
            case = f"{name} x {factor}/{protocol}" if factor != 1 else f"{name}/{protocol}"
            yield Case("sensitivity", case, {**settings, **{k: v for k, v in changed.items() if k not in network}},
                       **{**network, **{k: v for k, v in changed.items() if k in network}},
                       base=paper_seconds("ta021", 1) if protocol == "permuted" else ("ours", "ta021/1"),
                       instance="ta021", protocol=protocol, rates="one-node", nodes=128, ranks=128)


def record(folder, work, instance, pending):
    """Records a tree whose breadth-first part ends with `pending` nodes of 50 for 8 GPUs."""
    path = os.path.join(work, f"{instance}-{pending}.tree")
    subprocess.run([os.path.join(folder, "record"), instance, str(pending), "1", path], check=True,
                   stdout=subprocess.DEVNULL)
    return path


def profile(folder, work):
    """ta030 with 819,200 recorded subtrees (16 nodes each on average) and with 6,400, divided at random
    below: does a profile scale as the tree?"""
    total, rate = 13_228_600, 13_228_600 / 40  # 40 s of work on one node, as ta026 at the paper's rates
    children, skew = SHAPE["flowshop"]
    for tree, pending in (("real", 2048), ("profile", 16)):
        path = record(folder, work, "ta030", pending)
        for protocol in ("static", "permuted", "lifelines"):
            for ranks in (1, 8, 32):
                s = {"total": total + 1, "children": children, "skew": skew, "record": path, "victims": protocol,
                     "chunk": rate * 0.026, "width": 400.0, "overhead": OVERHEAD, "rate": rate, "poll": POLL,
                     "period": PERIOD, "tries": TRIES, "slice": SLICE if protocol == "lifelines" else 0.0}
                if protocol != "lifelines":
                    s.update(pending=LEAST * GPUS * ranks, least=2 * LEAST)
                yield Case("profile", f"{tree}/{protocol}/{ranks}", s, instance=f"ta030 ({tree})", protocol=protocol,
                           rates="40 s on one node", nodes=ranks, ranks=ranks)


# ---- a real run of two ranks on this machine, and the same simulated ----

REAL_TREE, REAL_NODES = "ta027", 54_588_346
REAL_RUNS, REAL_TRIES = 5, 40  # pairs of runs that count; pairs that are tried at most
REAL_OTHERS = 0.05  # cores that other processes may use during a run that counts
REAL_WAIT = 1800  # seconds to wait for a quiet machine at most, in total
REAL_RESTART = 0.001  # start of an engine on two cores (docs/lab-notes/cluster.md)


def mpirun(ranks, command, *flags):
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", *flags, "-n", str(ranks), *command]


def busy_seconds():
    """CPU seconds of all processes of this machine, and of those that this program ran."""
    with open("/proc/stat") as f:
        user, nice, system, _, _, irq, soft = map(int, f.readline().split()[1:8])
    own = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (user + nice + system + irq + soft) / os.sysconf("SC_CLK_TCK"), own.ru_utime + own.ru_stime


def solve_real(ranks, folder, work):
    """A search by the depth-first engine, one thread a rank: seconds, gifts, units, cores of others."""
    command = [os.path.join(folder, "../bin/helbecque-pool"), "solve", "--instance", REAL_TREE, "--ub", "opt",
               "--variant", "cpu", "--threads", "1", "--json", "-"]
    environment = {**os.environ, "COPRA_COUNTS": os.path.join(work, "counts")}
    if ranks == 1:  # a search with checkpoints takes that engine; none is written before the end
        command += ["--checkpoint", os.path.join(work, "state"), "--checkpoint-period", "3600"]
    else:
        command = mpirun(ranks, command, "-x", "LD_PRELOAD=" + os.path.join(os.path.abspath(folder), "count.so"))
    begin, before = time.monotonic(), busy_seconds()
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    wall, after = time.monotonic() - begin, busy_seconds()
    if done.returncode:
        sys.exit(f"simulate: {' '.join(command)}: {done.stderr}")
    answer = json.loads(done.stdout[done.stdout.index("{"):])
    if answer["nodes"]["explored"] != REAL_NODES:
        sys.exit(f"simulate: {REAL_TREE}: {answer['nodes']['explored']} nodes instead of {REAL_NODES}")
    gifts, units = 0, 0
    if ranks > 1:
        with open(environment["COPRA_COUNTS"]) as f:
            gifts, units = map(int, f.read().split())
    others = (after[0] - before[0] - after[1] + before[1]) / wall
    return answer["seconds"]["search"], gifts, units, others


def wait_for_quiet(until):
    """Waits until other processes use little, but not beyond `until`."""
    while time.monotonic() < until:
        before = busy_seconds()[0]
        time.sleep(2)
        if busy_seconds()[0] - before <= 2 * REAL_OTHERS:
            return


def real_pairs(folder, work):
    """Runs of one and two ranks in turn. A pair that other processes disturbed is repeated; if there are
    not enough others, the least disturbed ones count."""
    pairs, until = [], time.monotonic() + REAL_WAIT
    for _ in range(REAL_TRIES):
        wait_for_quiet(until)
        pairs.append([solve_real(ranks, folder, work) for ranks in (1, 2)])
        quiet = sum(max(x[3] for x in pair) <= REAL_OTHERS for pair in pairs)
        print("real: one rank {0[0]:.4g} s, two ranks {1[0]:.4g} s; others used {0[3]:.2f} and {1[3]:.2f} cores"
              .format(*pairs[-1]), flush=True)
        if quiet >= REAL_RUNS:
            break
    return sorted(pairs, key=lambda pair: max(x[3] for x in pair))[:REAL_RUNS]


def real(folder, work):
    """Two ranks of one thread: real runs, interleaved with those of one rank, whose rate is the input."""
    done = subprocess.run(mpirun(2, [os.path.join(os.path.abspath(folder), "pingpong")]), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"simulate: pingpong: {done.stderr}")
    latency, bandwidth = map(float, done.stdout.split())
    pairs = real_pairs(folder, work)
    rate = REAL_NODES / statistics.median(pair[0][0] for pair in pairs)
    path, (children, skew) = record(folder, work, REAL_TREE, 256), SHAPE["flowshop"]
    for ranks in (1, 2):
        runs = sorted(pair[ranks - 1] for pair in pairs)
        middle = runs[len(runs) // 2]
        s = {"total": REAL_NODES + 1, "children": children, "skew": skew, "record": path, "victims": "lifelines",
             "least": 0, "chunk": rate * POLL, "width": rate * POLL, "overhead": 0.0, "restart": REAL_RESTART,
             "rate": rate, "poll": POLL, "slice": SLICE, "period": PERIOD, "tries": TRIES}
        yield Case("real", f"{ranks}", s, latency=latency, bandwidth=bandwidth, base=("real", "1"), instance=REAL_TREE,
                   protocol="lifelines", rates="measured, one rank", nodes=ranks, ranks=ranks, real_s=middle[0],
                   real_least_s=runs[0][0], real_most_s=runs[-1][0], real_runs=len(runs), real_gifts=middle[1],
                   real_units=middle[2], real_others=max(x[3] for x in runs), latency_s=latency,
                   bandwidth_bytes_s=bandwidth)


EXPERIMENTS = {"table6": table6, "table8": table8, "ours": ours, "h200": h200, "size": size, "seeds": seeds,
               "sensitivity": sensitivity, "profile": profile, "real": real}


# ---- results ----

FIELDS = ["case", "status", "instance", "protocol", "rates", "nodes", "ranks", "simulated_s", "searched", "paper_s",
          "ratio", "efficiency", "busy", "stealing", "share_least", "share_most", "messages_rank0_per_s", "asks",
          "refusals", "gifts", "units", "bytes"]
REAL_FIELDS = ["real_s", "real_least_s", "real_most_s", "real_runs", "real_gifts", "real_units", "real_others",
               "latency_s", "bandwidth_bytes_s"]
ORIGIN = ["revision", "machine", "date", "parameters"]


def origin():
    def git(*command):
        return subprocess.run(["git", "-C", ROOT, *command], capture_output=True, text=True).stdout.strip()

    with open("/proc/cpuinfo") as f:
        model = re.search(r"^model name\s*:\s*(.*)$", f.read(), re.MULTILINE)
    dirty = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!results/simulated")
    return {"revision": (git("rev-parse", "--short=12", "HEAD") or "unknown") + ("-dirty" if dirty else ""),
            "machine": f"{model.group(1).strip() if model else 'unknown'}, {os.cpu_count()} cores",
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")}


def seconds_of(base, done, out):
    """Seconds of a run on one node: given, run now, or in the results of an earlier run."""
    if base is None or isinstance(base, float):
        return base
    if base in done:
        return done[base].result["simulated_s"]
    path = os.path.join(out, base[0] + ".csv")
    if not os.path.exists(path):
        return None
    with open(path) as f:
        rows = {r["case"]: r for r in csv.DictReader(x for x in f if not x.startswith("#"))}
    return float(rows[base[1]]["simulated_s"]) if base[1] in rows else None


def row_of(case, done, out, where):
    row = {"case": case.case, "status": "SIMULATED", **case.fields, **case.result, **where}
    one, seconds = seconds_of(case.base, done, out), case.result["simulated_s"]
    if case.paper:
        row.update(paper_s=case.paper, ratio=seconds / case.paper)
    elif "real_s" in row:
        row["ratio"] = seconds / row["real_s"]
    if one:
        row["efficiency"] = one / row["nodes"] / seconds
    parameters = {**{k: v for k, v in case.settings.items() if k != "record"}, "latency": case.latency,
                  "bandwidth": case.bandwidth}
    row["parameters"] = " ".join(f"{k}={v:.6g}" if isinstance(v, float) else f"{k}={v}" for k, v in parameters.items())
    return {k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()}


def write(name, cases, done, out, where):
    os.makedirs(out, exist_ok=True)
    fields = FIELDS + (REAL_FIELDS if name == "real" else []) + ORIGIN
    with open(os.path.join(out, name + ".csv"), "w", newline="") as f:
        f.write("# SIMULATED by `make simulate` (docs/SIMULATED.md). No claim is decided by these rows.\n")
        w = csv.DictWriter(f, fields, restval="", lineterminator="\n")
        w.writeheader()
        w.writerows(row_of(c, done, out, where) for c in cases)


def is_quick(case):
    return case.fields["ranks"] <= 16 and case.fields["instance"] in ("ta026", "ta021", "17Q", "ta056")


def main(folder, names):
    quick = os.environ.get("SIMULATE") == "quick"
    out = os.path.join(folder, "quick") if quick else OUT
    unknown = [x for x in names if x not in EXPERIMENTS]
    if unknown:
        sys.exit(f"simulate: unknown experiment '{unknown[0]}' ({', '.join(EXPERIMENTS)})")
    where, done = origin(), {}
    names = [x for x in EXPERIMENTS if (not names or x in names) and not (quick and x in ("profile", "real"))]
    if "real" in names and not os.path.exists(os.path.join(folder, "count.so")):
        names.remove("real")
        print("simulate: real runs need OpenMPI (make setup); results/simulated/helbecque-pool/real.csv stays", file=sys.stderr)
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(int(os.environ.get("JOBS") or os.cpu_count())) as pool:
        cases = {}
        if "real" in names:  # while nothing else runs
            cases["real"] = list(real(folder, work))
        for name in names:
            if name != "real":
                cases[name] = list(EXPERIMENTS[name](folder, work) if name == "profile" else EXPERIMENTS[name]())
            cases[name] = [c for c in cases[name] if not quick or is_quick(c)]
        todo = [c for name in names for c in cases[name]]
        # the longest first, so that none of them is left alone at the end
        for f in [pool.submit(c.run, folder) for c in sorted(todo, key=lambda c: -c.fields["ranks"])]:
            f.result()
        done.update({(c.experiment, c.case): c for c in todo})
    for name in names:
        write(name, cases[name], done, out, where)
    print(f"simulate: {len(todo)} runs, {out}/*.csv, revision {where['revision']}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
