#!/usr/bin/env bash
# `solve --help` of a target shows the flags that it takes: each works with one of its problems and variants, and
# one that it does not take is refused by name and not shown. $1: the folder of binaries.
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
printf '3 1\n2 4\n' >times.txt
exits 0 "$bin/gmys-ivm" solve --instance random:5x3:9 --variant serial --checkpoint old.state

flags_of() { # target, command
	"$bin/$1" "$2" --help | sed -n 's/^  --\([A-Za-z-]*\).*/\1/p'
}
# A call that takes the flag, for each that --help shows; a flag without one here fails the test.
shop="--instance random:5x3:9" sim="--device sim"
call_of() { # target, command, flag
	local small
	case $1 in
	dp-knapsack) small="--instance boyer:5" problem=knapsack ;;
	gboa) small="--instance trap5:10 --variant cpu" problem=trap5 ;;
	*) small="$shop --variant cpu" problem=pfsp ;;
	esac
	[ "$2" = solve ] || small+=" --to 64 --from 64 --runs 1"
	case $3 in
	problem) echo "$small --problem $problem" ;;
	instance) echo "$small" ;;
	variant) echo "${small/--variant cpu/} --variant serial" ;;
	device) echo "$small --device cpu" ;;
	gpus) echo "${small/--variant cpu/} --variant tuned --device sim:0,1 --gpus 1" ;;
	threads) echo "$small --threads 2" ;;
	seed) echo "$small --seed 3" ;;
	time-limit) echo "$small --time-limit 5" ;;
	json) echo "$small --json r.json" ;;
	*)
		case $1:$3 in
		dp-knapsack:form) echo "$small --variant cpu --form fused" ;;
		dp-knapsack:memory) echo "$small --variant cpu --memory 64M" ;;
		dp-knapsack:value-only) echo "$small --variant cpu --value-only" ;;
		*-*:bound) echo "$small --bound lb1" ;;
		koester-recovery:branching) echo "$small --branching forward" ;;
		*-*:branching) echo "$small --branching maxsum" ;;
		*-*:start) echo "$small --start neh" ;;
		*-*:start-seconds) echo "$small --start-seconds 0.01" ;;
		*-*:ub) echo "$small --ub 50" ;;
		*-*:format) echo "--instance times.txt --variant cpu --format jobs-by-machines" ;;
		helbecque-pool:incumbent) echo "$small --incumbent private" ;;
		helbecque-pool:steal) echo "$small --steal off" ;;
		helbecque-pool:m) echo "$shop --variant published $sim --m 2" ;;
		helbecque-pool:M) echo "$shop --variant published $sim --M 20" ;;
		helbecque-pool:solutions-only) echo "--problem nqueens --instance 6 --variant cpu --solutions-only" ;;
		gmys-ivm:checkpoint) echo "$shop --variant serial --checkpoint new.state" ;;
		gmys-ivm:resume) echo "$shop --variant serial --resume old.state" ;;
		gmys-ivm:checkpoint-period)
			echo "$shop --variant published --device cpu --checkpoint new.state --checkpoint-period 1" ;;
		gmys-ivm:ivms) echo "$shop --variant published $sim --ivms 32" ;;
		gmys-ivm:mode) echo "$shop --variant published $sim --ivms 32 --mode pte" ;;
		gmys-ivm:trigger) echo "$shop --variant published $sim --ivms 32 --trigger 4" ;;
		gmys-ivm:strategy) echo "$shop --variant published $sim --ivms 32 --strategy ring" ;;
		gmys-ivm:explorers) echo "$shop --variant published $sim --ivms 32 --explorers 1" ;;
		gmys-ivm:hybrid) echo "$shop --variant published $sim --ivms 32 --explorers 1 --hybrid farmer" ;;
		gmys-ivm:steal-parts) echo "$shop --variant published $sim --ivms 32 --explorers 1 --steal-parts 3" ;;
		*-*:memory) echo "$small --memory 64M" ;;
		koester-recovery:beam) echo "$small --beam 20" ;;
		koester-recovery:recovery) echo "$small --recovery gpu" ;;
		koester-recovery:distance) echo "$small --recovery checkpoint --distance 2" ;;
		koester-recovery:adapt) echo "$small --recovery adaptive --adapt 3" ;;
		koester-recovery:cache) echo "$small --cache off" ;;
		koester-recovery:budget-peer)
			echo "$shop --variant tuned --device sim:0,1 --recovery multistage --budget-peer 1M" ;;
		koester-recovery:budget-*) echo "$small --recovery multistage --$3 1M" ;;
		koester-recovery:rounds) echo "$small --rounds 1" ;;
		koester-recovery:look-ahead) echo "$small --look-ahead 2" ;;
		koester-recovery:guide) echo "$small --guide idle" ;;
		koester-recovery:schedule) echo "$(model) --schedule each" ;;
		koester-recovery:fill-rate | koester-recovery:break-probability) echo "$(model) --$3 0.5" ;;
		koester-recovery:states | koester-recovery:load | koester-recovery:iterations) echo "$(model) --$3 2" ;;
		koester-recovery:state-bytes) echo "$(model) --state-bytes 4096" ;;
		gboa:population | gboa:from | gboa:to) echo "$small --$3 64" ;;
		gboa:selected) echo "$small --population 64 --selected 32" ;;
		gboa:model) echo "$small --model hboa" ;;
		gboa:max-parents | gboa:generations) echo "$small --$3 2" ;;
		gboa:runs | gboa:needed | gboa:repeats) echo "$small --$3 1" ;;
		gboa:replacement) echo "$small --replacement all" ;;
		gboa:smoothing) echo "$small --smoothing laplace" ;;
		gboa:engine) echo "${small/cpu/tuned} $sim --engine batch" ;;
		gboa:tournament | gboa:window) echo "$small --model hboa --$3 4" ;;
		gboa:merges) echo "$small --model hboa --merges on" ;;
		gboa:host-share) echo "${small/cpu/published} $sim --host-share 0.5" ;;
		gboa:block-threads) echo "${small/cpu/published} $sim --block-threads 64" ;;
		gboa:stop) echo "$small --stop optimum" ;;
		gboa:precision) echo "$small --precision 0.2" ;;
		*) return 1 ;;
		esac
		;;
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
	check "$command --help shows flags" test "$(wc -l <<<"$flags")" -ge 10
	for flag in $flags; do
		call=$(call_of $command "$flag") || call="--no-call-for-$flag"
		check "$command takes --$flag" accepted $command $call
	done
	for flag in ub checkpoint resume; do
		grep -qx "$flag" <<<"$flags" && continue
		check "$command refuses --$flag" exits 2 "$bin/${command% *}" "${command#* }" --instance x --$flag x
		check "... by name" one_line "^${command% *}: --$flag is not supported by ${command% *}"
	done
done
check "helbecque-pool names who keeps checkpoints" exits 2 "$bin/helbecque-pool" solve $shop --checkpoint new.state
check "... and how" one_line "gmys-ivm solve --checkpoint FILE .*--variant published --device cpu"
for problem in "$shop" "--problem nqueens --instance 6"; do
	check "... which works: $problem" exits 0 "$bin/gmys-ivm" solve $problem --checkpoint new.state \
		--variant published --device cpu
done
for target in dp-knapsack koester-recovery gboa; do
	check "$target shows neither bound nor checkpoint" bash -c \
		'! "$1" solve --help | grep -E -- "--(ub|checkpoint|resume)="' bash "$bin/$target"
done
exit $failed
