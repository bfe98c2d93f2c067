# Shared by the command-line tests. A test sets nothing first; `failed` is 1 after a check that failed.
failed=0

check() { # description, command...: ok when it succeeds
	local what=$1
	shift
	if "$@"; then
		echo "ok   $what"
	else
		echo "FAIL $what: $*"
		failed=1
	fi
}
exits() { # code, command...: leaves its output in out.txt and err.txt
	local want=$1 got=0
	shift
	"$@" >out.txt 2>err.txt || got=$?
	[ "$got" -eq "$want" ] || { echo "exit code $got, expected $want"; cat err.txt; return 1; }
}
one_line() { # err.txt is one line that has the words
	[ "$(wc -l <err.txt)" -eq 1 ] && grep -q -- "$1" err.txt || { cat err.txt; return 1; }
}
