#!/usr/bin/env bash
# The result of every call of CUDA, HIP and the device layer is used, and scripts/audit-calls.sh, which
# checks this, finds calls that ignore it.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/checks.bash"

root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

check "no source ignores a result" bash -c "'$root'/scripts/audit-calls.sh >'$folder'/out"
check "at least 90 calls of CUDA and HIP were checked" bash -c "(( \$(sed -n 's/^\([0-9]*\) CUDA and HIP calls.*/\1/p' '$folder'/out) >= 100 ))"

finds() { # how many, code
	printf '%s\n' "$2" >"$folder/a.c"
	[ "$("$root/scripts/audit-calls.sh" "$folder/a.c" | grep -c 'a\.c:')" = "$1" ]
}
check "a bare CUDA call is found" finds 1 'int f(void) { cudaMalloc(&p, g(1)); return 0; }'
check "a bare HIP call is found" finds 1 'int f(void) { hipMalloc(&p, g(1)); return 0; }'
check "a bare call that CUDA and HIP share is found" finds 1 'int f(void) { GPU(Malloc)(&p, g(1)); return 0; }'
check "a shared call whose error is dropped is found" finds 1 'int f(void) { GPU_CALL(Malloc, e, &p, g(1)); return 0; }'
check "a shared result cast to void is found" finds 1 'int f(void) { (void)GPU(MemcpyAsync)(a, b, c, d, e); return 0; }'
check "shared calls that are used, or may be ignored, are accepted" finds 0 'int f(void) { (void)GPU(Free)(p); return GPU_CALL(Malloc, e, &p, n); }'
check "a bare call of the device layer is found" finds 1 'int f(void) { if (a(b)) dev_copy_to(s, d, h, (size_t)n, e); return 0; }'
check "a bare call in a loop is found" finds 1 'int f(void) { for (int i = 0; i < n(1); i++) dev_sync(d[i], e); return 0; }'
check "a bare call after else is found" finds 1 'int f(void) { if (x) y = 1; else dev_fill(s, p, 0, n, e); return 0; }'
check "a CUDA result cast to void is found" finds 1 'int f(void) { (void)cudaMemcpyAsync(a, b, c, d, e); return 0; }'
check "a HIP result cast to void is found" finds 1 'int f(void) { (void)hipMemcpyAsync(a, b, c, d, e); return 0; }'
check "a launch with <<<>>> is found" finds 1 'int f(void) { kernel<<<1, 2>>>(x); return 0; }'
check "calls whose result is used are accepted" finds 0 'int f(void) { int status = dev_sync(d, e); status = fail(cudaMalloc(p, n), "cudaMalloc", e); return dev_sync(d, e); }'
check "calls that may be ignored are accepted" finds 0 'int f(void) { (void)cudaFree(p); (void)hipHostFree(p); (void)dev_sync(d, NULL); dev_free(d, p); return 0; }'
check "comments and strings are accepted" finds 0 '/* cudaMalloc(p, n); */ const char *s = "x; dev_sync(d, e);";'
exit "$failed"
