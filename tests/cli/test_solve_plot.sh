#!/usr/bin/env bash
# solve --plot draws a flowshop schedule as a Gantt chart. $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
ivm=$bin/gmys-ivm pool=$bin/helbecque-pool track=$bin/koester-recovery

# Computes the schedule of r.json from the instance and compares it with the boxes of the drawing: one
# for each operation, with its times in the title and in proportion to them, none above another.
chart_is_right() { # drawing, instance
	"$bin/copra-instance" --instance "$2" --problem flowshop --output shop.txt >/dev/null 2>&1 || return 1
	python3 - "$1" <<-'END'
		import json, re, sys
		import xml.etree.ElementTree as tree
		svg = "{http://www.w3.org/2000/svg}"
		result = json.load(open("r.json"))
		text = open("shop.txt").read().split("processing times :")
		times = [[int(x) for x in row.split()] for row in text[1].strip().splitlines()]
		jobs, machines = len(times[0]), len(times)
		expected, end = {}, [0] * machines
		for job in result["solution"]:
		    ready = 0
		    for k in range(machines):
		        begin = max(ready, end[k])
		        ready = end[k] = begin + times[k][job]
		        expected[job, k] = (begin, ready)
		assert max(end) == result["objective"]
		root = tree.parse(sys.argv[1]).getroot()
		words = [t.text for t in root.iter(svg + "text")]
		assert str(result["objective"]) in words, words[-5:]
		assert root.find(svg + "title").text == words[0]
		assert f"makespan {result['objective']}" in words[0], words[0]
		boxes, colours, rows = {}, {}, {}
		for box in root.iter(svg + "rect"):
		    name = box.find(svg + "title").text
		    job, k, begin, stop = map(int, re.fullmatch(r"job (\d+), machine (\d+): (\d+) to (\d+)", name).groups())
		    assert (job, k) not in boxes and expected[job, k] == (begin, stop), name
		    boxes[job, k] = (float(box.get("x")), float(box.get("width")), begin, stop)
		    assert colours.setdefault(job, box.get("fill")) == box.get("fill")
		    assert rows.setdefault(k, box.get("y")) == box.get("y")
		assert len(boxes) == jobs * machines and len(set(rows.values())) == machines
		assert len(set(colours.values())) == jobs
		left = min(x for x, _, _, _ in boxes.values())
		scale = max(w / (stop - begin) for _, w, begin, stop in boxes.values() if stop - begin > 20)
		for k in range(machines):
		    row = sorted(boxes[j, k] for j in range(jobs))
		    for x, width, begin, stop in row:
		        assert abs(x - left - scale * begin) < 0.02 * scale * max(end) / 10, (x, begin)
		    for (x, width, _, _), (after, _, _, _) in zip(row, row[1:]):
		        assert x + width <= after + 0.011
	END
}

check "a schedule is drawn" exits 0 "$ivm" solve --instance ta001 --bound lb1 --variant cpu --start neh \
	--plot new/a.svg --json r.json
check "... and the summary says so" grep -q 'the schedule is drawn in new/a.svg' out.txt
check "... with all operations at their times" chart_is_right new/a.svg ta001
check "... and is called optimal" grep -q '<title>ta001: .*, optimal (gmys-ivm)' new/a.svg
check "a schedule is drawn after a limit" exits 3 "$pool" solve --instance ta021 --start neh --variant cpu \
	--node-limit 1000 --plot b.svg --json r.json
check "... with all operations" chart_is_right b.svg ta021
check "a large schedule of a heuristic is drawn" exits 0 "$track" solve --instance ta081 --variant cpu --beam 5 \
	--plot c.svg --json r.json
check "... with all operations" chart_is_right c.svg ta081
printf '0 3 2\n1 2 0\n' >'a&<b.txt'
check "names with special characters are escaped" exits 0 "$ivm" solve --instance 'a&<b.txt' \
	--format jobs-by-machines --variant serial --plot d.svg --json r.json
check "... in XML" python3 -c 'import xml.etree.ElementTree as t; t.parse("d.svg")'

check "a run without a schedule draws nothing" exits 0 "$ivm" solve --instance ta001 --bound lb1 --variant cpu \
	--ub 1200 --start none --plot e.svg
check "... and says so" grep -q -- '--plot: there is no schedule, so e.svg was not written' out.txt
check "... and writes no file" test ! -e e.svg
check "another problem refuses --plot" exits 2 "$ivm" solve --problem nqueens --instance 6 --plot f.svg
check "... in one line" one_line 'plot: is only for --problem flowshop'
check "another problem of koester-recovery does, too" exits 2 "$track" solve --problem samegame \
	--instance random:5x5:3 --variant cpu --plot f.svg
check "... in one line" one_line 'plot is not used by --problem samegame'
check "another target refuses --plot" exits 2 "$bin/gboa" solve --instance trap5:10 --plot f.svg
check "... in one line" one_line 'plot is not supported by gboa'
check "a file that cannot be written is refused" exits 1 "$ivm" solve --instance ta051 --plot /proc/none/f.svg
check "... in one line, before the search" one_line 'plot: .*/proc/none'
check "a full disk fails after the result" exits 1 "$ivm" solve --instance ta001 --bound lb1 --variant cpu \
	--start neh --plot /dev/full
check "... in one line" one_line 'plot: .*/dev/full'
check "... and the result is printed" grep -q '^objective  1278' out.txt
exit $failed
