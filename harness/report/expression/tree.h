/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The syntax tree of an expression, which parse.c builds and evaluate.c evaluates. */
#ifndef COPRA_REPORT_EXPRESSION_TREE_H
#define COPRA_REPORT_EXPRESSION_TREE_H

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
	OP_SIMULATED,
	OP_TERM,
	OP_WITHIN,
	OP_FIRST,
	OP_IF,
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

#endif
