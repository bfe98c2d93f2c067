/* The claims of a paper and what becomes of them on a machine.
 *
 * claims.csv: id, section, claim, class, predicate, tolerance, and optionally remark.
 *   class      exact     a value that must be met to the last digit
 *              bound     at least or at most so much
 *              shape     rising, a level, an order
 *              ratio     one of our measurements against another
 *              absolute  a figure of the paper's own hardware: expected to differ elsewhere
 *   predicate  a truth value (predicate.h); the tolerance is its variable `tolerance`
 *   tolerance  a number >= 0, or empty where the predicate uses none
 *
 * VERDICTS   CONFIRMED   the predicate holds, and in at least 95 % of the bootstrap samples too
 *                        (a time measured once counts as known to 5 %)
 *            REFUTED     it does not, likewise
 *            AMBIGUOUS   the samples disagree: noise is too large to tell
 *            NOT TESTED  a measurement is missing */
#ifndef COPRA_REPORT_CLAIMS_H
#define COPRA_REPORT_CLAIMS_H

#include "harness/report/expression/expression.h"

enum verdict {
	VERDICT_CONFIRMED,
	VERDICT_REFUTED,
	VERDICT_AMBIGUOUS,
	VERDICT_NOT_TESTED,
	VERDICTS
};
extern const char *const verdict_names[VERDICTS];
extern const char *const verdict_marks[VERDICTS]; /* classes of the style sheet */

struct claim {
	char *id, *section, *text, *class, *source, *remark;
	double tolerance; /* NaN where there is none */
	struct expr *predicate;
};

struct claims {
	size_t count;
	struct claim *claim;
};

struct judgement {
	enum verdict verdict;
	double agreement;        /* share of bootstrap samples that agree with what was measured */
	struct expr_trace trace; /* the evidence */
	struct text needs;       /* NOT TESTED: what is missing, line by line */
};

/* Reads and checks claims.csv; errors name file and line. A missing file holds no claims. */
int claims_read(struct claims *c, const char *path, const struct expr_terms *terms, struct err *e);
void claims_free(struct claims *c);

int claim_judge(const struct claim *c, struct expr_world *w, const struct result_set *set,
		struct judgement *j, struct err *e);
void judgement_free(struct judgement *j);

#endif
