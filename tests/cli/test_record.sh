#!/usr/bin/env bash
# Records are made from one commit only, in parts, and continue after a kill and on another machine. They
# are written when all parts are measured.
# usage: test_record.sh BIN_DIR
set -eu
. "$(dirname "$0")/drive.bash"
# The demo as if it were built from the commit in the file `revision`, dirty or not as that has it.
mkdir bin
ln -s "$bin/copra-peaks" bin/
cat >bin/copra-demo <<END
#!/usr/bin/env bash
read -r revision dirty <"$work/revision"
claim() {
	sed -E "s/(\"(copra_)?revision\": )\"[^\"]*\"/\\1\"\$revision\"/; s/(\"(copra_)?dirty\": )[01]/\\1\$dirty/" "\$@"
}
case " \$* " in *--copra_estimate*) "$bin/copra-demo" "\$@" | claim && exit ;; esac
"$bin/copra-demo" "\$@"
code=\$?
for out in "\$@"; do
	case \$out in --benchmark_out=*) claim -i "\${out#*=}" ;; esac
done
exit \$code
END
chmod +x bin/copra-demo
export BIN=$work/bin STATE=$work/state RECORDED=$work/recorded SCALE=smoke
unset COPRA_RESULTS COPRA_MACHINE NAME GPUS
record=("$root/scripts/record.sh")
naps 1 1

echo "c0ffee 1" >revision
check "a tree with changes is refused" exits 2 "${record[@]}"
check "... in one line" one_line "built with uncommitted changes"
echo "unknown 0" >revision
check "no commit is refused" exits 2 "${record[@]}"
echo "c0ffee 0" >revision
for bad in GPUS=none NAME=a/b SCALE=huge MINUTES=x PAPER=nothing; do
	check "$bad is refused" exits 2 env "$bad" "${record[@]}"
	check "... in one line" test "$(wc -l <err.txt)" -eq 1
done
check "nothing is recorded so far" test ! -e recorded

export NAME=here
check "a call too short for anything: exit code 3" exits 3 env COPRA_DEMO_LONG=1 MINUTES=5 "${record[@]}"
check "... is reported" grep -q "^record: no remaining case fits" err.txt
check "a first part: exit code 3" exits 3 env COPRA_DEMO_LONG=3 MINUTES=5 "${record[@]}"
check "... nothing is recorded yet" test ! -e recorded
check "--status" exits 0 "${record[@]}" --status
check "... shows what is left" grep -qE '5 cases, 3 to run' out.txt
mv state elsewhere
check "the rest, from a copy of the state" exits 0 env STATE="$work/elsewhere" MINUTES=5 "${record[@]}"
file=recorded/here/copra-demo/smoke/bench.json
check "... all rows" python3 -c 'import json, sys
assert len(json.load(open(sys.argv[1]))["benchmarks"]) == 5' $file
check "... of that commit" grep -q '"copra_revision": "c0ffee"' $file
check "... with what was skipped" test -s ${file%.json}.skipped.json
check "no temporary files are left" test -z "$(find recorded -name '*.tmp')"

check "what takes too long is left out" exits 0 env LONGEST=0.0001 RECORDED="$work/short" STATE="$work/brief" "${record[@]}"
check "... and the record says so" grep -q 'longer than the 0.0001 s' short/here/copra-demo/smoke/bench.skipped.json

echo "decade 0" >revision
check "another commit beside it is refused" exits 2 env SCALE=quick "${record[@]}"
check "... and the file is named" one_line "$file is from commit c0ffee, not decade"
check "but may replace it" exits 0 "${record[@]}"
check "... whole" grep -q '"copra_revision": "decade"' $file
check "fewer GPUs are another machine" exits 0 env -u NAME GPUS=2 DEVICE=sim:0,1 "${record[@]}"
check "... of that name" test -e recorded/*-x2/copra-demo/smoke/bench.json

export COPRA_BENCH_FLAGS="--benchmark_filter=nap|wrong --benchmark_min_time=1x" NAME=failing
check "a failed case: exit code 1" exits 1 "${record[@]}"
check "... nothing is recorded" test ! -e recorded/failing
exit $failed
