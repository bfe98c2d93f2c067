/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Integer, bit, SIMD-in-a-word and DPX functions of CUDA. Included by gpu_sim.cuh.
 * Sums wrap around as on the device, without undefined behaviour on the host. */
#ifndef COPRA_KERNELS_COMMON_GPU_SIM_MATH_CUH
#define COPRA_KERNELS_COMMON_GPU_SIM_MATH_CUH

#include <math.h>

#define SIM_MIN_MAX(R, A, B)                                                                       \
	static inline R min(A a, B b)                                                              \
	{                                                                                          \
		return (R)a < (R)b ? (R)a : (R)b;                                                  \
	}                                                                                          \
	static inline R max(A a, B b)                                                              \
	{                                                                                          \
		return (R)a > (R)b ? (R)a : (R)b;                                                  \
	}
SIM_MIN_MAX(int, int, int)
SIM_MIN_MAX(unsigned, unsigned, unsigned)
SIM_MIN_MAX(unsigned, int, unsigned)
SIM_MIN_MAX(unsigned, unsigned, int)
SIM_MIN_MAX(long, long, long)
SIM_MIN_MAX(unsigned long, unsigned long, unsigned long)
SIM_MIN_MAX(unsigned long, long, unsigned long)
SIM_MIN_MAX(unsigned long, unsigned long, long)
SIM_MIN_MAX(long long, long long, long long)
SIM_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
SIM_MIN_MAX(unsigned long long, long long, unsigned long long)
SIM_MIN_MAX(unsigned long long, unsigned long long, long long)
SIM_MIN_MAX(float, float, float)
SIM_MIN_MAX(double, double, double)
SIM_MIN_MAX(double, float, double)
SIM_MIN_MAX(double, double, float)
#undef SIM_MIN_MAX

/* ---- bits ---- */

static inline int __popc(unsigned v)
{
	return __builtin_popcount(v);
}
static inline int __popcll(unsigned long long v)
{
	return __builtin_popcountll(v);
}
static inline int __clz(int v)
{
	return v ? __builtin_clz((unsigned)v) : 32;
}
static inline int __clzll(long long v)
{
	return v ? __builtin_clzll((unsigned long long)v) : 64;
}
static inline int __ffs(int v)
{
	return __builtin_ffs(v);
}
static inline int __ffsll(long long v)
{
	return __builtin_ffsll(v);
}
static inline unsigned __brev(unsigned v)
{
	v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
	v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
	v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
	return __builtin_bswap32(v);
}
static inline unsigned long long __brevll(unsigned long long v)
{
	return (unsigned long long)__brev((unsigned)v) << 32 | __brev((unsigned)(v >> 32));
}
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
	uint64_t both = (uint64_t)y << 32 | x;
	unsigned r = 0;
	for (unsigned i = 0; i < 4; i++) {
		unsigned s =
			selector >> (4 * i) & 7; /* the fourth bit of a prmt selector is ignored */
		r |= ((unsigned)(both >> (8 * s)) & 0xff) << (8 * i);
	}
	return r;
}
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift)
{
	return (unsigned)(((uint64_t)hi << 32 | lo) << (shift & 31) >> 32);
}
static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift)
{
	return (unsigned)(((uint64_t)hi << 32 | lo) >> (shift & 31));
}
static inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift)
{
	return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}
static inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift)
{
	return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}

/* ---- multiplication and bit patterns ---- */

static inline int __mulhi(int a, int b)
{
	return (int)((int64_t)a * b >> 32);
}
static inline unsigned __umulhi(unsigned a, unsigned b)
{
	return (unsigned)((uint64_t)a * b >> 32);
}
static inline long long __mul64hi(long long a, long long b)
{
	return (long long)((__int128)a * b >> 64);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
	return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline int __float_as_int(float v)
{
	return sim_value<int>(sim_bits(v));
}
static inline unsigned __float_as_uint(float v)
{
	return sim_value<unsigned>(sim_bits(v));
}
static inline float __int_as_float(int v)
{
	return sim_value<float>(sim_bits(v));
}
static inline float __uint_as_float(unsigned v)
{
	return sim_value<float>(sim_bits(v));
}
static inline long long __double_as_longlong(double v)
{
	return sim_value<long long>(sim_bits(v));
}
static inline double __longlong_as_double(long long v)
{
	return sim_value<double>(sim_bits(v));
}
static inline float __fmaf_rn(float a, float b, float c)
{
	return fmaf(a, b, c);
}
static inline double __fma_rn(double a, double b, double c)
{
	return fma(a, b, c);
}

/* ---- one 32-bit lane: DPX ---- */

static inline int sim_add(int a, int b)
{
	return (int)((unsigned)a + (unsigned)b);
}

static inline int __viaddmax_s32(int a, int b, int c)
{
	return max(sim_add(a, b), c);
}
static inline int __viaddmin_s32(int a, int b, int c)
{
	return min(sim_add(a, b), c);
}
static inline int __viaddmax_s32_relu(int a, int b, int c)
{
	return max(__viaddmax_s32(a, b, c), 0);
}
static inline int __viaddmin_s32_relu(int a, int b, int c)
{
	return max(__viaddmin_s32(a, b, c), 0);
}
static inline unsigned __viaddmax_u32(unsigned a, unsigned b, unsigned c)
{
	return max(a + b, c);
}
static inline unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c)
{
	return min(a + b, c);
}
static inline int __vimax3_s32(int a, int b, int c)
{
	return max(max(a, b), c);
}
static inline int __vimin3_s32(int a, int b, int c)
{
	return min(min(a, b), c);
}
static inline int __vimax3_s32_relu(int a, int b, int c)
{
	return max(__vimax3_s32(a, b, c), 0);
}
static inline int __vimin3_s32_relu(int a, int b, int c)
{
	return max(__vimin3_s32(a, b, c), 0);
}
static inline unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c)
{
	return max(max(a, b), c);
}
static inline unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c)
{
	return min(min(a, b), c);
}
static inline int __vimax_s32_relu(int a, int b)
{
	return max(max(a, b), 0);
}
static inline int __vimin_s32_relu(int a, int b)
{
	return max(min(a, b), 0);
}
/* *first: whether the first operand was chosen; it is on a tie */
static inline int __vibmax_s32(int a, int b, bool *const first)
{
	return (*first = a >= b) ? a : b;
}
static inline int __vibmin_s32(int a, int b, bool *const first)
{
	return (*first = a <= b) ? a : b;
}
static inline unsigned __vibmax_u32(unsigned a, unsigned b, bool *const first)
{
	return (*first = a >= b) ? a : b;
}
static inline unsigned __vibmin_u32(unsigned a, unsigned b, bool *const first)
{
	return (*first = a <= b) ? a : b;
}

/* ---- two 16-bit halves ---- */

#define SIM_HALF(H, v) ((int)(H)(uint16_t)((v) >> shift))
#define SIM_TWO(name, H, expression)                                                               \
	static inline unsigned name(unsigned a, unsigned b)                                        \
	{                                                                                          \
		unsigned r = 0;                                                                    \
		for (int shift = 0; shift < 32; shift += 16) {                                     \
			int x = SIM_HALF(H, a), y = SIM_HALF(H, b);                                \
			r |= (unsigned)(uint16_t)(expression) << shift;                            \
		}                                                                                  \
		return r;                                                                          \
	}
#define SIM_THREE(name, H, expression)                                                             \
	static inline unsigned name(unsigned a, unsigned b, unsigned c)                            \
	{                                                                                          \
		unsigned r = 0;                                                                    \
		for (int shift = 0; shift < 32; shift += 16) {                                     \
			int x = SIM_HALF(H, a), y = SIM_HALF(H, b), z = SIM_HALF(H, c);            \
			r |= (unsigned)(uint16_t)(expression) << shift;                            \
		}                                                                                  \
		return r;                                                                          \
	}
#define SIM_CLAMP(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))
SIM_TWO(__vadd2, uint16_t, x + y)
SIM_TWO(__vsub2, uint16_t, x - y)
SIM_TWO(__vaddss2, int16_t, SIM_CLAMP(x + y, -32768, 32767))
SIM_TWO(__vsubss2, int16_t, SIM_CLAMP(x - y, -32768, 32767))
SIM_TWO(__vaddus2, uint16_t, SIM_CLAMP(x + y, 0, 65535))
SIM_TWO(__vsubus2, uint16_t, SIM_CLAMP(x - y, 0, 65535))
SIM_TWO(__vmaxs2, int16_t, x > y ? x : y)
SIM_TWO(__vmins2, int16_t, x < y ? x : y)
SIM_TWO(__vmaxu2, uint16_t, x > y ? x : y)
SIM_TWO(__vminu2, uint16_t, x < y ? x : y)
SIM_TWO(__vcmpeq2, uint16_t, x == y ? 0xffff : 0)
SIM_TWO(__vcmpne2, uint16_t, x != y ? 0xffff : 0)
SIM_TWO(__vcmpgts2, int16_t, x > y ? 0xffff : 0)
SIM_TWO(__vcmpges2, int16_t, x >= y ? 0xffff : 0)
SIM_TWO(__vcmplts2, int16_t, x < y ? 0xffff : 0)
SIM_TWO(__vcmples2, int16_t, x <= y ? 0xffff : 0)
SIM_TWO(__vcmpgtu2, uint16_t, x > y ? 0xffff : 0)
SIM_TWO(__vcmpgeu2, uint16_t, x >= y ? 0xffff : 0)
SIM_TWO(__vcmpltu2, uint16_t, x < y ? 0xffff : 0)
SIM_TWO(__vcmpleu2, uint16_t, x <= y ? 0xffff : 0)
SIM_THREE(__viaddmax_s16x2, int16_t, (int16_t)(x + y) > z ? x + y : z)
SIM_THREE(__viaddmin_s16x2, int16_t, (int16_t)(x + y) < z ? x + y : z)
SIM_THREE(__viaddmax_u16x2, uint16_t, (uint16_t)(x + y) > z ? x + y : z)
SIM_THREE(__viaddmin_u16x2, uint16_t, (uint16_t)(x + y) < z ? x + y : z)
SIM_THREE(__vimax3_s16x2, int16_t, (x > y ? x : y) > z ? (x > y ? x : y) : z)
SIM_THREE(__vimin3_s16x2, int16_t, (x < y ? x : y) < z ? (x < y ? x : y) : z)
SIM_THREE(__vimax3_u16x2, uint16_t, (x > y ? x : y) > z ? (x > y ? x : y) : z)
SIM_THREE(__vimin3_u16x2, uint16_t, (x < y ? x : y) < z ? (x < y ? x : y) : z)
#undef SIM_CLAMP
#undef SIM_THREE
#undef SIM_TWO
#undef SIM_HALF

#define SIM_CHOICE2(name, H, wins)                                                                 \
	static inline unsigned name(unsigned a, unsigned b, bool *const first_high,                \
				    bool *const first_low)                                         \
	{                                                                                          \
		H ah = (H)(a >> 16), al = (H)a, bh = (H)(b >> 16), bl = (H)b;                      \
		*first_high = ah wins bh;                                                          \
		*first_low = al wins bl;                                                           \
		return (unsigned)(uint16_t)(*first_high ? ah : bh) << 16 |                         \
		       (uint16_t)(*first_low ? al : bl);                                           \
	}
SIM_CHOICE2(__vibmax_s16x2, int16_t, >=)
SIM_CHOICE2(__vibmin_s16x2, int16_t, <=)
SIM_CHOICE2(__vibmax_u16x2, uint16_t, >=)
SIM_CHOICE2(__vibmin_u16x2, uint16_t, <=)
#undef SIM_CHOICE2

#endif
