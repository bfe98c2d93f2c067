/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* OK(call) fails the test with the error message of the call. The call must pass &e. Include this
 * after <cmocka.h>. */
#ifndef COPRA_TESTS_UNIT_KOESTER_RECOVERY_TRACK_OK_H
#define COPRA_TESTS_UNIT_KOESTER_RECOVERY_TRACK_OK_H

#include "harness/base/error.h"

#define OK(call)                                                                                   \
	do {                                                                                       \
		struct err e = { 0 };                                                              \
		if (call)                                                                          \
			fail_msg("%s: %s", #call, e.text);                                         \
	} while (0)

#endif
