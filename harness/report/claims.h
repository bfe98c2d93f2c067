/* The claims of a paper, and their verdicts on a machine.
 *
 * claims.csv: id, section, claim, class, tolerance, and optionally remark and origin.
 *   class      exact     a value that must be met to the last digit
 *              bound     at least or at most a value
 *              shape     rising, constant, an order
 *              ratio     one of our measurements relative to another
 *              absolute  a figure of the paper's own hardware, expected to differ elsewhere
 *   tolerance  a number >= 0, or empty if the predicate uses none
 *   origin     paper (or empty): a sentence of the paper; ours: a claim of our own
 *
 * predicates.txt: for each claim its id, a colon, and an expression that is true or false
 * (expression/expression.h), in which the tolerance is the variable `tolerance`:
 *
 *     B1: within(speedup(90000, 1), 14.7, tolerance)
 *
 *     B1b:
 *         all(n in {40000..90000 step 10000},
 *             within(speedup(n, 1), speedup(90000, 1), tolerance))
 *
 * A line that begins with a blank continues the predicate above it. Lines that begin with '#' are
 * comments.
 *
 * VERDICTS   CONFIRMED   the predicate holds, and holds in at least 95 % of the bootstrap samples
 * (a time measured once is taken as known to 5 %) REFUTED     it does not hold, likewise AMBIGUOUS
 * the samples disagree: the noise is too large to decide NOT TESTED  a measurement is missing */
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
extern const char *const verdict_marks[VERDICTS]; /* CSS classes */

struct claim {
	char *id, *section, *text, *class, *source, *remark;
	bool ours;        /* a claim of our own, not a sentence of the paper */
	double tolerance; /* NaN if there is none */
	struct expr *predicate;
};

struct claims {
	size_t count;
	struct claim *claim;
};

struct judgement {
	enum verdict verdict;
	double agreement;        /* share of bootstrap samples that agree with the measurements */
	struct expr_trace trace; /* the evidence */
	struct text needs;       /* NOT TESTED: what is missing, line by line */
};

/* Reads and checks claims.csv and predicates.txt. Errors name file and line. Missing files hold no
 * claims. */
int claims_read(struct claims *c, const char *claims, const char *predicates,
		const struct expr_terms *terms, struct err *e);
void claims_free(struct claims *c);

int claim_judge(const struct claim *c, struct expr_world *w, const struct result_set *set,
		struct judgement *j, struct err *e);
void judgement_free(struct judgement *j);

#endif
