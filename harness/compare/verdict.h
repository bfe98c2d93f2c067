/* From samples to a verdict.
 *
 * Three arms are sampled: the old build, the same old build again (the control: whatever differs
 * between these two is not the program), and the new build. Where the old build's binaries are
 * gone, its rows of another time stand for it and the control is the new build again.
 *
 *   SLOWER, FASTER  the estimated ratio new / old is at least 1 + floor, or at most
 *                   1 / (1 + floor), and that both builds take equally long is rejected: q, the
 *                   p-value of the rank test adjusted for the family, is at most `rate`. The
 *                   floor is for the estimate; the interval may reach below it.
 *   SAME            the estimated ratio is within the floor, and the interval lies between
 *                   1 / (1 + detect) and 1 + detect
 *   AMBIGUOUS       neither; or the A/A control failed: its estimate is beyond the floor and its
 *                   own p-value is at most 1 - level; or there are too few samples for the rank
 *                   test to reach `rate`. The reason says which. */
#ifndef COPRA_COMPARE_VERDICT_H
#define COPRA_COMPARE_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"
#include "harness/compare/rank.h"

struct gate_rule {
	double floor;  /* 0.03: smaller changes are not told */
	double detect; /* 0.05: one as large is told or ruled out, or the verdict is AMBIGUOUS */
	double level;  /* 0.99: of the intervals */
	double rate;   /* 0.002: of false discoveries */
};
#define GATE_RULE                                                                                  \
	{                                                                                          \
		.floor = 0.03, .detect = 0.05, .level = 0.99, .rate = 0.002                        \
	}
int gate_rule_check(const struct gate_rule *r, struct err *e);

enum gate_arm { GATE_OLD, GATE_AGAIN, GATE_NEW, GATE_ARMS };
enum gate_control { GATE_OLD_AGAIN, GATE_NEW_AGAIN };

struct gate_value {
	double seconds;
	int block;
	enum gate_arm arm;
};

/* One benchmark's samples so far. */
struct gate_samples {
	struct gate_value *value;
	size_t count;
};
int gate_samples_add(struct gate_samples *s, struct gate_value v, struct err *e);
void gate_samples_free(struct gate_samples *s);

enum gate_verdict { GATE_SAME, GATE_FASTER, GATE_SLOWER, GATE_AMBIGUOUS, GATE_VERDICTS };
extern const char *const gate_verdict_names[GATE_VERDICTS];

struct gate_judgement {
	struct rank_result test;    /* old against new */
	struct rank_result control; /* a build against itself */
	double q;                   /* test.p, adjusted for the family */
	enum gate_verdict verdict;
	bool control_dirty; /* the A/A control failed: no verdict */
	char reason[160];   /* of AMBIGUOUS, else empty */
};
/* Until there are samples: no discovery, and nobody's control. */
#define GATE_UNTESTED                                                                              \
	{                                                                                          \
		.test = RANK_UNKNOWN, .control = RANK_UNKNOWN, .q = 1, .verdict = GATE_AMBIGUOUS   \
	}

/* Both tests of one benchmark; no verdict yet. */
int gate_test(const struct gate_samples *s, enum gate_control control, const struct gate_rule *r,
	      struct gate_judgement *out, struct err *e);
/* No further launch could change much: the interval is as narrow as `detect` needs, or lies beyond
 * the floor as a whole; and a difference is so sure that it would count in a family of a thousand.
 */
bool gate_settled(const struct gate_judgement *j, const struct gate_rule *r);
/* The least number of samples of each build with which a difference can be SLOWER or FASTER: the
 * p-value of n samples against n cannot be less than stat_least_p(n, n). 7 at the default rate. */
size_t gate_samples_needed(const struct gate_rule *r);
/* Whether the test has enough samples for that. The builds may have different numbers of them. */
bool gate_enough_samples(const struct rank_result *t, const struct gate_rule *r);
/* The verdicts of the whole family, once all are tested. */
int gate_judge(struct gate_judgement *family, size_t count, const struct gate_rule *r,
	       struct err *e);

#endif
