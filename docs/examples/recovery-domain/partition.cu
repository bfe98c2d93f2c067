/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "docs/examples/recovery-domain/partition.h"
#include "kernels/koester-recovery/domain.cuh"
TRACK_SMALL_DOMAIN_KERNELS(partition) /* defines partition_ops_sim, _cuda and _hip */
