/* Internals of the expression language, shared by its sources: the syntax tree (parse.c), the
 * statistics over results (world.c) and the evaluation (evaluate.c). */
#ifndef COPRA_REPORT_EXPRESSION_TREE_H
#define COPRA_REPORT_EXPRESSION_TREE_H

#include <stdint.h>

#include "harness/report/expression/expression.h"

enum expr_op {
	OP_NUMBER,
	OP_PATTERN,
	OP_LITERAL,
	OP_VARIABLE,
	OP_NEGATE,
	OP_NOT,
	OP_LOG,
	OP_ADD,
	OP_SUBTRACT,
	OP_MULTIPLY,
	OP_DIVIDE,
	OP_LESS,
	OP_LESS_EQUAL,
	OP_GREATER,
	OP_GREATER_EQUAL,
	OP_EQUAL,
	OP_NOT_EQUAL,
	OP_AND,
	OP_OR,
	OP_STATISTIC,
	OP_PAPER,
	OP_TERM,
	OP_WITHIN,
	OP_FIRST,
	OP_ALL,
	OP_ANY,
	OP_MONOTONE,
	OP_LARGEST,
	OP_SMALLEST,
	OP_LIST,
	OP_AXIS,
	OP_NAMES,
	OP_UNION,
};

enum expr_statistic { STAT_MEAN, STAT_MEDIAN, STAT_MIN, STAT_MAX, STAT_SUM, STAT_COUNT };
extern const char *const expr_statistic_names[]; /* terminated by NULL */

enum { EXPR_SLOTS = 12, NO_NODE = -1 };

/* The children of a node are linked through `next`. A pattern's children are its literal parts and
 * variables. */
struct expr_node {
	enum expr_op op;
	enum expr_type type;   /* of a set: EXPR_SET */
	enum expr_type member; /* of a set: the type of its members */
	int child, next;
	int slot; /* of a variable: its slot; a statistic: enum expr_statistic; a term: its index */
	double number;
	char *text;     /* of a literal part: its text; of a statistic: the counter, "" for
			 the time, NULL if the name is the second child */
	int begin, end; /* the part of the source that the node was parsed from */
};

struct expr {
	char *source;
	const struct expr_terms *terms;
	size_t nodes;
	struct expr_node *node;
	int root;
	size_t params;    /* parameters; they have the first slots */
	size_t variables; /* named slots, parameters included */
	char variable[EXPR_SLOTS][EXPR_NAME];
};

/* ---- statistics over results: world.c ---- */

/* The benchmarks that a pattern selects, looked up once. */
struct expr_selection {
	char *pattern;
	uint64_t key; /* hash of the pattern, because most of the time is spent on finding
			 selections */
	size_t count;
	size_t *bench;
};

struct expr_world {
	const struct result_set *set;
	const struct expr_printed *printed;
	size_t selections;
	struct expr_selection *selection;
	double *scratch; /* one value per benchmark, then room for the runs of one benchmark */
};

struct expr_draw {
	unsigned replicate; /* 0: the measurements themselves */
	bool assume_noise;  /* vary times that were measured once */
};

struct expr_result {
	double value;            /* NaN if no benchmark has one */
	size_t benchmarks, runs; /* how many of each the value was computed from */
};

/* Computes a statistic of a counter ("": the time, in seconds) over the benchmarks that the pattern
 * selects. Fails only if memory runs out. */
int expr_world_statistic(struct expr_world *w, const char *pattern, const char *counter,
			 enum expr_statistic which, const struct expr_draw *draw,
			 struct expr_result *out, struct err *e);

#endif
