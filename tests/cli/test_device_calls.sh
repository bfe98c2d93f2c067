#!/usr/bin/env bash
# Every call of CUDA and of the device layer has its result looked at; and the check that says so finds
# what it should.
. "$(dirname "$0")/checks.bash"

root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

check "all sources" bash -c "'$root'/scripts/audit-calls.sh >'$folder'/out"
check "they hold calls of CUDA" bash -c "(( \$(sed -n 's/^\([0-9]*\) calls of CUDA.*/\1/p' '$folder'/out) >= 50 ))"

finds() { # how many, code
	printf '%s\n' "$2" >"$folder/a.c"
	[ "$("$root/scripts/audit-calls.sh" "$folder/a.c" | grep -c 'a\.c:')" = "$1" ]
}
check "a bare call" finds 1 'int f(void) { cudaMalloc(&p, g(1)); return 0; }'
check "a call of the device layer" finds 1 'int f(void) { if (a(b)) dev_copy_to(s, d, h, (size_t)n, e); return 0; }'
check "in a loop" finds 1 'int f(void) { for (int i = 0; i < n(1); i++) dev_sync(d[i], e); return 0; }'
check "behind else" finds 1 'int f(void) { if (x) y = 1; else dev_fill(s, p, 0, n, e); return 0; }'
check "thrown away" finds 1 'int f(void) { (void)cudaMemcpyAsync(a, b, c, d, e); return 0; }'
check "a launch of the old kind" finds 1 'int f(void) { kernel<<<1, 2>>>(x); return 0; }'
check "checked ones" finds 0 'int f(void) { int rc = dev_sync(d, e); rc = fail(cudaMalloc(p, n), "cudaMalloc", e); return dev_sync(d, e); }'
check "given up on purpose" finds 0 'int f(void) { (void)cudaFree(p); (void)dev_sync(d, NULL); dev_free(d, p); return 0; }'
check "no code" finds 0 '/* cudaMalloc(p, n); */ const char *s = "x; dev_sync(d, e);";'
exit "$failed"
