# Shared by the drivers (reproduce.sh, record.sh, process.sh): messages, the lock that allows one run
# at a time, and programs that end with the driver. The driver sets `program`, its name in messages,
# and sources this file.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause

. scripts/locale.bash
# a stream that the caller closed must not be reused for a results file
{ : >&1; } 2>/dev/null || exec >/dev/null
{ : >&2; } 2>/dev/null || exec 2>/dev/null

complain() {
	echo "$program: $1" >&2
}
die() { # exit code, message
	complain "$2"
	exit "$1"
}
duration() { # seconds
	awk -v s="$1" 'BEGIN {
		n = int(s + 0.5)
		if (s < 9.95) printf "%.1f s", s
		else if (n < 60) printf "%d s", n
		else if (n < 3600) printf "%d m %02d s", n / 60, n % 60
		else printf "%d h %02d m", n / 3600, n % 3600 / 60
	}'
}
size_of() { # bytes
	awk -v b="$1" 'BEGIN {
		if (b < 1e6) printf "%.0f KB", b / 1e3
		else if (b < 1e9) printf "%.1f MB", b / 1e6
		else printf "%.0f GB", b / 1e9
	}'
}

# Seconds since the driver began. SECONDS would follow a clock that is set meanwhile.
up_seconds() {
	local seconds
	read -r seconds _ </proc/uptime && echo "${seconds%.*}"
}
began_at=$(up_seconds)
elapsed() {
	echo $(($(up_seconds) - began_at))
}

# ---- one run at a time ----
# The kernel releases the lock with the last process that has the file open, so a dead process never
# holds it. The text in the file is for people. Where locks do not work, or only within a node, the text
# is all there is: a run that ends removes it, and one that finds the text of a process that may still
# run does not start. Two that start at the same moment are stopped by their journals
# (harness/base/journal.h).

system() { # within which the numbers of processes are unique
	echo "$(cat /proc/sys/kernel/random/boot_id)/$(readlink /proc/self/ns/pid)"
}
holder() { # field of the lock file
	sed -n "s/^$1=//p" "$lock" 2>/dev/null | tail -n 1
}
holder_says() {
	local pid since what now
	pid=$(holder pid) since=$(holder since) what=$(holder what) now=$(holder now)
	[ -n "$pid" ] || { printf 'unknown' && return; }
	printf 'process %s on %s, since %s%s%s' "$pid" "$(holder host)" "$since" \
		"${what:+, $what}" "${now:+; running $now}"
}
# A killed run may leave the program that it started, which ends soon.
wait_for_orphan() {
	local pid
	pid=$(holder pid)
	if [ -z "$pid" ]; then # a run that ended has left a program, or another run begins
		flock -w 5 9 && return
		pid=$(holder pid)
	fi
	[ -n "$pid" ] && [ -z "$(holder parts)" ] && [ "$(holder host)" = "$(uname -n)" ] && ! kill -0 "$pid" 2>/dev/null || return 1
	complain "process $pid was killed; waiting for its $(holder now) to end"
	flock -w "${COPRA_ORPHAN_SECONDS:-60}" 9
}
locks_are_local() { # file: on a file system whose locks other nodes do not see
	case $(findmnt -no FSTYPE,OPTIONS -T "$1" 2>/dev/null) in
	nfs*local_lock=all* | nfs*local_lock=flock* | lustre*localflock* | beegfs* | fuse.sshfs*) ;;
	*) return 1 ;;
	esac
}
try_lock() { # descriptor, file, flag for flock: 0 locked, 1 another run has it, 2 there are no locks
	local code
	command -v flock >/dev/null 2>&1 || return 2
	flock -n ${3:-} "$1" 2>/dev/null
	code=$?
	[ $code -ne 0 ] || ! locks_are_local "$2" || return 2
	return $((code > 1 ? 2 : code))
}
# Without locks: ends the driver if the text in the file names a process that may still run.
refuse_holder() { # lock file
	local pid place
	lock=$1 pid=$(holder pid) place=$(holder system)
	[ -n "$pid" ] && [ -z "$(holder parts)" ] || return 0
	# an earlier start of this job, requeued since
	[ -z "${SLURM_JOB_ID:-}" ] || [ "$(holder job)" != "$SLURM_JOB_ID" ] ||
		[ "$(holder start)" = "${SLURM_RESTART_COUNT:-0}" ] || return 0
	if [[ $place == ?*/?* && $place == "$(system)" && $(kill -0 "$pid" 2>&1) == *"No such process"* ]]; then return 0; fi
	die 2 "another run is writing to ${lock%/*}: $(holder_says); wait for it to end or, if it was killed, remove $lock"
}
take_lock() { # file, what this run is
	local code=0 other
	lock=$1 locked_for=$2
	exec 9>>"$lock" || die 1 "cannot write $lock"
	locked_since=$(date '+%Y-%m-%d %H:%M:%S')
	try_lock 9 "$lock" || code=$?
	if [ $code -eq 1 ] && ! wait_for_orphan; then
		die 2 "another run is writing to ${lock%/*}: $(holder_says); wait for it to end"
	elif [ $code -eq 2 ]; then
		for other in "$1" "$1"-shard-*; do refuse_holder "$other"; done
		lock=$1
		complain "$lock cannot be locked here: a run that starts at the same moment is not noticed at once"
	fi
	trap '{ : >"$lock"; } 2>/dev/null' EXIT
	note_in_lock ''
}
# Several shards may run at a time, but not beside a run that is not a shard: they share its lock, and
# each has a lock of its own.
take_shard_lock() { # file, name of the shard, what this run is
	local whole=$1 code=0
	exec 8<>"$whole" || die 1 "cannot write $whole"
	try_lock 8 "$whole" -s || code=$?
	lock=$whole
	[ $code -ne 1 ] || die 2 "another run is writing to ${whole%/*}: $(holder_says); wait for it to end"
	[ $code -ne 2 ] || refuse_holder "$whole"
	take_lock "$whole-shard-$2" "$3"
	printf 'parts=1\npid=%s\nhost=%s\nsince=%s\nwhat=%s\n' "$$" "$(uname -n)" "$locked_since" "$3" >"$whole" 2>/dev/null
}
lock=''
note_in_lock() { # what runs now
	[ -n "$lock" ] || return 0
	{ printf 'pid=%s\nhost=%s\nsystem=%s\njob=%s\nstart=%s\nsince=%s\nwhat=%s\nnow=%s\n' "$$" "$(uname -n)" "$(system)" \
		"${SLURM_JOB_ID:-}" "${SLURM_RESTART_COUNT:-0}" "$locked_since" "$locked_for" "$1" >"$lock"; } 2>/dev/null # fails on a full disk; the lock holds anyway
}

# ---- programs ----
# Programs run in the background, so that the driver can pass a signal on to them at once. If the system
# supports it, they end when the driver is killed.

child='' interrupted='' signalled=''
ending=()
setpriv --pdeathsig TERM true 2>/dev/null && ending=(setpriv --pdeathsig TERM --)

on_signal() {
	interrupted=1 signalled=1
	[ -n "$child" ] && kill -TERM "$child" 2>/dev/null
}
trap on_signal INT TERM HUP

run() { # command...: sets status to its exit code
	local code
	[ -n "$interrupted" ] && status=3 && return
	${ending[@]+"${ending[@]}"} "$@" </dev/null &
	child=$!
	note_in_lock "$(basename "$1") (process $child)"
	[ -n "$interrupted" ] && kill -TERM "$child" 2>/dev/null # a signal arrived in between
	status=0
	while :; do
		signalled=''
		wait "$child"
		code=$?
		# a wait that a signal interrupted does not return the exit code
		[ $code -ne 127 ] && status=$code
		[ -z "$signalled" ] && break
	done
	child=''
	note_in_lock ''
}
