#!/usr/bin/env bash
# Each flag that `solve --help` of a target shows works with one of its problems and variants. Flags that
# the target does not support are not shown and are refused by name. $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
printf '3 1\n2 4\n' >times.txt
exits 0 "$bin/gmys-ivm" solve --instance random:5x3:9 --variant serial --checkpoint old.state
printf '#!/bin/sh\necho "{\\"solution\\": [0, 1, 2, 3, 4]}"\n' >start.sh
chmod +x start.sh
exits 0 "$bin/helbecque-pool" solve --instance random:5x3:9 --variant serial --checkpoint nodes.state

flags_of() { # target, command
	"$bin/$1" "$2" --help | sed -n 's/^  --\([A-Za-z-]*\).*/\1/p'
}
with() { # call, value of the flag (none: it takes no value)
	echo "$1 --$flag${2+ $2}"
}
# Prints a call with the flag. Every flag that --help shows must have one here.
shop="--instance random:5x3:9" sim="--device sim"
call_of() { # target, command, flag
	local small problem flag=$3
	case $1 in
	dp-knapsack) small="--instance boyer:5" problem=knapsack ;;
	gboa) small="--instance trap5:10 --variant cpu" problem=trap5 ;;
	*) small="$shop --variant cpu" problem=pfsp ;;
	esac
	[ "$2" = solve ] || small+=" --to 64 --from 64 --runs 1"
	case $1:$flag in
	*:problem) with "$small" $problem ;;
	*:instance) echo "$small" ;;
	*:variant) with "${small/--variant cpu/}" serial ;;
	koester-recovery:rung) with "--problem synthetic --instance 4x4 --device sim" literal ;;
	*:rung) with "${small/--variant cpu/} --device sim" literal ;;
	*:device) with "$small" cpu ;;
	*:gpus) with "${small/--variant cpu/} --variant tuned --device sim:0,1" 1 ;;
	*:threads) with "$small" 2 ;;
	*:seed) with "$small" 3 ;;
	*:time-limit) with "$small" 5 ;;
	*:json) with "$small" r.json ;;
	*:progress) echo "$small --progress=5" ;;
	*:log) with "$small" run.log ;;
	*:plot) with "$small" new/plot.svg ;;
	*:node-limit) with "$small" 100000 ;;
	dp-knapsack:form) with "$small --variant cpu" fused ;;
	dp-knapsack:memory) with "$small --variant cpu" 64M ;;
	dp-knapsack:transfers) with "$small --variant published --device sim:0,1" pinned ;;
	dp-knapsack:value-only) with "$small --variant cpu" ;;
	*-*:bound) with "$small" lb1 ;;
	koester-recovery:branching) with "$small" forward ;;
	*-*:branching) with "$small" maxsum ;;
	*-*:start) with "$small" neh ;;
	*-*:start-command) with "$small" ./start.sh ;;
	*-*:improve) with "$small" 1 ;;
	*-*:start-seconds) with "$small" 0.01 ;;
	*-*:ub) with "$small" 50 ;;
	*-*:format) with "--instance times.txt --variant cpu" jobs-by-machines ;;
	helbecque-pool:incumbent) with "$small" private ;;
	helbecque-pool:steal) with "$small" off ;;
	helbecque-pool:m) with "$shop --variant published $sim" 2 ;;
	helbecque-pool:M) with "$shop --variant published $sim" 20 ;;
	helbecque-pool:checkpoint) with "$small" new.state ;;
	helbecque-pool:resume) with "$small" nodes.state ;;
	helbecque-pool:checkpoint-period) with "$small --checkpoint new.state" 1 ;;
	helbecque-pool:solutions-only) with "--problem nqueens --instance 6 --variant cpu" ;;
	gmys-ivm:checkpoint) with "$shop --variant serial" new.state ;;
	gmys-ivm:resume) with "$shop --variant serial" old.state ;;
	gmys-ivm:checkpoint-period) with "$shop --variant published --device cpu --checkpoint new.state" 1 ;;
	gmys-ivm:ivms) with "$shop --variant published $sim" 32 ;;
	gmys-ivm:mode) with "$shop --variant published $sim --ivms 32" pte ;;
	gmys-ivm:trigger) with "$shop --variant published $sim --ivms 32" 4 ;;
	gmys-ivm:strategy) with "$shop --variant published $sim --ivms 32" ring ;;
	gmys-ivm:explorers) with "$shop --variant published $sim --ivms 32" 1 ;;
	gmys-ivm:hybrid) with "$shop --variant published $sim --ivms 32 --explorers 1" farmer ;;
	gmys-ivm:steal-parts) with "$shop --variant published $sim --ivms 32 --explorers 1" 3 ;;
	*-*:memory) with "$small" 64M ;;
	koester-recovery:beam) with "$small" 20 ;;
	koester-recovery:recovery) with "$small" gpu ;;
	koester-recovery:distance) with "$small --recovery checkpoint" 2 ;;
	koester-recovery:adapt) with "$small --recovery adaptive" 3 ;;
	koester-recovery:cache) with "$small" off ;;
	koester-recovery:budget-peer) with "$shop --variant tuned --device sim:0,1 --recovery multistage" 1M ;;
	koester-recovery:budget-*) with "$small --recovery multistage" 1M ;;
	koester-recovery:rounds) with "$small" 1 ;;
	koester-recovery:look-ahead) with "$small" 2 ;;
	koester-recovery:guide) with "$small" idle ;;
	koester-recovery:schedule) with "$(model)" each ;;
	koester-recovery:fill-rate | koester-recovery:break-probability) with "$(model)" 0.5 ;;
	koester-recovery:states | koester-recovery:load | koester-recovery:iterations) with "$(model)" 2 ;;
	koester-recovery:state-bytes) with "$(model)" 4096 ;;
	gboa:population | gboa:from | gboa:to) with "$small" 64 ;;
	gboa:selected) with "$small --population 64" 32 ;;
	gboa:model) with "$small" hboa ;;
	gboa:max-parents | gboa:generations) with "$small" 2 ;;
	gboa:runs | gboa:needed | gboa:repeats) with "$small" 1 ;;
	gboa:replacement) with "$small" all ;;
	gboa:smoothing) with "$small" laplace ;;
	gboa:engine) with "${small/cpu/tuned} $sim" batch ;;
	gboa:tournament | gboa:window) with "$small --model hboa" 4 ;;
	gboa:merges) with "$small --model hboa" on ;;
	gboa:host-share) with "${small/cpu/published} $sim" 0.5 ;;
	gboa:block-threads) with "${small/cpu/published} $sim" 64 ;;
	gboa:block-shared) with "${small/cpu/published} $sim" 16K ;;
	gboa:stop) with "$small" optimum ;;
	gboa:precision) with "$small" 0.2 ;;
	*) return 1 ;;
	esac
}
model() { echo "--problem synthetic --instance 4x4 --variant cpu --states 8 --beam 2 --load 2 --iterations 2"; }
accepted() { # target, command, flags...: done, or stopped at a limit
	local got=0
	"$bin/$1" "$2" "${@:3}" >out.txt 2>err.txt || got=$?
	[ $got -eq 0 ] || [ $got -eq 3 ] || { echo "exit code $got"; cat err.txt; return 1; }
}

for command in "dp-knapsack solve" "helbecque-pool solve" "gmys-ivm solve" "koester-recovery solve" "gboa solve" \
	"gboa size"; do
	flags=$(flags_of $command)
	check "$command --help shows at least ten flags" test "$(wc -l <<<"$flags")" -ge 10
	for flag in $flags; do
		case $flag in gpus-per-rank | steal-between) continue ;; esac # need mpirun: test_cluster.sh
		call=$(call_of $command "$flag") || call="--no-call-for-$flag"
		check "$command accepts --$flag" accepted $command $call
	done
	for flag in ub checkpoint resume; do
		grep -qx "$flag" <<<"$flags" && continue
		check "$command refuses --$flag" exits 2 "$bin/${command% *}" "${command#* }" --instance x --$flag x
		check "the refusal names --$flag" one_line "^${command% *}: --$flag is not supported by ${command% *}"
	done
done
for target in dp-knapsack koester-recovery gboa; do
	check "$target --help shows neither --ub nor --checkpoint nor --resume" bash -c \
		'! "$1" solve --help | grep -E -- "--(ub|checkpoint|resume)="' bash "$bin/$target"
done
exit $failed
