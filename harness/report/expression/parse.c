/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Parses the text of an expression into its syntax tree, and checks the types. */
#include "harness/report/expression/tree.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/expression/expression.h"

/* ---- tokens ---- */

enum token { T_END, T_NUMBER, T_TEXT, T_NAME, T_SYMBOL };

struct lexer {
	const char *source;
	const char *begin; /* of the current token */
	const char *at;    /* its end */
	int last_end;      /* offset of the end of the previous token */
	enum token token;
	double number;  /* T_NUMBER */
	char symbol[3]; /* T_SYMBOL */
	struct err *e;
};

/* Sets the error "column 12: <what>", with the column of the current token. */
static int lex_fail(const struct lexer *l, const char *what)
{
	return err_set(l->e, ERR_INPUT, "column %d: %s", (int)(l->begin - l->source) + 1, what);
}

static int read_number(struct lexer *l)
{
	const char *p = l->begin;
	char *end;
	while (isdigit((unsigned char)*p))
		p++;
	/* "1..9" is a range, not the number 1. */
	if (p[0] == '.' && p[1] == '.' && p > l->begin)
		end = (char *)p;
	else
		(void)strtod(l->begin, &end);
	char copy[64];
	size_t length = (size_t)(end - l->begin);
	if (length == 0 || length >= sizeof(copy) || !isfinite(strtod(l->begin, NULL)))
		return lex_fail(l, "not a number");
	memcpy(copy, l->begin, length);
	copy[length] = '\0';
	l->number = strtod(copy, NULL);
	if (isalpha((unsigned char)*end) || *end == '_')
		return lex_fail(l, "a number must not be followed by letters");
	l->at = end;
	l->token = T_NUMBER;
	return 0;
}

static int read_symbol(struct lexer *l)
{
	static const char *const symbols[] = { "<=", ">=", "!=", "..", "<", ">", "=", "+", "-",
					       "*",  "/",  "(",  ")",  "{", "}", ",", NULL };
	for (int i = 0; symbols[i]; i++) {
		size_t length = strlen(symbols[i]);
		if (!strncmp(l->begin, symbols[i], length)) {
			memcpy(l->symbol, symbols[i], length + 1);
			l->at = l->begin + length;
			l->token = T_SYMBOL;
			return 0;
		}
	}
	return lex_fail(l, "unexpected character");
}

/* Advances to the next token; the first call advances to the first token. A text keeps its
 * quotes. */
static int lex_next(struct lexer *l)
{
	l->last_end = (int)(l->at - l->source);
	while (isspace((unsigned char)*l->at))
		l->at++;
	l->begin = l->at;
	unsigned char c = (unsigned char)*l->at;
	if (!c) {
		l->token = T_END;
		return 0;
	}
	if (isdigit(c) || (c == '.' && isdigit((unsigned char)l->at[1])))
		return read_number(l);
	if (c == '"') {
		const char *end = strchr(l->at + 1, '"');
		if (!end)
			return lex_fail(l, "the text has no closing quote");
		l->at = end + 1;
		l->token = T_TEXT;
		return 0;
	}
	if (isalpha(c) || c == '_') {
		while (isalnum((unsigned char)*l->at) || *l->at == '_')
			l->at++;
		l->token = T_NAME;
		return l->at - l->begin < EXPR_NAME ? 0 : lex_fail(l, "the name is too long");
	}
	return read_symbol(l);
}

static bool lex_is_symbol(const struct lexer *l, const char *symbol)
{
	return l->token == T_SYMBOL && !strcmp(l->symbol, symbol);
}

static bool lex_is_word(const struct lexer *l, const char *word)
{
	return l->token == T_NAME && (size_t)(l->at - l->begin) == strlen(word) &&
	       !strncmp(l->begin, word, strlen(word));
}

/* Consumes the symbol, or fails if it does not follow. */
static int lex_expect(struct lexer *l, const char *symbol)
{
	if (lex_is_symbol(l, symbol))
		return lex_next(l);
	char what[32];
	snprintf(what, sizeof(what), "expected '%s'", symbol);
	return lex_fail(l, what);
}

const char *const expr_statistic_names[] = { "mean", "median", "min", "max", "sum", "count", NULL };

enum { DEEPEST = 64, LARGEST_RANGE = 1000 };

struct parser {
	struct lexer lex;
	struct expr *p;
	size_t scope; /* number of visible variables; slots are not reused */
	char visible[EXPR_SLOTS][EXPR_NAME];
	int slot_of[EXPR_SLOTS];
	enum expr_type type_of[EXPR_SLOTS]; /* by slot */
	int depth;
};

static int parse_or(struct parser *s, int *out);
static int parse_set(struct parser *s, int *out);

/* ---- nodes ---- */

static int new_node(struct parser *s, enum expr_op op, enum expr_type type, int *out)
{
	struct expr *p = s->p;
	int status = array_grow((void **)&p->node, p->nodes, sizeof(*p->node), s->lex.e);
	if (status)
		return status;
	p->node[p->nodes] = (struct expr_node){
		.op = op,
		.type = type,
		.child = NO_NODE,
		.next = NO_NODE,
		.begin = (int)(s->lex.begin - p->source),
		.end = (int)(s->lex.at - p->source),
	};
	*out = (int)p->nodes++;
	return 0;
}

static void append_child(struct parser *s, int parent, int child)
{
	struct expr_node *node = s->p->node;
	int *link = &node[parent].child;
	while (*link != NO_NODE)
		link = &node[*link].next;
	*link = child;
	node[parent].end = s->lex.last_end;
}

static int copy_text(struct parser *s, int node, const char *text, size_t length)
{
	s->p->node[node].text = strndup(text, length);
	return s->p->node[node].text ? 0 : err_set(s->lex.e, ERR_MEMORY, "out of memory");
}

static int want_type(struct parser *s, int node, enum expr_type type)
{
	static const char *const messages[] = { "expected a number before this",
						"expected a truth value before this",
						"expected a text before this", "expected a set" };
	return s->p->node[node].type == type ? 0 : lex_fail(&s->lex, messages[type]);
}

static int find_variable(const struct parser *s, const char *name, size_t length)
{
	for (size_t i = s->scope; i-- > 0;)
		if (strlen(s->visible[i]) == length && !strncmp(s->visible[i], name, length))
			return s->slot_of[i];
	return NO_NODE;
}

/* Makes a variable visible. The caller hides it again by resetting s->scope. */
static int bind(struct parser *s, const char *name, size_t length, enum expr_type type, int *slot)
{
	struct expr *p = s->p;
	if (p->variables == EXPR_SLOTS || s->scope == EXPR_SLOTS)
		return lex_fail(&s->lex, "too many variables");
	if (find_variable(s, name, length) != NO_NODE)
		return lex_fail(&s->lex, "a variable with this name already exists");
	*slot = (int)p->variables++;
	memcpy(p->variable[*slot], name, length);
	p->variable[*slot][length] = '\0';
	memcpy(s->visible[s->scope], p->variable[*slot], EXPR_NAME);
	s->slot_of[s->scope++] = *slot;
	s->type_of[*slot] = type;
	return 0;
}

/* ---- texts and patterns ---- */

static int pattern_part(struct parser *s, int pattern, const char *from, size_t length)
{
	int node;
	if (!length)
		return 0;
	int status = new_node(s, OP_LITERAL, EXPR_TEXT, &node);
	if (!status)
		status = copy_text(s, node, from, length);
	if (!status)
		append_child(s, pattern, node);
	return status;
}

static int pattern_variable(struct parser *s, int pattern, const char *name, size_t length)
{
	int node, slot = find_variable(s, name, length);
	if (slot == NO_NODE)
		return lex_fail(&s->lex, "unknown variable in braces");
	int status = new_node(s, OP_VARIABLE, s->type_of[slot], &node);
	if (status)
		return status;
	s->p->node[node].slot = slot;
	append_child(s, pattern, node);
	return 0;
}

static int parse_text(struct parser *s, int *out)
{
	if (s->lex.token != T_TEXT)
		return lex_fail(&s->lex, "expected a text in quotes");
	const char *at = s->lex.begin + 1, *end = s->lex.at - 1;
	int status = new_node(s, OP_PATTERN, EXPR_TEXT, out);
	while (!status && at < end) {
		const char *open = memchr(at, '{', (size_t)(end - at));
		const char *stop = open ? open : end;
		status = pattern_part(s, *out, at, (size_t)(stop - at));
		at = stop;
		if (status || !open)
			continue;
		const char *close = memchr(open, '}', (size_t)(end - open));
		if (!close)
			return lex_fail(&s->lex, "a brace in the text is not closed");
		status = pattern_variable(s, *out, open + 1, (size_t)(close - open - 1));
		at = close + 1;
	}
	if (!status)
		s->p->node[*out].end = (int)(s->lex.at - s->p->source);
	return status ? status : lex_next(&s->lex);
}

/* The number of "(*)" in the text. A pattern without (*) is rejected when it is parsed. */
static int captures(const struct parser *s, int pattern)
{
	int count = 0;
	for (int i = s->p->node[pattern].child; i != NO_NODE; i = s->p->node[i].next)
		if (s->p->node[i].op == OP_LITERAL)
			for (const char *at = s->p->node[i].text; (at = strstr(at, "(*)")); at += 3)
				count++;
	return count;
}

/* ---- functions ---- */

static int parse_statistic(struct parser *s, int which, int *out)
{
	int pattern, counter, status = new_node(s, OP_STATISTIC, EXPR_NUMBER, out);
	if (status)
		return status;
	s->p->node[*out].slot = which;
	if ((status = lex_next(&s->lex)) || (status = lex_expect(&s->lex, "(")) ||
	    (status = parse_text(s, &pattern)))
		return status;
	append_child(s, *out, pattern);
	if (captures(s, pattern))
		return lex_fail(&s->lex, "(*) is not allowed in a statistic; use *");
	if (!lex_is_symbol(&s->lex, ","))
		status = copy_text(s, *out, "", 0);
	else if ((status = lex_next(&s->lex)))
		return status;
	else if (s->lex.token == T_TEXT) {
		if ((status = parse_text(s, &counter)))
			return status;
		append_child(s, *out, counter);
	} else {
		if (s->lex.token != T_NAME)
			return lex_fail(&s->lex, "expected the name of a counter");
		status = copy_text(s, *out, s->lex.begin, (size_t)(s->lex.at - s->lex.begin));
		if (!status)
			status = lex_next(&s->lex);
	}
	return status ? status : lex_expect(&s->lex, ")");
}

static int parse_argument(struct parser *s, int parent, enum expr_type type)
{
	/* a text is a literal or a variable */
	int child, status = s->lex.token == T_TEXT ? parse_text(s, &child) : parse_or(s, &child);
	if (status || (status = want_type(s, child, type)))
		return status;
	append_child(s, parent, child);
	return 0;
}

static int parse_arguments(struct parser *s, int parent, const enum expr_type *types, size_t count)
{
	int status = lex_next(&s->lex);
	if (!status)
		status = lex_expect(&s->lex, "(");
	for (size_t i = 0; i < count && !status; i++) {
		status = parse_argument(s, parent, types[i]);
		if (!status && i + 1 < count)
			status = lex_expect(&s->lex, ",");
	}
	return status ? status : lex_expect(&s->lex, ")");
}

static int parse_first(struct parser *s, int *out)
{
	int status = new_node(s, OP_FIRST, EXPR_NUMBER, out);
	if (status || (status = lex_next(&s->lex)) || (status = lex_expect(&s->lex, "(")) ||
	    (status = parse_argument(s, *out, EXPR_NUMBER)))
		return status;
	while (!status && lex_is_symbol(&s->lex, ","))
		if (!(status = lex_next(&s->lex)))
			status = parse_argument(s, *out, EXPR_NUMBER);
	return status ? status : lex_expect(&s->lex, ")");
}

/* paper("table", "column", key), and the same of simulated: the key is a number or a text. */
static int parse_cell(struct parser *s, enum expr_op op, int *out)
{
	int key, status = new_node(s, op, EXPR_NUMBER, out);
	if (status || (status = lex_next(&s->lex)) || (status = lex_expect(&s->lex, "(")) ||
	    (status = parse_argument(s, *out, EXPR_TEXT)) || (status = lex_expect(&s->lex, ",")) ||
	    (status = parse_argument(s, *out, EXPR_TEXT)) || (status = lex_expect(&s->lex, ",")))
		return status;
	status = s->lex.token == T_TEXT ? parse_text(s, &key) : parse_or(s, &key);
	if (status)
		return status;
	if (s->p->node[key].type == EXPR_TRUTH || s->p->node[key].type == EXPR_SET)
		return lex_fail(&s->lex, "expected a number or a text before this");
	append_child(s, *out, key);
	return lex_expect(&s->lex, ")");
}

/* all(x in set, body), any, monotone, largest and smallest. */
static int parse_over(struct parser *s, enum expr_op op, int *out)
{
	bool truth = op == OP_ALL || op == OP_ANY;
	bool result_is_truth = truth || op == OP_MONOTONE;
	int set, slot, status = new_node(s, op, result_is_truth ? EXPR_TRUTH : EXPR_NUMBER, out);
	size_t scope = s->scope;
	if (status || (status = lex_next(&s->lex)) || (status = lex_expect(&s->lex, "(")))
		return status;
	const char *name = s->lex.begin;
	size_t length = (size_t)(s->lex.at - s->lex.begin);
	if (s->lex.token != T_NAME)
		return lex_fail(&s->lex, "expected the name of a variable");
	if ((status = lex_next(&s->lex)))
		return status;
	if (!lex_is_word(&s->lex, "in"))
		return lex_fail(&s->lex, "expected 'in' and a set");
	if ((status = lex_next(&s->lex)) || (status = parse_set(s, &set)))
		return status;
	append_child(s, *out, set);
	if ((status = bind(s, name, length, s->p->node[set].member, &slot)))
		return status;
	s->p->node[*out].slot = slot;
	if ((status = lex_expect(&s->lex, ",")) ||
	    (status = parse_argument(s, *out, truth ? EXPR_TRUTH : EXPR_NUMBER)))
		return status;
	s->scope = scope;
	if (op == OP_MONOTONE && ((status = lex_expect(&s->lex, ",")) ||
				  (status = parse_argument(s, *out, EXPR_NUMBER))))
		return status;
	return lex_expect(&s->lex, ")");
}

static int parse_term(struct parser *s, int *out)
{
	const struct expr_terms *terms = s->p->terms;
	size_t length = (size_t)(s->lex.at - s->lex.begin), i = 0;
	while (terms && i < terms->count &&
	       !(strlen(terms->term[i].name) == length &&
		 !strncmp(terms->term[i].name, s->lex.begin, length)))
		i++;
	if (!terms || i == terms->count)
		return lex_fail(&s->lex, "unknown name");
	enum expr_type types[EXPR_PARAMS];
	for (size_t k = 0; k < terms->term[i].params; k++)
		types[k] = terms->term[i].param[k].type;
	struct expr *body = terms->term[i].body;
	int status = new_node(s, OP_TERM, body->node[body->root].type, out);
	if (status)
		return status;
	s->p->node[*out].slot = (int)i;
	return parse_arguments(s, *out, types, terms->term[i].params);
}

static int parse_name(struct parser *s, int *out)
{
	static const struct {
		const char *name;
		enum expr_op op;
	} over[] = { { "all", OP_ALL },
		     { "any", OP_ANY },
		     { "monotone", OP_MONOTONE },
		     { "largest", OP_LARGEST },
		     { "smallest", OP_SMALLEST } };
	static const enum expr_type three[] = { EXPR_NUMBER, EXPR_NUMBER, EXPR_NUMBER };
	static const enum expr_type condition[] = { EXPR_TRUTH, EXPR_NUMBER };
	int slot = find_variable(s, s->lex.begin, (size_t)(s->lex.at - s->lex.begin));
	if (slot != NO_NODE) {
		int status = new_node(s, OP_VARIABLE, s->type_of[slot], out);
		if (status)
			return status;
		s->p->node[*out].slot = slot;
		return lex_next(&s->lex);
	}
	for (int i = 0; expr_statistic_names[i]; i++)
		if (lex_is_word(&s->lex, expr_statistic_names[i]))
			return parse_statistic(s, i, out);
	for (size_t i = 0; i < sizeof(over) / sizeof(over[0]); i++)
		if (lex_is_word(&s->lex, over[i].name))
			return parse_over(s, over[i].op, out);
	if (lex_is_word(&s->lex, "paper"))
		return parse_cell(s, OP_PAPER, out);
	if (lex_is_word(&s->lex, "simulated"))
		return parse_cell(s, OP_SIMULATED, out);
	if (lex_is_word(&s->lex, "first"))
		return parse_first(s, out);
	if (lex_is_word(&s->lex, "within")) {
		int status = new_node(s, OP_WITHIN, EXPR_TRUTH, out);
		return status ? status : parse_arguments(s, *out, three, 3);
	}
	if (lex_is_word(&s->lex, "if")) {
		int status = new_node(s, OP_IF, EXPR_NUMBER, out);
		return status ? status : parse_arguments(s, *out, condition, 2);
	}
	if (lex_is_word(&s->lex, "log")) {
		int status = new_node(s, OP_LOG, EXPR_NUMBER, out);
		return status ? status : parse_arguments(s, *out, three, 1);
	}
	return parse_term(s, out);
}

/* ---- operators ---- */

static int parse_primary(struct parser *s, int *out)
{
	if (s->lex.token == T_NAME) {
		int status = parse_name(s, out);
		if (!status)
			s->p->node[*out].end =
				s->lex.last_end; /* up to and including the closing bracket */
		return status;
	}
	if (s->lex.token == T_NUMBER) {
		int status = new_node(s, OP_NUMBER, EXPR_NUMBER, out);
		if (status)
			return status;
		s->p->node[*out].number = s->lex.number;
		return lex_next(&s->lex);
	}
	if (lex_is_symbol(&s->lex, "(")) {
		int status = lex_next(&s->lex);
		if (!status)
			status = parse_or(s, out);
		return status ? status : lex_expect(&s->lex, ")");
	}
	return lex_fail(&s->lex, s->lex.token == T_END ? "unexpected end of the expression" :
							 "expected a number, a name or '('");
}

static int parse_prefix(struct parser *s, enum expr_op op, enum expr_type type,
			int (*operand)(struct parser *, int *), int *out)
{
	int child, status = new_node(s, op, type, out);
	if (!status)
		status = lex_next(&s->lex);
	if (!status)
		status = operand(s, &child);
	if (!status)
		status = want_type(s, child, type);
	if (!status)
		append_child(s, *out, child);
	return status;
}

static int parse_unary(struct parser *s, int *out)
{
	if (++s->depth > DEEPEST)
		return lex_fail(&s->lex, "nested too deeply");
	int status = lex_is_symbol(&s->lex, "-") ?
			     parse_prefix(s, OP_NEGATE, EXPR_NUMBER, parse_unary, out) :
			     parse_primary(s, out);
	s->depth--;
	return status;
}

struct operator
{
	const char *spelling;
	enum expr_op op;
};

/* Parses one precedence level of left-associative operators. */
static int parse_level(struct parser *s, const struct operator* ops, bool words,
		       enum expr_type operand, enum expr_type result, bool chain,
		       int (*lower)(struct parser *, int *), int *out)
{
	int status = lower(s, out);
	while (!status) {
		int i = 0, left = *out, right;
		while (ops[i].spelling && !(words ? lex_is_word(&s->lex, ops[i].spelling) :
						    lex_is_symbol(&s->lex, ops[i].spelling)))
			i++;
		if (!ops[i].spelling)
			return 0;
		if ((status = want_type(s, left, operand)) || (status = lex_next(&s->lex)) ||
		    (status = lower(s, &right)) || (status = want_type(s, right, operand)) ||
		    (status = new_node(s, ops[i].op, result, out)))
			return status;
		s->p->node[*out].begin = s->p->node[left].begin;
		append_child(s, *out, left);
		append_child(s, *out, right);
		if (!chain)
			return 0;
	}
	return status;
}

static int parse_product(struct parser *s, int *out)
{
	static const struct operator ops[] = { { "*", OP_MULTIPLY }, { "/", OP_DIVIDE }, { 0 } };
	return parse_level(s, ops, false, EXPR_NUMBER, EXPR_NUMBER, true, parse_unary, out);
}

static int parse_sum(struct parser *s, int *out)
{
	static const struct operator ops[] = { { "+", OP_ADD }, { "-", OP_SUBTRACT }, { 0 } };
	return parse_level(s, ops, false, EXPR_NUMBER, EXPR_NUMBER, true, parse_product, out);
}

static int parse_compare(struct parser *s, int *out)
{
	static const struct operator ops[] = {
		{ "<=", OP_LESS_EQUAL },
		{ ">=", OP_GREATER_EQUAL },
		{ "!=", OP_NOT_EQUAL },
		{ "<", OP_LESS },
		{ ">", OP_GREATER },
		{ "=", OP_EQUAL },
		{ 0 },
	};
	return parse_level(s, ops, false, EXPR_NUMBER, EXPR_TRUTH, false, parse_sum, out);
}

static int parse_not(struct parser *s, int *out)
{
	if (!lex_is_word(&s->lex, "not"))
		return parse_compare(s, out);
	if (++s->depth > DEEPEST)
		return lex_fail(&s->lex, "nested too deeply");
	int status = parse_prefix(s, OP_NOT, EXPR_TRUTH, parse_not, out);
	s->depth--;
	return status;
}

static int parse_and(struct parser *s, int *out)
{
	static const struct operator ops[] = { { "and", OP_AND }, { 0 } };
	return parse_level(s, ops, true, EXPR_TRUTH, EXPR_TRUTH, true, parse_not, out);
}

static int parse_or(struct parser *s, int *out)
{
	static const struct operator ops[] = { { "or", OP_OR }, { 0 } };
	return parse_level(s, ops, true, EXPR_TRUTH, EXPR_TRUTH, true, parse_and, out);
}

/* ---- sets ---- */

static int add_number(struct parser *s, int set, double number)
{
	int node, status = new_node(s, OP_NUMBER, EXPR_NUMBER, &node);
	if (status)
		return status;
	s->p->node[node].number = number;
	append_child(s, set, node);
	return 0;
}

/* Parses first..last step s, after `first`. */
static int parse_range(struct parser *s, int set, double first)
{
	int status = lex_next(&s->lex);
	double last = s->lex.number, step;
	if (status)
		return status;
	if (s->lex.token != T_NUMBER)
		return lex_fail(&s->lex, "expected the last number of the range");
	if ((status = lex_next(&s->lex)))
		return status;
	if (!lex_is_word(&s->lex, "step"))
		return lex_fail(&s->lex, "expected 'step'");
	if ((status = lex_next(&s->lex)))
		return status;
	step = s->lex.number;
	if (s->lex.token != T_NUMBER || !(step > 0) || first > last)
		return lex_fail(&s->lex, "expected a positive step and a rising range");
	if ((last - first) / step > LARGEST_RANGE)
		return lex_fail(&s->lex, "a range has more than 1000 numbers");
	for (int i = 0; !status && first + i * step <= last; i++)
		status = add_number(s, set, first + i * step);
	return status ? status : lex_next(&s->lex);
}

static int parse_member(struct parser *s, int set, enum expr_type type)
{
	double number = s->lex.number;
	bool may_be_range = s->lex.token == T_NUMBER;
	const struct parser before = *s;
	int status = may_be_range ? lex_next(&s->lex) : 0;
	if (status)
		return status;
	if (may_be_range && lex_is_symbol(&s->lex, ".."))
		return parse_range(s, set, number);
	*s = before;
	return parse_argument(s, set, type);
}

static int parse_list(struct parser *s, int *out)
{
	int status = new_node(s, OP_LIST, EXPR_SET, out);
	if (!status)
		status = lex_next(&s->lex);
	enum expr_type member = s->lex.token == T_TEXT ? EXPR_TEXT : EXPR_NUMBER;
	if (!status)
		s->p->node[*out].member = member;
	while (!status) {
		if ((s->lex.token == T_TEXT) != (member == EXPR_TEXT))
			return lex_fail(&s->lex, "a set mixes numbers and texts");
		status = parse_member(s, *out, member);
		if (status || !lex_is_symbol(&s->lex, ","))
			break;
		status = lex_next(&s->lex);
	}
	return status ? status : lex_expect(&s->lex, "}");
}

static int parse_simple_set(struct parser *s, int *out)
{
	static const enum expr_type one[] = { EXPR_TEXT };
	if (lex_is_symbol(&s->lex, "{"))
		return parse_list(s, out);
	bool axis = lex_is_word(&s->lex, "axis");
	if (!axis && !lex_is_word(&s->lex, "names"))
		return lex_fail(&s->lex, "expected a set: {...}, axis(...) or names(...)");
	int status = new_node(s, axis ? OP_AXIS : OP_NAMES, EXPR_SET, out);
	if (status)
		return status;
	s->p->node[*out].member = axis ? EXPR_NUMBER : EXPR_TEXT;
	status = parse_arguments(s, *out, one, 1);
	if (!status && captures(s, s->p->node[*out].child) != 1)
		return lex_fail(&s->lex, "the pattern of a set needs exactly one (*)");
	return status;
}

static int parse_set(struct parser *s, int *out)
{
	int status = parse_simple_set(s, out);
	while (!status && lex_is_symbol(&s->lex, "+")) {
		int left = *out, right;
		enum expr_type member = s->p->node[left].member;
		if ((status = new_node(s, OP_UNION, EXPR_SET, out)) ||
		    (status = lex_next(&s->lex)) || (status = parse_simple_set(s, &right)))
			return status;
		if (s->p->node[right].member != member)
			return lex_fail(&s->lex, "a set mixes numbers and texts");
		s->p->node[*out].member = member;
		append_child(s, *out, left);
		append_child(s, *out, right);
	}
	return status;
}

/* ---- whole expressions ---- */

static int parse_all(struct parser *s, const struct expr_param *params, size_t count,
		     enum expr_type want)
{
	int slot, status = 0;
	s->lex.source = s->lex.begin = s->lex.at = s->p->source;
	for (size_t i = 0; i < count && !status; i++)
		status = bind(s, params[i].name, strlen(params[i].name), params[i].type, &slot);
	if (!status)
		status = lex_next(&s->lex);
	if (!status)
		status = want == EXPR_SET ? parse_set(s, &s->p->root) : parse_or(s, &s->p->root);
	if (!status && s->lex.token != T_END)
		status = lex_fail(&s->lex, "expected the end of the expression");
	return status ? status : want_type(s, s->p->root, want);
}

int expr_parse(struct expr **out, const char *source, const struct expr_terms *terms,
	       const struct expr_param *params, size_t param_count, enum expr_type want,
	       struct err *e)
{
	struct err own = { 0 };
	*out = NULL;
	struct expr *p = calloc(1, sizeof(*p));
	if (!p)
		return err_set(e, ERR_MEMORY, "out of memory");
	p->terms = terms;
	p->params = param_count;
	struct parser s = { .p = p, .lex.e = &own };
	int status = text_copy(&p->source, source, &own);
	if (!status)
		status = parse_all(&s, params, param_count, want);
	if (status) {
		expr_destroy(p);
		return err_set(e, status, "%s", own.text);
	}
	*out = p;
	return 0;
}

void expr_destroy(struct expr *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nodes; i++)
		free(p->node[i].text);
	free(p->node);
	free(p->source);
	free(p);
}

enum expr_type expr_member_type(const struct expr *p)
{
	return p->node[p->root].member;
}
