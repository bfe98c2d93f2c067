/* The tree of an expression, between predicate_parse.c and predicate_eval.c. */
#ifndef COPRA_REPORT_PREDICATE_PRIVATE_H
#define COPRA_REPORT_PREDICATE_PRIVATE_H

#include "harness/report/predicate.h"

enum pred_op {
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

enum pred_statistic { STAT_MEAN, STAT_MEDIAN, STAT_MIN, STAT_MAX, STAT_SUM, STAT_COUNT };
extern const char *const pred_statistic_names[]; /* ended by NULL */

enum { PRED_SLOTS = 12, NO_NODE = -1 };

/* Children are a list through `next`. A pattern's children are its literal parts and variables. */
struct pred_node {
	enum pred_op op;
	enum pred_type type;   /* of a set: PRED_SET */
	enum pred_type member; /* of a set: what its members are */
	int child, next;
	int slot; /* variable: its slot; statistic: which; term: its index */
	double number;
	char *text;     /* literal part; statistic: the counter, "" for the time,
			 NULL where a second child gives its name */
	int begin, end; /* the stretch of the source, for the trace */
};

struct pred {
	char *source;
	const struct pred_terms *terms;
	size_t nodes;
	struct pred_node *node;
	int root;
	size_t params;    /* of the slots, the first ones */
	size_t variables; /* slots named, for the trace */
	char variable[PRED_SLOTS][PRED_NAME];
};

#endif
