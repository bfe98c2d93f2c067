#!/usr/bin/env bash
# SIGTERM ends every kind of search within seconds, with exit code 3, one line that names the signal, a
# valid JSON object and, if requested, a checkpoint. Checkpoints that cannot be written for a while. Also
# the time limits of gboa.
# $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
begin gboa "$1"
folder=$(dirname "$bin")
most=8 # seconds: two are enough on an idle machine

ended() { # description, exit code, start in ns, text of the line
	local took=$((($(date +%s%N) - $3) / 1000000))
	check "$1: exit code 3" [ "$2" -eq 3 ]
	check "it ends within $most s" [ $took -lt $((most * 1000)) ]
	check "one line names the cause" one_line "$4"
	check "the JSON object has the status limit" python3 -c '
import json
r = json.load(open("result.json"))
assert r["status"] == "limit", r
'
}
terminated() { # program, flags...: SIGTERM after half a second
	local program=$1 begin code=0 pid
	shift
	rm -f result.json log
	"$folder/$program" solve "$@" --json result.json --log log >out.txt 2>err.txt &
	pid=$!
	until_it_takes_signals $pid "$folder/$program"
	until_there grep -qs '"event": "start"' log || true # a signal before leaves no checkpoint
	sleep 0.5
	begin=$(date +%s%N)
	kill -TERM $pid || true # an earlier end shows in the exit code
	for _ in $(seq 200); do
		kill -0 $pid 2>/dev/null || break
		sleep 0.1
	done
	kill -KILL $pid 2>/dev/null || true
	wait $pid || code=$?
	ended "SIGTERM to $program $*" $code "$begin" "stopped by SIGTERM"
}
limited() { # command, flags... of gboa
	local begin code=0
	begin=$(date +%s%N)
	rm -f result.json
	timeout -s KILL 20 "$bin" "$@" --time-limit 0.4 --json result.json >out.txt 2>err.txt || code=$?
	ended "gboa $*" $code "$begin" "stopped by --time-limit 0.4"
}

terminated dp-knapsack --instance boyer:100000:1 --variant published --device sim
terminated dp-knapsack --instance boyer:100000:1 --variant cpu
terminated helbecque-pool --problem nqueens --instance 20 --variant tuned --device sim
terminated gmys-ivm --instance ta023 --variant published --mode pte --device sim:0,1 --checkpoint state
check "the search continues from the checkpoint" exits 3 "$folder/gmys-ivm" solve --instance ta023 \
	--variant published --device cpu --threads 1 --resume state --time-limit 0.2
terminated koester-recovery --problem synthetic --instance 64x64 --states 8192 --load 100 \
	--schedule each --variant cpu

# ---- a signal that arrives before the search leaves a checkpoint of the whole tree ----
held() { # program, arguments...: runs it with a SIGTERM that waits until it takes signals
	timeout -s KILL 60 python3 -c 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
os.kill(os.getpid(), signal.SIGTERM)
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}
tree="--instance ta013 --bound lb1 --branching minbranch --ub opt"
for call in "gmys-ivm solve --variant serial" "gmys-ivm solve --variant cpu" \
	"gmys-ivm solve --variant published --device cpu" "gmys-ivm solve --variant tuned --device sim" \
	"helbecque-pool solve --variant cpu" "helbecque-pool solve --variant tuned --device sim"; do
	rm -f early.state result.json
	# shellcheck disable=SC2086
	check "$call is signalled before it starts" exits 3 held "$folder/"$call $tree --checkpoint early.state
	check "... in one line" one_line 'stopped by SIGTERM$'
	# shellcheck disable=SC2086
	check "... and resumed" exits 0 "$folder/gmys-ivm" solve $tree --variant cpu --resume early.state --json result.json
	check "... with the whole tree" python3 -c '
import json
r = json.load(open("result.json"))
assert r["nodes"]["decomposed"] == 147233, r
'
done
# Whether copra solve, signalled when it has said what it starts, ends with a checkpoint, twelve times.
after_its_choice() {
	python3 - "$folder/copra" <<-'END'
		import os, signal, subprocess, sys, threading
		for _ in range(12):
		    if os.path.exists("choice.state"):
		        os.remove("choice.state")
		    p = subprocess.Popen([sys.argv[1], "solve", "ta051", "--variant", "cpu", "--checkpoint", "choice.state"],
		                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
		    late = threading.Timer(120, p.kill) # a signal that is lost
		    late.start()
		    first = p.stderr.readline()
		    p.send_signal(signal.SIGTERM)
		    rest = p.stderr.read()
		    assert p.wait() == 3 and os.path.exists("choice.state"), (p.returncode, first, rest)
		    late.cancel()
	END
}
check "copra solve loses no signal while it becomes the target" after_its_choice

# ---- a checkpoint that cannot be written ends no search but one that is stopped ----
queens="--problem nqueens --instance"
while read -r program flags; do
	# shellcheck disable=SC2086
	stops_without_folder "$program $flags" "$program" "$folder/$program" solve $flags
done <<END
gmys-ivm --instance ta051 --bound lb1 --ub 3850 --start neh --variant serial
gmys-ivm --instance ta051 --bound lb1 --ub 3850 --start neh --variant cpu --threads 2
gmys-ivm --instance ta051 --bound lb1 --ub 3850 --start neh --variant tuned --device sim
gmys-ivm --instance ta051 --bound lb1 --ub 3850 --start neh --variant published --device sim
gmys-ivm $queens 18 --variant tuned --device sim
helbecque-pool $queens 18 --variant serial
helbecque-pool $queens 18 --variant published --device sim
helbecque-pool $queens 18 --variant tuned --device sim
END
# shellcheck disable=SC2086
completes_without_folder serial 365596 "$folder/gmys-ivm" solve $queens 14 --variant serial
# shellcheck disable=SC2086
completes_without_folder "a simulated device" 14200 "$folder/gmys-ivm" solve $queens 12 --variant published --device sim

limited solve --instance trap5:1000 --population 48000 --variant serial --model hboa
limited solve --instance trap5:1000 --population 48000 --variant published --device sim
limited solve --instance knapsack:boyer:1000 --population 9600 --variant tuned --engine large \
	--device sim:0,1
limited solve --instance ising:20 --population 9600 --runs 500 --variant tuned --device sim:0,1
limited size --instance trap5:100 --variant tuned --device sim
exit $failed
