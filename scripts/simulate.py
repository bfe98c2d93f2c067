#!/usr/bin/env python3
# Runs searches on simulated clusters and writes results/simulated/helbecque-pool/*.csv and
# docs/SIMULATED.md. usage: simulate.py PROGRAM [EXPERIMENT...]   (make simulate)
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
import csv
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(ROOT, "results/simulated/helbecque-pool")
TREES = os.path.join(ROOT, "results/simulated/trees")
GPUS = 8

# ---- parameters, each with its source ----

# One-way latency of a small message (seconds) and bandwidth of a node (bytes/s).
LATENCY = 2e-6  # order of De Sensi et al. 2020, arXiv 2008.08886, for Slingshot; not measured on LUMI
BANDWIDTH = 25e9  # one Slingshot-11 port: 200 Gbit/s (docs.lumi-supercomputer.eu, "Network")
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
    "17Q": 8_017_021_931,
    "18Q": 59_365_844_490,
    "19Q": 461_939_618_823,
    "ta026": 514_453_278,
    "ta024": 2_173_092_255,
    "ta021": 3_944_527_267,
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
# Table 6: thousands of nodes per second on 1, 8 .. 128 nodes; Table 8: seconds on 128
NODES = [1, 8, 16, 32, 64, 128]


def paper_table(number):
    with open(os.path.join(ROOT, f"results/papers/helbecque-pool/table{number}.csv")) as f:
        lines = [line for line in f if not line.startswith("#")]
    return {row["instance"]: row for row in csv.DictReader(lines)}


TABLE6, TABLE8 = paper_table(6), paper_table(8)
# How subtrees divide: flowshop, means over nodes with 1e5 to 1e8 nodes below them in the recorded ta026
# (13 to 17 children, sum of squared shares 0.19 to 0.25); queens, 10 queens completely (0.20).
SHAPE = {"flowshop": (14, 1.2), "queens": (8, 0.3)}

FIELDS = ["status", "experiment", "instance", "protocol", "rates", "nodes", "ranks", "simulated_s",
          "searched", "paper_s", "ratio", "efficiency", "busy", "share_least", "share_most",
          "messages_rank0_per_s", "asks", "refusals", "gifts", "bytes", "revision", "parameters"]


def paper_rate(instance, nodes):
    return float(TABLE6[instance][f"node{nodes}_kn_s"]) * 1000


def platform(ranks, latency, bandwidth):
    path = os.path.join(tempfile.gettempdir(), f"copra-simulate-{os.getpid()}.xml")
    with open(path, "w") as f:
        f.write(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<!-- Nodes of a LUMI-like cluster. Latency of a message between two nodes {latency} s: the order of
     De Sensi et al. 2020 (arXiv 2008.08886) for Slingshot. Bandwidth: one port of 200 Gbit/s
     (docs.lumi-supercomputer.eu, "Network"). The two links of a path have half of the latency each.
     speed: only the unit of injected times. -->
<cluster id="lumi" prefix="node-" suffix="" radical="0-{ranks - 1}" speed="1Gf"
         bw="{bandwidth:.0f}Bps" lat="{latency / 2:.9f}s"/>
</platform>
""")
    return path


def simulate(program, ranks, settings, latency=LATENCY, bandwidth=BANDWIDTH):
    path = platform(ranks, latency, bandwidth)
    command = ["smpirun", "-np", str(ranks), "-platform", path, "--cfg=smpi/simulate-computation:no",
               "--cfg=smpi/iprobe:0", "--cfg=smpi/test:0", "--cfg=smpi/host-speed:1Gf",
               "--log=root.threshold:error", program]
    command += [f"{k}={v!r}" if isinstance(v, float) else f"{k}={v}" for k, v in settings.items()]
    done = subprocess.run(command, capture_output=True, text=True)
    os.unlink(path)
    lines = [x for x in done.stdout.splitlines() if x.count(",") == 10]
    if done.returncode or len(lines) != 1:
        sys.exit(f"simulate: {' '.join(command)}: {done.stderr or done.stdout}")
    v = [float(x) for x in lines[0].split(",")]
    searched = int(lines[0].split(",")[1])
    if searched != settings["total"] or v[2] != 1:
        sys.exit(f"simulate: {ranks} ranks searched {searched} of {settings['total']} nodes")
    return {"simulated_s": v[0], "searched": searched - 1, "busy": v[3], "share_least": v[4],
            "share_most": v[5], "messages_rank0_per_s": v[6] / v[0], "asks": int(v[7]),
            "refusals": int(v[8]), "gifts": int(v[9]), "bytes": int(v[10])}


def kind(instance):
    return "queens" if instance.endswith("Q") else "flowshop"


def tree_settings(instance, total):
    children, skew = SHAPE[kind(instance)]
    s = {"total": total + 1,  # with the root, which the paper does not count
          "children": children, "skew": skew}
    path = os.path.join(TREES, f"{instance}.tree")
    if os.path.exists(path):
        s["record"] = path
    return s


def start_seconds(instance, nodes):
    if kind(instance) == "queens":
        return LEAST * GPUS * nodes / QUEENS
    return START[instance][nodes] / BOUNDS


def steady(rate, chunk):
    """The rate without the fixed time of chunks, of a program measured at `rate`."""
    return 1 / (1 / rate - OVERHEAD / chunk)


def paper_run(program, instance, nodes, protocol, rate, **change):
    """The paper's protocol at a rate of one node in nodes/s, measured with the paper's chunks."""
    s = tree_settings(instance, TREE[instance])
    queens = kind(instance) == "queens"
    chunk = GPUS * CHUNK
    # polls are rarer in long runs: they only limit how soon an ask is answered
    poll = max(POLL, TREE[instance] / rate / nodes / 500)
    s.update(victims=protocol, pending=LEAST * GPUS * nodes, least=2 * LEAST, chunk=float(chunk),
             width=float(LEAST * GPUS), overhead=OVERHEAD, rate=steady(rate, chunk), poll=poll,
             slice=0.0, period=PERIOD, start=start_seconds(instance, nodes),
             end=0.0 if queens else LEFT * GPUS * nodes / BOUNDS)
    latency = change.pop("latency", LATENCY)
    bandwidth = change.pop("bandwidth", BANDWIDTH)
    s.update(change)
    return simulate(program, nodes, s, latency, bandwidth), s


def our_run(program, instance, total, ranks, rate, chunk, overhead, restart, **change):
    s = tree_settings(instance, total)
    poll = max(POLL, total / rate / ranks / 4000)
    s.update(victims="lifelines", least=1, chunk=float(chunk), width=400.0, overhead=overhead,
             restart=restart, rate=rate, poll=poll, slice=SLICE, period=PERIOD, tries=TRIES)
    latency = change.pop("latency", LATENCY)
    bandwidth = change.pop("bandwidth", BANDWIDTH)
    s.update(change)
    return simulate(program, ranks, s, latency, bandwidth), s


def revision():
    r = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    return r.stdout.strip() or "unknown"


class Rows:
    def __init__(self, name):
        self.name, self.rows, self.revision = name, [], revision()

    def add(self, result, settings, **fields):
        row = {"status": "SIMULATED", "experiment": self.name, "revision": self.revision, **result, **fields}
        keep = {k: v for k, v in settings.items() if k != "record"}
        row["parameters"] = " ".join(f"{k}={v:.6g}" if isinstance(v, float) else f"{k}={v}" for k, v in keep.items())
        for k, v in row.items():
            if isinstance(v, float):
                row[k] = f"{v:.6g}"
        self.rows.append(row)
        print(self.name, row["instance"], row["protocol"], row["rates"], row["nodes"], row["simulated_s"],
              row.get("ratio", ""), row.get("efficiency", ""), flush=True)

    def write(self):
        os.makedirs(OUT, exist_ok=True)
        with open(os.path.join(OUT, self.name + ".csv"), "w", newline="") as f:
            w = csv.DictWriter(f, FIELDS, restval="", lineterminator="\n")
            w.writeheader()
            w.writerows(self.rows)


# ---- experiments ----

def rate_of(instance, rates):
    """one-node: Table 6, one node. eight-nodes: an eighth of Table 6's row of 8 nodes."""
    return paper_rate(instance, 1) if rates == "one-node" else paper_rate(instance, 8) / 8


def table6(program):
    rows = Rows("table6")
    for instance in reversed(TREE):
        for rates in ("one-node", "eight-nodes"):
            for nodes in NODES[1:]:
                if kind(instance) == "queens" and rates == "one-node" and nodes != 128:
                    continue  # regular: the same ratio on all
                result, s = paper_run(program, instance, nodes, "permuted", rate_of(instance, rates))
                paper = TREE[instance] / paper_rate(instance, nodes)
                one = TREE[instance] / paper_rate(instance, 1)
                rows.add(result, s, instance=instance, protocol="permuted", rates=rates, nodes=nodes,
                         ranks=nodes, paper_s=paper, ratio=result["simulated_s"] / paper,
                         efficiency=one / nodes / result["simulated_s"])
        rows.write()


def table8(program):
    """Without stealing; the rows with it are those of table6."""
    rows = Rows("table8")
    for instance in reversed(TREE):
        for rates in ("one-node", "eight-nodes"):
            result, s = paper_run(program, instance, 128, "static", rate_of(instance, rates))
            paper = float(TABLE8[instance]["ws_disabled_s"])
            rows.add(result, s, instance=instance, protocol="static", rates=rates, nodes=128, ranks=128,
                     paper_s=paper, ratio=result["simulated_s"] / paper)
        rows.write()


# Flowshop: M = 50,000 costs 4 % on one GPU (Table 4), and a step is ten times shorter. Queens: the paper's M.
OUR_CHUNK = {"flowshop": GPUS * 50_000, "queens": GPUS * CHUNK}


def ours(program):
    rows = Rows("ours")
    for instance in ("ta026", "ta024", "ta021", "19Q"):
        rate = steady(paper_rate(instance, 1), GPUS * CHUNK)
        one = None
        for nodes in NODES:
            result, s = our_run(program, instance, TREE[instance], nodes, rate, OUR_CHUNK[kind(instance)], OVERHEAD, 0.0)
            one = one or result["simulated_s"]
            rows.add(result, s, instance=instance, protocol="lifelines", rates="one-node", nodes=nodes,
                     ranks=nodes, efficiency=one / nodes / result["simulated_s"])
        rows.write()


# An H200: nodes/s of one GPU (results/recorded/h200-x1 and -x4): 19 queens 2.28e12, ta056 1.7e11 nodes in
# 18.3 s. Trees: ta056; 24 queens at 117 nodes a solution (Table 2: 75 for 15 queens to 93 for 19, so an
# estimate) and 227,514,171,973,736 solutions (OEIS A000170); ta058 in Gmys 2022: 339e12 nodes.
H200 = {
    "ta056": (1.7e11, 1.7e11 / 18.3),
    "24Q": (117 * 227_514_171_973_736, 2.28e12),
    "3.4e14 nodes": (3.39e14, 1.7e11 / 18.3),
}
STEP = 0.01  # seconds of a step: an assumption; the engine looks for a stop between its device steps
RESTART = 0.029  # start of an engine: ta021 on an H200 takes 159 ms, of which the search takes 130 ms


def h200(program):
    rows = Rows("h200")
    for instance, (total, rate) in H200.items():
        one = None
        for nodes in (1, 8, 128):
            total = int(total)
            result, s = our_run(program, instance, total, nodes, GPUS * rate, GPUS * rate * STEP, 0.0, RESTART,
                                width=GPUS * rate * STEP)
            one = one or result["simulated_s"]
            rows.add(result, s, instance=instance, protocol="lifelines", rates="h200", nodes=nodes, ranks=nodes,
                     efficiency=one / nodes / result["simulated_s"])
        rows.write()


def ranks(program):
    """One rank for each GPU: 1,024 ranks, relative to h200's row of one node."""
    rows = Rows("ranks")
    instance = "3.4e14 nodes"
    total, rate = H200[instance]
    one = [float(r["simulated_s"]) for r in read("h200") if r["instance"] == instance and r["nodes"] == "1"]
    result, s = our_run(program, instance, int(total), 1024, rate, rate * STEP, 0.0, RESTART, width=rate * STEP,
                        poll=0.02)
    rows.add(result, s, instance=f"{instance}, a rank for each GPU", protocol="lifelines", rates="h200", nodes=128,
             ranks=1024, efficiency=one[0] / 128 / result["simulated_s"] if one else "")
    rows.write()


def sensitivity(program):
    """ta021 on 128 nodes, each parameter doubled in turn."""
    rows = Rows("sensitivity")
    rate = rate_of("ta021", "one-node")
    common = {"latency": LATENCY, "bandwidth": BANDWIDTH, "overhead": OVERHEAD, "poll": POLL, "period": PERIOD,
              "skew": SHAPE["flowshop"][1]}
    theirs = {**common, "start": start_seconds("ta021", 128), "end": LEFT * GPUS * 128 / BOUNDS}
    own = {**common, "slice": SLICE, "chunk": float(OUR_CHUNK["flowshop"])}
    for name in ["nothing"] + list(own) + ["start", "end"]:
        for protocol, base in (("permuted", theirs), ("lifelines", own)):
            if name != "nothing" and name not in base:
                continue
            change = {name: 2 * base[name]} if name in base else {}
            if protocol == "permuted":
                result, s = paper_run(program, "ta021", 128, protocol, rate, **change)
            else:
                overhead = change.pop("overhead", OVERHEAD)
                chunk = change.pop("chunk", OUR_CHUNK["flowshop"])
                result, s = our_run(program, "ta021", TREE["ta021"], 128, steady(rate, GPUS * CHUNK),
                                    chunk, overhead, 0.0, **change)
            rows.add(result, s, instance="ta021", protocol=protocol, rates="one-node", nodes=128, ranks=128,
                     experiment=f"sensitivity: {name} doubled")
    rows.write()


def profile(program):
    """ta030 with 819,200 recorded subtrees (16 nodes each on average) and with 6,400, divided at random
    below: does a profile scale as the tree?"""
    rows = Rows("profile")
    total, rate = 13_228_600, 13_228_600 / 40  # 40 s of work on one node, as ta026 at the paper's rates
    recorder = os.path.join(os.path.dirname(os.path.abspath(program)), "record")
    with tempfile.TemporaryDirectory() as folder:
        for tree, nodes in (("real", 2048), ("profile", 16)):
            path = os.path.join(folder, tree)
            subprocess.run([recorder, "ta030", str(nodes), "1", path], check=True, stdout=subprocess.DEVNULL)
            for protocol in ("static", "permuted", "lifelines"):
                for ranks in (1, 8, 32):
                    children, skew = SHAPE["flowshop"]
                    s = {"total": total + 1, "children": children, "skew": skew, "record": path,
                         "victims": protocol, "chunk": rate * 0.026, "width": 400.0, "overhead": OVERHEAD,
                         "rate": rate, "poll": POLL, "period": PERIOD, "tries": TRIES,
                         "slice": SLICE if protocol == "lifelines" else 0.0}
                    if protocol != "lifelines":
                        s.update(pending=LEAST * GPUS * ranks, least=2 * LEAST)
                    result = simulate(program, ranks, s)
                    rows.add(result, s, instance=f"ta030 ({tree})", protocol=protocol, rates="40 s on one node",
                             nodes=ranks, ranks=ranks)
    rows.write()


# ---- the page ----

PAGE = os.path.join(ROOT, "docs/SIMULATED.md")
PLOT = "results/simulated/helbecque-pool/efficiency.svg"


def read(name):
    path = os.path.join(OUT, name + ".csv")
    if not os.path.exists(path):
        return []
    with open(path) as f:
        return list(csv.DictReader(f))


def lines_of(header, rows):
    yield "| " + " | ".join(header) + " |"
    yield "|" + "---|" * len(header)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def number(text, digits=3):
    return f"{float(text):.{digits}g}" if text else ""


def percent(text):
    return f"{100 * float(text):.2f} %" if text else ""


def page_table6():
    rows = [(r["instance"], r["rates"], r["nodes"], number(r["paper_s"]), number(r["simulated_s"]),
             number(r["ratio"], 2), number(r["efficiency"], 2)) for r in read("table6")]
    return lines_of(("instance", "rates", "nodes", "paper (s)", "SIMULATED (s)", "ratio", "efficiency"), rows)


def page_table8():
    rows = [r for r in read("table8") + read("table6") if r["nodes"] == "128"]
    rows.sort(key=lambda r: (list(TREE).index(r["instance"]), r["rates"], r["protocol"]))
    for r in rows:
        column = "ws_disabled_s" if r["protocol"] == "static" else "ws_enabled_s"
        r["paper_s"] = TABLE8[r["instance"]][column]
    return lines_of(
        ("instance", "rates", "stealing", "paper (s)", "SIMULATED (s)", "ratio", "least share", "largest share"),
        [(r["instance"], r["rates"], "off" if r["protocol"] == "static" else "on", number(r["paper_s"]),
          number(r["simulated_s"]), number(float(r["simulated_s"]) / float(r["paper_s"]), 2),
          percent(r["share_least"]), percent(r["share_most"])) for r in rows])


def page_figure12():
    with open(os.path.join(ROOT, "results/papers/helbecque-pool/figure12.csv")) as f:
        paper = next(csv.DictReader(line for line in f if not line.startswith("#")))
    out = []
    for r in read("table8") + read("table6"):
        if r["instance"] != "ta026" or r["nodes"] != "128" or r["rates"] != "eight-nodes":
            continue
        which = "off" if r["protocol"] == "static" else "on"
        for end, ours in (("least", r["share_least"]), ("most", r["share_most"])):
            value = float(paper[f"{which}_{end}"])
            out.append((which, end, f"{value:.2f} %", percent(ours), f"{100 * float(ours) / value:.2f}"))
    return lines_of(("stealing", "share", "paper", "SIMULATED", "ratio"), out)


def page_ours():
    rows = [(r["instance"], "paper's, one node" if r["rates"] == "one-node" else "H200", r["nodes"],
             str(GPUS * int(r["nodes"])), number(r["simulated_s"]), number(r["efficiency"], 3),
             percent(str(1 - float(r["busy"]))), number(r["messages_rank0_per_s"], 3), r["gifts"])
            for r in read("ours") + read("h200") + read("ranks")]
    return lines_of(("tree", "rates", "nodes", "GPUs", "SIMULATED (s)", "efficiency", "not searching",
                     "messages/s at rank 0", "gifts"), rows)


def page_profile():
    found = {}
    for r in read("profile"):
        found.setdefault((r["protocol"], r["nodes"]), {})[r["instance"]] = r
    return lines_of(("protocol", "nodes", "real tree (s)", "profile (s)", "ratio"),
                    [(protocol, nodes, number(v["ta030 (real)"]["simulated_s"], 4),
                      number(v["ta030 (profile)"]["simulated_s"], 4),
                      f"{float(v['ta030 (profile)']['simulated_s']) / float(v['ta030 (real)']['simulated_s']):.2f}")
                     for (protocol, nodes), v in found.items()])


def page_sensitivity():
    base = {r["protocol"]: float(r["simulated_s"]) for r in read("sensitivity") if "nothing" in r["experiment"]}
    rows = [(r["experiment"].split(": ")[1], r["protocol"], number(r["simulated_s"]),
             f"{float(r['simulated_s']) / base[r['protocol']]:.2f}") for r in read("sensitivity")]
    return lines_of(("doubled", "protocol", "SIMULATED (s)", "relative"), rows)


def draw():
    """Efficiency on ta021 relative to one node: the paper's measurements, its protocol, and ours."""
    data = "".join(f"{n} {paper_rate('ta021', n) / paper_rate('ta021', 1) / n}\n" for n in NODES) + "\n\n"
    for name, protocol, rates in (("table6", "permuted", "one-node"), ("table6", "permuted", "eight-nodes"),
                                  ("ours", "lifelines", "one-node")):
        data += "".join(f"{r['nodes']} {r['efficiency']}\n" for r in read(name)
                        if r["instance"] == "ta021" and r["rates"] == rates) + "\n\n"
    path = os.path.join(OUT, "efficiency.dat")
    with open(path, "w") as f:
        f.write("# SIMULATED except the first block (the paper's Table 6): nodes, efficiency on ta021\n" + data)
    try:
        subprocess.run(["gnuplot", "-e", f"data='{path}'; svg='{os.path.join(ROOT, PLOT)}'",
                        os.path.join(ROOT, "plots/simulated.gp")], check=True)
    except (OSError, subprocess.CalledProcessError):
        print("simulate: no plot (gnuplot)", file=sys.stderr)


def page():
    parts = {"TABLE6": page_table6, "TABLE8": page_table8, "FIGURE12": page_figure12, "OURS": page_ours,
             "SENSITIVITY": page_sensitivity, "PROFILE": page_profile}
    with open(os.path.join(ROOT, "scripts/simulate-page.md")) as f:
        text = f.read()
    for name, part in parts.items():
        text = text.replace(f"@{name}@", "\n".join(part()))
    draw()
    with open(PAGE, "w") as f:
        f.write(text)


EXPERIMENTS = {"table6": table6, "table8": table8, "ours": ours, "h200": h200, "ranks": ranks, "sensitivity": sensitivity,
               "profile": profile}

if __name__ == "__main__":
    for name in sys.argv[2:] or EXPERIMENTS:
        if name != "page":
            EXPERIMENTS[name](sys.argv[1])
    page()
