/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Checks that a target accepts or rejects an outcome. Include after <cmocka.h>. */
#ifndef COPRA_TESTS_UNIT_TREE_SEARCH_VERIFIED_OUTCOMES_H
#define COPRA_TESTS_UNIT_TREE_SEARCH_VERIFIED_OUTCOMES_H

#include "algorithms/tree-search/search.h"

/* search_verify */
typedef int outcome_verifier(const struct search_request *r, const struct search_outcome *o,
			     bool *verified, struct err *e);

static inline int verify_status(outcome_verifier *verify, const struct search_request *r,
				const struct search_outcome *o, bool *verified)
{
	struct err e = { 0 };
	int status = verify(r, o, verified, &e);

	assert_true(status == 0 || e.text[0]);
	return status;
}

static inline void assert_outcome_rejected(outcome_verifier *verify, const struct search_request *r,
					   const struct search_outcome *o)
{
	bool verified = true;

	assert_int_equal(verify_status(verify, r, o, &verified), ERR_FAILED);
	assert_false(verified);
}

/* confirmed: verified, not merely accepted */
static inline void assert_outcome_accepted(outcome_verifier *verify, const struct search_request *r,
					   const struct search_outcome *o, bool confirmed)
{
	bool verified = !confirmed;

	assert_int_equal(verify_status(verify, r, o, &verified), 0);
	assert_int_equal(verified, confirmed);
}

#endif
