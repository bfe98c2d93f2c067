#include "harness/report/data/bibtex.h"

#include <ctype.h>
#include <string.h>

/* The opening brace of a field's value, or NULL. */
static const char *find(const char *entry, const char *field)
{
	size_t length = strlen(field);
	for (const char *at = strstr(entry, field); at; at = strstr(at + 1, field)) {
		const char *end = at + length + strspn(at + length, " \t");
		bool begins = at > entry && (isspace((unsigned char)at[-1]) || at[-1] == ',');
		if (begins && *end == '=') {
			end += 1 + strspn(end + 1, " \t");
			return *end == '{' ? end : NULL;
		}
	}
	return NULL;
}

/* Appends the value of a field without its braces; nothing if the entry lacks the field. */
static void add_field(const char *entry, const char *field, struct text *out)
{
	const char *at = find(entry, field);
	int depth = 0;
	bool blank = false;
	for (; at && *at; at++) {
		depth += (*at == '{') - (*at == '}');
		if (depth == 0)
			break;
		if (*at == '{' || *at == '}')
			continue;
		bool space = isspace((unsigned char)*at);
		if (!space || !blank)
			text_add_n(out, space ? " " : at, 1);
		blank = space;
	}
}

/* Rewrites "A and B and C" as "A, B, C". */
static void authors(const char *entry, struct text *out)
{
	struct text list = { 0 };
	add_field(entry, "author", &list);
	const char *at = text_get(&list);
	for (const char *next; (next = strstr(at, " and ")); at = next + strlen(" and ")) {
		text_add_n(out, at, (size_t)(next - at));
		text_add(out, "; ");
	}
	text_add(out, "%s", at);
	text_free(&list);
}

void bibtex_reference(const char *entry, struct text *out)
{
	static const char *const where[] = { "journal", "booktitle", "year", "doi" };
	authors(entry, out);
	text_add(out, ": ");
	add_field(entry, "title", out);
	for (size_t i = 0; i < sizeof(where) / sizeof(where[0]); i++) {
		struct text value = { 0 };
		add_field(entry, where[i], &value);
		if (value.length)
			text_add(out, "%s%s", i < 2 ? ". " : ", ", text_get(&value));
		text_free(&value);
	}
	text_add(out, ".");
}
