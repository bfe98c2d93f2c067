/* The tokens of an expression. */
#ifndef COPRA_REPORT_PREDICATE_LEX_H
#define COPRA_REPORT_PREDICATE_LEX_H

#include <stdbool.h>

#include "harness/base/error.h"

enum token { T_END, T_NUMBER, T_TEXT, T_NAME, T_SYMBOL };

struct lexer {
	const char *source;
	const char *begin; /* of the current token */
	const char *at;    /* behind it */
	int last_end;      /* of the token before, as an offset */
	enum token token;
	double number;  /* T_NUMBER */
	char symbol[3]; /* T_SYMBOL */
	struct err *e;
};

/* Goes to the next token; the first call to the first. A text keeps its quotes. */
int lex_next(struct lexer *l);
bool lex_is_symbol(const struct lexer *l, const char *symbol);
bool lex_is_word(const struct lexer *l, const char *word);
/* Takes the symbol or fails. */
int lex_expect(struct lexer *l, const char *symbol);
/* "column 12: what", of the current token. */
int lex_fail(const struct lexer *l, const char *what);

#endif
