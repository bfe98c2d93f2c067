/* The claims of a paper, and their verdicts on a machine.
 *
 * claims.csv: id, section, claim, class, tolerance, and optionally remark and origin.
 *   class      exact     a value that must be matched to the last digit
 *              bound     at least or at most a value
 *              shape     a trend (rising, constant) or an order
 *              ratio     one of our measurements relative to another
 *              absolute  a value measured on the paper's hardware, expected to differ elsewhere
 *   tolerance  a number >= 0, or empty if the predicate uses none
 *   origin     paper (or empty): a sentence of the paper; ours: our own claim
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
 * A line that begins with a space or tab continues the predicate above it. Lines that begin with
 * '#' are comments.
 *
 * VERDICTS
 *   CONFIRMED   the predicate holds, and holds in at least 95 % of the bootstrap samples
 *   REFUTED     the predicate fails, and fails in at least 95 % of the bootstrap samples
 *   AMBIGUOUS   the samples disagree: the noise is too large to decide
 *   NOT TESTED  a measurement is missing
 * A time that was measured only once is assumed to be accurate to 5 %. */
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
extern const char *const verdict_marks[VERDICTS]; /* CSS classes: good, bad, ... */

struct claim {
	char *id, *section, *text, *class, *source, *remark;
	bool ours;        /* our own claim, not a sentence of the paper */
	double tolerance; /* NaN if there is none */
	struct expr *predicate;
};

struct claims {
	size_t count;
	struct claim *claim;
};

struct judgement {
	enum verdict verdict;
	double agreement;        /* share of bootstrap samples, 0 to 1, with the same outcome */
	struct expr_trace trace; /* the evidence */
	struct text needs;       /* for NOT TESTED: what is missing, one item per line */
};

/* Reads and checks the files `claims` (claims.csv) and `predicates` (predicates.txt). A missing
 * file is an empty one. ERR_INPUT names file and line of the first error; on an error *c is empty.
 * The terms must outlive the claims. */
int claims_read(struct claims *c, const char *claims, const char *predicates,
		const struct expr_terms *terms, struct err *e);
void claims_free(struct claims *c);

/* Evaluates the predicate over the world, which holds the results of `set`, and over 1000 bootstrap
 * samples of them. Fails only if memory runs out or a text is too long. */
int claim_judge(const struct claim *c, struct expr_world *w, const struct result_set *set,
		struct judgement *j, struct err *e);
void judgement_free(struct judgement *j);

#endif
