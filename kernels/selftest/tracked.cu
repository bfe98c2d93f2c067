/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/selftest/tracked.h"

#include "kernels/koester-recovery/domain.cuh"

TRACK_SMALL_DOMAIN_KERNELS(tracked)
