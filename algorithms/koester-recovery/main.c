/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/koester-recovery/solve.h"

int main(int argc, char **argv)
{
	return copra_main(argc, argv, &track_target);
}
