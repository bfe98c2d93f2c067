#include "harness/report/predicate_lex.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/predicate.h"

int lex_fail(const struct lexer *l, const char *what)
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
		return lex_fail(l, "a number followed by letters");
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
	return lex_fail(l, "a character that means nothing here");
}

int lex_next(struct lexer *l)
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
			return lex_fail(l, "a text that is never closed");
		l->at = end + 1;
		l->token = T_TEXT;
		return 0;
	}
	if (isalpha(c) || c == '_') {
		while (isalnum((unsigned char)*l->at) || *l->at == '_')
			l->at++;
		l->token = T_NAME;
		return l->at - l->begin < PRED_NAME ? 0 : lex_fail(l, "a name that is too long");
	}
	return read_symbol(l);
}

bool lex_is_symbol(const struct lexer *l, const char *symbol)
{
	return l->token == T_SYMBOL && !strcmp(l->symbol, symbol);
}

bool lex_is_word(const struct lexer *l, const char *word)
{
	return l->token == T_NAME && (size_t)(l->at - l->begin) == strlen(word) &&
	       !strncmp(l->begin, word, strlen(word));
}

int lex_expect(struct lexer *l, const char *symbol)
{
	if (lex_is_symbol(l, symbol))
		return lex_next(l);
	char what[32];
	snprintf(what, sizeof(what), "expected '%s'", symbol);
	return lex_fail(l, what);
}
