# Sourced by the drivers (reproduce.sh, record.sh, process.sh): messages, one run at a time, programs that end with
# the driver. Who sources it sets `program`, the name in messages.

. scripts/locale.bash
# a stream that the caller closed must not become somebody's results file
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

# ---- one run at a time ----
# The lock is the kernel's: it ends with the last process that has the file open, so that no dead one
# holds it. What the file says is for people.

holder() { # field of the lock file
	sed -n "s/^$1=//p" "$lock" 2>/dev/null | tail -n 1
}
holder_says() {
	local pid since what now
	pid=$(holder pid) since=$(holder since) what=$(holder what) now=$(holder now)
	[ -n "$pid" ] || { printf 'who does not say' && return; }
	printf 'process %s on %s, since %s%s%s' "$pid" "$(holder host)" "$since" \
		"${what:+, $what}" "${now:+; it is at $now}"
}
# A run that was killed may leave the program that it had started, which ends by itself soon.
wait_for_orphan() {
	local pid
	pid=$(holder pid)
	[ -n "$pid" ] && [ "$(holder host)" = "$(uname -n)" ] && ! kill -0 "$pid" 2>/dev/null || return 1
	complain "process $pid was killed; waiting for $(holder now), which it had started, to end"
	flock -w "${COPRA_ORPHAN_SECONDS:-60}" 9
}
take_lock() { # file, what this run is
	local status
	lock=$1 locked_for=$2
	exec 9>>"$lock" || die 1 "cannot write $lock"
	command -v flock >/dev/null 2>&1 || {
		complain "flock is not installed: nothing keeps a second run out"
		return
	}
	flock -n 9 2>/dev/null
	status=$?
	if [ $status -eq 1 ] && ! wait_for_orphan; then
		die 2 "another run is writing to ${lock%/*}: $(holder_says); wait for it to end"
	elif [ $status -gt 1 ]; then
		complain "$lock cannot be locked here: nothing keeps a second run out"
	fi
	locked_since=$(date '+%Y-%m-%d %H:%M:%S')
	tell_lock ''
}
lock=''
tell_lock() { # what runs now
	[ -n "$lock" ] || return 0
	{ printf 'pid=%s\nhost=%s\nsince=%s\nwhat=%s\nnow=%s\n' "$$" "$(uname -n)" "$locked_since" \
		"$locked_for" "$1" >"$lock"; } 2>/dev/null # a full disk: the lock holds all the same
}

# ---- programs ----
# They run in the background, so that a signal to the driver alone reaches them at once, and end when
# the driver is killed, if this system can do that.

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
	tell_lock "$(basename "$1") (process $child)"
	[ -n "$interrupted" ] && kill -TERM "$child" 2>/dev/null # it came in between
	status=0
	while :; do
		signalled=''
		wait "$child"
		code=$?
		# a wait that a signal cut short says nothing of the program
		[ $code -ne 127 ] && status=$code
		[ -z "$signalled" ] && break
	done
	child=''
	tell_lock ''
}
