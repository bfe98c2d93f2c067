#!/usr/bin/env bash
# solve --progress, --log and --node-limit. $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
ivm=$bin/gmys-ivm pool=$bin/helbecque-pool
hard="--instance ta051 --bound lb1 --threads 2 --start-seconds 0.1"

# Checks the last run in a log: every line is a JSON object, times grow from the start, incumbents only
# get better, and the end agrees with the result in r.json. $1: the log; $2: events that must occur.
log_is_right() {
	python3 - "$1" r.json "$2" <<-'END'
		import json, sys
		lines = [json.loads(line) for line in open(sys.argv[1])]
		starts = [i for i, l in enumerate(lines) if l["event"] == "start"]
		run = lines[starts[-1]:]
		events = [l["event"] for l in run]
		assert events[0] == "start" and events[-1] == "end" and events.count("end") == 1, events
		for wanted in sys.argv[3].split():
		    assert wanted in events, (wanted, events)
		assert all(l["seconds"] >= 0 for l in run)
		best = None
		for l in run:
		    if l["event"] == "incumbent":
		        assert best is None or l["value"] < best, (best, l)
		        best = l["value"]
		nodes = share = 0
		for l in run:
		    if l["event"] == "progress":
		        assert l.get("nodes", 0) >= nodes
		        nodes = l.get("nodes", 0)
		        assert share <= l.get("share", share) <= 1
		        share = l.get("share", share)
		        if "seconds_left" in l:
		            assert 0 <= l["seconds_left_low"] <= l["seconds_left"] <= l["seconds_left_high"]
		        if "gap" in l:
		            assert l["gap"] == l["incumbent"] - l["bound"] and l["gap"] >= 0
		result = json.load(open(sys.argv[2]))
		end = run[-1]
		assert end["status"] == result["status"]
		if "share" in end:
		    assert share <= end["share"] <= 1
		    assert end["share"] == 1 or end["status"] == "limit", end
		assert end.get("objective") == result["objective"]
		assert end.get("bound") == result["bound"]
		assert end["counts"] == result["nodes"]
		if result["solution"] is not None:
		    assert best == result["objective"], (best, result["objective"])
	END
}
# Checks r.json: the solve was stopped at the limit, and the counts are at most so far beyond it.
stopped_near() { # count, limit, most beyond
	python3 - "$@" <<-'END'
		import json, sys
		r = json.load(open("r.json"))
		nodes, limit, beyond = r["nodes"][sys.argv[1]], int(sys.argv[2]), int(sys.argv[3])
		assert r["status"] == "limit" and limit <= nodes <= limit + beyond, (r["status"], nodes)
		if r["solution"] is not None:
		    assert r["verified"] and r["bound"] <= r["objective"]
	END
}

check "a solve in a pipe is silent without flags" exits 0 "$ivm" solve --instance ta002 --variant cpu
check "... on stderr" test ! -s err.txt

check "a log is written" exits 0 "$ivm" solve --instance ta011 --ub opt --bound lb1 --variant cpu --threads 2 \
	--log new/run.log --json r.json
check "... as JSON lines that agree with the result" log_is_right new/run.log "start end"
# shellcheck disable=SC2086
check "a time limit ends a solve" exits 3 "$ivm" solve $hard --variant cpu --time-limit 1 --progress=0.1
check "... and --progress prints lines" grep -q '^gmys-ivm: .* s, .*bound ' err.txt
check "a second run appends to the log" exits 0 "$ivm" solve --instance random:10x5:99:4 --start none \
	--variant serial --log new/run.log --json r.json
check "... its incumbents get better" log_is_right new/run.log "incumbent"
check "... and the first run is still there" test "$(grep -c '"event": "start"' new/run.log)" -eq 2

for call in "$pool solve --variant cpu" "$pool solve --variant serial" "$ivm solve --variant serial" \
	"$ivm solve --variant cpu" "$ivm solve --variant published --device cpu"; do
	# shellcheck disable=SC2086
	check "${call##*/} stops at the node limit" exits 3 $call $hard --node-limit 3000 --json r.json \
		--log limit.log
	check "... with one line" one_line 'stopped by --node-limit 3000$'
	check "... with a valid result" stopped_near decomposed 3000 300
	check "... and a log" log_is_right limit.log "incumbent"
done
check "a larger limit is no limit" exits 0 "$pool" solve --instance random:7x3:9 --variant cpu --node-limit 1000000
check "N-Queens stop at the node limit" exits 3 "$pool" solve --problem nqueens --instance 17 --variant cpu \
	--threads 2 --node-limit 1000000 --json r.json --log queens.log
check "... soon" stopped_near explored 1000000 60000000
check "... with a log" log_is_right queens.log ""
check "ATSP stops at the node limit" exits 3 "$ivm" solve --problem atsp --instance random:19:1000:1 \
	--variant cpu --threads 2 --node-limit 50000 --json r.json
check "... soon" stopped_near decomposed 50000 400000
check "a simulated device stops at the node limit" exits 3 "$pool" solve --instance ta011 --bound lb1 \
	--branching maxsum --device sim --variant tuned --node-limit 200 --json r.json --start-seconds 0.1
check "... after its launches" stopped_near decomposed 200 50000

# shellcheck disable=SC2086
check "checkpoints are in the log" exits 3 "$ivm" solve $hard --variant serial --node-limit 400000 \
	--checkpoint a.state --checkpoint-period 0.01 --log c.log --json r.json --progress=0.01
check "... as events" log_is_right c.log "checkpoint progress"
# shellcheck disable=SC2086
check "a node limit counts from the start of a resumed run" exits 3 "$ivm" solve $hard --variant serial \
	--node-limit 5000 --resume a.state --json r.json
check "... and the counts of both runs are added" stopped_near decomposed 405000 200

long="--instance random:18x20:99:3 --bound lb1 --branching maxsum --threads 2 --start-seconds 0.1"
# shellcheck disable=SC2086
interrupted_showing "a search on cores is interrupted" share.log '"share": 0\..*"seconds_left_low": .*"seconds_left_high": ' 0.9 \
	"$ivm" solve $long --variant cpu --progress=0.05 --json r.json --checkpoint share.state
check "... its log has the share and the time left, with a range" log_is_right share.log "progress"
check "... and the line too" grep -q '% of the tree, .* left (.* to ' err.txt
share_goes_on() { # quietly
	python3 - share.log <<-'END'
		import json, sys
		lines = [json.loads(line) for line in open(sys.argv[1])]
		starts = [i for i, line in enumerate(lines) if line["event"] == "start"]
		first, second = ([line["share"] for line in run if line.get("share") is not None]
		                 for run in (lines[:starts[1]], lines[starts[1]:]))
		assert second[0] > 0.2 * first[-1] and second[-1] == 1, (first[-1], second[0])
	END
}
cp share.log first.log
for _ in 1 2 3; do # a sample of the tree may be far off on a loaded machine
	cp first.log share.log
	# shellcheck disable=SC2086
	check "a resumed search goes on" exits 0 "$ivm" solve $long --variant cpu --progress=0.02 --log share.log \
		--json r.json --resume share.state
	check "... to its end" log_is_right share.log "progress"
	! share_goes_on 2>why.txt || break
done
check "... with the share of both runs" share_goes_on
known='"event": "progress".*"share": 0\.' # a share of the tree in a line of a log
# shellcheck disable=SC2086
interrupted_showing "a simulated device tells the share" sim.log "$known" 2.5 "$ivm" solve $long --device sim \
	--variant tuned --progress=0.1 --json r.json
check "... in its log" log_is_right sim.log "progress"

# Every other engine knows its share, too.
forward="--instance random:17x20:99:2 --bound lb1 --start-seconds 0.1" sets="--instance random:18x20:99:2 --bound lb2"
for call in "$ivm solve $long --variant serial" "$ivm solve $long --variant published --device cpu" \
	"$ivm solve $long --variant published --device sim" "$pool solve $forward --variant serial" \
	"$pool solve $forward --variant published --device sim:0,1" "$pool solve $sets --variant tuned --device sim" \
	"$pool solve --problem nqueens --instance 16 --variant serial" \
	"$pool solve --problem nqueens --instance 14 --variant published --device sim" \
	"$ivm solve --problem atsp --instance random:24:1000:1 --variant published --device cpu"; do
	# shellcheck disable=SC2086
	interrupted_showing "${call##*/} is interrupted, and its share is known" other.log "$known" 1.4 ${call/ --threads 2/} \
		--progress=0.1 --json r.json
	check "... its share does not decrease" log_is_right other.log "progress"
done
for call in "$ivm solve --variant serial" "$ivm solve --variant published --device cpu --threads 2"; do
	rm -f queens.log
	# shellcheck disable=SC2086
	check "${call##*/} counts queens" exits 0 $call --problem nqueens --instance 14 --progress=0.05 --log queens.log \
		--json r.json
	check "... with a share close to that of the nodes" python3 - queens.log <<-'END'
		import json, sys
		lines = [json.loads(line) for line in open(sys.argv[1])]
		counts = lines[-1]["counts"]
		nodes = counts["explored" if "explored" in counts else "decomposed"]
		wrong = [l for l in lines if l["event"] == "progress" and "share" in l
		         and abs(l["share"] - l["nodes"] / nodes) > 0.2]
		assert lines[-1]["share"] == 1 and not wrong, wrong
	END
done

check "a full disk does not stop the solve" exits 0 "$ivm" solve --instance ta001 --variant cpu \
	--log /dev/full --json r.json
check "... is reported in one line" one_line 'cannot write --log /dev/full: .*; the solve goes on without it'
check "... and the result is complete" grep -q '"verified": true' r.json
check "a log that cannot be opened is refused" exits 1 "$ivm" solve --instance ta001 --log /proc/none/x
check "... in one line" one_line '/proc/none'
check "other targets log start and end" exits 0 "$bin/dp-knapsack" solve --instance boyer:100 --variant cpu \
	--log k.log --json r.json
check "... and their solution" test "$(grep -c '"event": "\(start\|incumbent\|end\)"' k.log)" -eq 3
check "a beam search logs its schedules" exits 0 "$bin/koester-recovery" solve --instance ta031 --beam 200 \
	--variant cpu --log t.log --json r.json
check "... as they get better" log_is_right t.log "incumbent"
check "... more than one" test "$(grep -c '"event": "incumbent"' t.log)" -ge 2
check "an error is in the log" exits 2 "$ivm" solve --instance nothing.fsp --log e.log
check "... with its text" grep -q '"event": "end".*"status": "error", "reason": ".*nothing.fsp' e.log

for target in dp-knapsack gboa koester-recovery; do
	check "$target refuses --node-limit" exits 2 "$bin/$target" solve --instance ta001 --node-limit 5
	check "... in one line" one_line "node-limit is not supported by $target"
done
check "a bad period is refused" exits 2 "$ivm" solve --instance ta001 --progress=soon
check "... in one line" one_line "progress: 'soon' is not a number"

# On a terminal one line is redrawn, and removed at the end.
cat >terminal.py <<-'END'
	import os, pty, re, sys
	pid, fd = pty.fork()
	if pid == 0:
	    os.execv(sys.argv[1], sys.argv[1:])
	data = b""
	while True:
	    try:
	        part = os.read(fd, 65536)
	    except OSError:
	        break
	    if not part:
	        break
	    data += part
	os.waitpid(pid, 0)
	sys.stdout.write(data.decode())
END
for limit in 2.3 10; do # a loaded machine needs longer
	# shellcheck disable=SC2086
	python3 terminal.py "$ivm" solve $hard --variant serial --time-limit $limit >shown.txt
	! grep -q 'nodes/s, best' shown.txt || break
done
check "on a terminal the line is redrawn" grep -q $'\r\033\\[Kgmys-ivm: .* nodes/s, best [0-9]* ' shown.txt
check "... and removed before the result" grep -q $'\r\033\\[Kgmys-ivm: ta051, serial' shown.txt
# shellcheck disable=SC2086
python3 terminal.py "$ivm" solve $hard --variant serial --time-limit 1.3 --progress=0 >shown.txt
check "--progress=0 shows nothing" test "$(grep -c 'nodes/s' shown.txt)" -eq 0
exit $failed
