/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* CUDA's DPX and SIMD-in-a-word functions in portable code, for the back ends without these
 * instructions: sim and HIP. Included by gpu_sim_math.cuh and gpu_hip.cuh.
 * Sums wrap around as on NVIDIA's GPUs, without undefined behaviour on the host. */
#ifndef COPRA_KERNELS_COMMON_GPU_TWINS_CUH
#define COPRA_KERNELS_COMMON_GPU_TWINS_CUH

/* ---- one 32-bit lane: DPX ---- */

static __device__ __forceinline__ int twin_add(int a, int b)
{
	return (int)((unsigned)a + (unsigned)b);
}

static __device__ __forceinline__ int __viaddmax_s32(int a, int b, int c)
{
	return max(twin_add(a, b), c);
}
static __device__ __forceinline__ int __viaddmin_s32(int a, int b, int c)
{
	return min(twin_add(a, b), c);
}
static __device__ __forceinline__ int __viaddmax_s32_relu(int a, int b, int c)
{
	return max(__viaddmax_s32(a, b, c), 0);
}
static __device__ __forceinline__ int __viaddmin_s32_relu(int a, int b, int c)
{
	return max(__viaddmin_s32(a, b, c), 0);
}
static __device__ __forceinline__ unsigned __viaddmax_u32(unsigned a, unsigned b, unsigned c)
{
	return max(a + b, c);
}
static __device__ __forceinline__ unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c)
{
	return min(a + b, c);
}
static __device__ __forceinline__ int __vimax3_s32(int a, int b, int c)
{
	return max(max(a, b), c);
}
static __device__ __forceinline__ int __vimin3_s32(int a, int b, int c)
{
	return min(min(a, b), c);
}
static __device__ __forceinline__ int __vimax3_s32_relu(int a, int b, int c)
{
	return max(__vimax3_s32(a, b, c), 0);
}
static __device__ __forceinline__ int __vimin3_s32_relu(int a, int b, int c)
{
	return max(__vimin3_s32(a, b, c), 0);
}
static __device__ __forceinline__ unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c)
{
	return max(max(a, b), c);
}
static __device__ __forceinline__ unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c)
{
	return min(min(a, b), c);
}
static __device__ __forceinline__ int __vimax_s32_relu(int a, int b)
{
	return max(max(a, b), 0);
}
static __device__ __forceinline__ int __vimin_s32_relu(int a, int b)
{
	return max(min(a, b), 0);
}
/* *first: whether the first operand was chosen; it is on a tie */
static __device__ __forceinline__ int __vibmax_s32(int a, int b, bool *const first)
{
	return (*first = a >= b) ? a : b;
}
static __device__ __forceinline__ int __vibmin_s32(int a, int b, bool *const first)
{
	return (*first = a <= b) ? a : b;
}
static __device__ __forceinline__ unsigned __vibmax_u32(unsigned a, unsigned b, bool *const first)
{
	return (*first = a >= b) ? a : b;
}
static __device__ __forceinline__ unsigned __vibmin_u32(unsigned a, unsigned b, bool *const first)
{
	return (*first = a <= b) ? a : b;
}

/* ---- two 16-bit halves ---- */

#define TWIN_HALF(H, v) ((int)(H)(uint16_t)((v) >> shift))
#define TWIN_TWO(name, H, expression)                                                              \
	static __device__ __forceinline__ unsigned name(unsigned a, unsigned b)                    \
	{                                                                                          \
		unsigned r = 0;                                                                    \
		for (int shift = 0; shift < 32; shift += 16) {                                     \
			int x = TWIN_HALF(H, a), y = TWIN_HALF(H, b);                              \
			r |= (unsigned)(uint16_t)(expression) << shift;                            \
		}                                                                                  \
		return r;                                                                          \
	}
#define TWIN_THREE(name, H, expression)                                                            \
	static __device__ __forceinline__ unsigned name(unsigned a, unsigned b, unsigned c)        \
	{                                                                                          \
		unsigned r = 0;                                                                    \
		for (int shift = 0; shift < 32; shift += 16) {                                     \
			int x = TWIN_HALF(H, a), y = TWIN_HALF(H, b), z = TWIN_HALF(H, c);         \
			r |= (unsigned)(uint16_t)(expression) << shift;                            \
		}                                                                                  \
		return r;                                                                          \
	}
#define TWIN_CLAMP(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))
TWIN_TWO(__vadd2, uint16_t, x + y)
TWIN_TWO(__vsub2, uint16_t, x - y)
TWIN_TWO(__vaddss2, int16_t, TWIN_CLAMP(x + y, -32768, 32767))
TWIN_TWO(__vsubss2, int16_t, TWIN_CLAMP(x - y, -32768, 32767))
TWIN_TWO(__vaddus2, uint16_t, TWIN_CLAMP(x + y, 0, 65535))
TWIN_TWO(__vsubus2, uint16_t, TWIN_CLAMP(x - y, 0, 65535))
TWIN_TWO(__vmaxs2, int16_t, x > y ? x : y)
TWIN_TWO(__vmins2, int16_t, x < y ? x : y)
TWIN_TWO(__vmaxu2, uint16_t, x > y ? x : y)
TWIN_TWO(__vminu2, uint16_t, x < y ? x : y)
TWIN_TWO(__vcmpeq2, uint16_t, x == y ? 0xffff : 0)
TWIN_TWO(__vcmpne2, uint16_t, x != y ? 0xffff : 0)
TWIN_TWO(__vcmpgts2, int16_t, x > y ? 0xffff : 0)
TWIN_TWO(__vcmpges2, int16_t, x >= y ? 0xffff : 0)
TWIN_TWO(__vcmplts2, int16_t, x < y ? 0xffff : 0)
TWIN_TWO(__vcmples2, int16_t, x <= y ? 0xffff : 0)
TWIN_TWO(__vcmpgtu2, uint16_t, x > y ? 0xffff : 0)
TWIN_TWO(__vcmpgeu2, uint16_t, x >= y ? 0xffff : 0)
TWIN_TWO(__vcmpltu2, uint16_t, x < y ? 0xffff : 0)
TWIN_TWO(__vcmpleu2, uint16_t, x <= y ? 0xffff : 0)
TWIN_THREE(__viaddmax_s16x2, int16_t, (int16_t)(x + y) > z ? x + y : z)
TWIN_THREE(__viaddmin_s16x2, int16_t, (int16_t)(x + y) < z ? x + y : z)
TWIN_THREE(__viaddmax_u16x2, uint16_t, (uint16_t)(x + y) > z ? x + y : z)
TWIN_THREE(__viaddmin_u16x2, uint16_t, (uint16_t)(x + y) < z ? x + y : z)
TWIN_THREE(__vimax3_s16x2, int16_t, (x > y ? x : y) > z ? (x > y ? x : y) : z)
TWIN_THREE(__vimin3_s16x2, int16_t, (x < y ? x : y) < z ? (x < y ? x : y) : z)
TWIN_THREE(__vimax3_u16x2, uint16_t, (x > y ? x : y) > z ? (x > y ? x : y) : z)
TWIN_THREE(__vimin3_u16x2, uint16_t, (x < y ? x : y) < z ? (x < y ? x : y) : z)
#undef TWIN_CLAMP
#undef TWIN_THREE
#undef TWIN_TWO
#undef TWIN_HALF

#define TWIN_CHOICE2(name, H, wins)                                                                \
	static __device__ __forceinline__ unsigned name(                                           \
		unsigned a, unsigned b, bool *const first_high, bool *const first_low)             \
	{                                                                                          \
		H ah = (H)(a >> 16), al = (H)a, bh = (H)(b >> 16), bl = (H)b;                      \
		*first_high = ah wins bh;                                                          \
		*first_low = al wins bl;                                                           \
		return (unsigned)(uint16_t)(*first_high ? ah : bh) << 16 |                         \
		       (uint16_t)(*first_low ? al : bl);                                           \
	}
TWIN_CHOICE2(__vibmax_s16x2, int16_t, >=)
TWIN_CHOICE2(__vibmin_s16x2, int16_t, <=)
TWIN_CHOICE2(__vibmax_u16x2, uint16_t, >=)
TWIN_CHOICE2(__vibmin_u16x2, uint16_t, <=)
#undef TWIN_CHOICE2

#endif
