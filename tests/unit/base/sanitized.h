/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Whether the tests are built with a sanitizer. A sanitizer makes them several times slower
 * (simulated threads under ThreadSanitizer: forty times), so they then use smaller and fewer
 * cases. */
#ifndef COPRA_TESTS_UNIT_BASE_SANITIZED_H
#define COPRA_TESTS_UNIT_BASE_SANITIZED_H

#ifdef __SANITIZE_THREAD__
enum { UNDER_TSAN = 1, SANITIZED = 1 };
#elif defined(__SANITIZE_ADDRESS__)
enum { UNDER_TSAN = 0, SANITIZED = 1 };
#else
enum { UNDER_TSAN = 0, SANITIZED = 0 };
#endif

#endif
