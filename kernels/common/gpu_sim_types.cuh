/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Vector types of CUDA, with CUDA's alignments. Included by gpu_sim.cuh. */
#ifndef COPRA_KERNELS_COMMON_GPU_SIM_TYPES_CUH
#define COPRA_KERNELS_COMMON_GPU_SIM_TYPES_CUH

typedef sim_uint3 uint3;

struct dim3 {
	unsigned x, y, z;
	constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz)
	{
	}
	constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
	{
	}
};

#define SIM_VECTORS(T, name, align2, align4)                                                       \
	struct alignas(alignof(T)) name##1                                                         \
	{                                                                                          \
		T x;                                                                               \
	};                                                                                         \
	struct alignas(align2) name##2                                                             \
	{                                                                                          \
		T x, y;                                                                            \
	};                                                                                         \
	struct alignas(align4) name##4                                                             \
	{                                                                                          \
		T x, y, z, w;                                                                      \
	};                                                                                         \
	static inline name##2 make_##name##2(T x, T y)                                             \
	{                                                                                          \
		return name##2 { x, y };                                                           \
	}                                                                                          \
	static inline name##4 make_##name##4(T x, T y, T z, T w)                                   \
	{                                                                                          \
		return name##4 { x, y, z, w };                                                     \
	}
SIM_VECTORS(signed char, char, 2, 4)
SIM_VECTORS(unsigned char, uchar, 2, 4)
SIM_VECTORS(short, short, 4, 8)
SIM_VECTORS(unsigned short, ushort, 4, 8)
SIM_VECTORS(int, int, 8, 16)
SIM_VECTORS(unsigned, uint, 8, 16)
SIM_VECTORS(long, long, 16, 16)
SIM_VECTORS(unsigned long, ulong, 16, 16)
SIM_VECTORS(long long, longlong, 16, 16)
SIM_VECTORS(unsigned long long, ulonglong, 16, 16)
SIM_VECTORS(float, float, 8, 16)
SIM_VECTORS(double, double, 16, 16)
#undef SIM_VECTORS

struct int3 {
	int x, y, z;
};
static inline int3 make_int3(int x, int y, int z)
{
	return int3{ x, y, z };
}
static inline uint3 make_uint3(unsigned x, unsigned y, unsigned z)
{
	return uint3{ x, y, z };
}

#endif
