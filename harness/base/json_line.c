#include "harness/base/json_line.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void skip_space(struct json_line *l)
{
	while (*l->at == ' ' || *l->at == '\t')
		l->at++;
}

static bool fail(struct json_line *l)
{
	l->bad = true;
	return false;
}

static bool expect(struct json_line *l, char c)
{
	skip_space(l);
	if (*l->at != c)
		return fail(l);
	l->at++;
	return true;
}

static bool read_hex4(struct json_line *l, uint32_t *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++, l->at++) {
		const char *digits = "0123456789abcdef";
		const char *d = *l->at ? strchr(digits, *l->at | 0x20) : NULL;

		if (!d)
			return fail(l);
		*out = *out * 16 + (uint32_t)(d - digits);
	}
	return true;
}

/* UTF-8 of a code point; 0 bytes for what is none. */
static size_t encode(uint32_t u, char *out)
{
	if (u < 0x80) {
		out[0] = (char)u;
		return 1;
	}
	if (u < 0x800) {
		out[0] = (char)(0xc0 | u >> 6);
		out[1] = (char)(0x80 | (u & 0x3f));
		return 2;
	}
	if (u >= 0xd800 && u < 0xe000)
		return 0;
	out[0] = (char)(0xe0 | u >> 12);
	out[1] = (char)(0x80 | (u >> 6 & 0x3f));
	out[2] = (char)(0x80 | (u & 0x3f));
	return 3;
}

/* After a backslash. The writer never escapes beyond the basic plane. */
static size_t read_escape(struct json_line *l, char *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found = *l->at ? strchr(from, *l->at) : NULL;
	uint32_t u;

	if (found) {
		l->at++;
		*out = to[found - from];
		return 1;
	}
	if (*l->at != 'u')
		return 0;
	l->at++;
	return read_hex4(l, &u) && u ? encode(u, out) : 0;
}

static bool read_string(struct json_line *l, char *out, size_t size)
{
	size_t used = 0;

	if (!expect(l, '"'))
		return false;
	while (*l->at != '"') {
		size_t n = 1;

		if ((unsigned char)*l->at < 0x20 || used + 4 >= size)
			return fail(l);
		if (*l->at == '\\') {
			l->at++;
			n = read_escape(l, out + used);
			if (n == 0)
				return fail(l);
		} else {
			out[used] = *l->at++;
		}
		used += n;
	}
	l->at++;
	out[used] = '\0';
	return true;
}

static bool read_word(struct json_line *l, const char *word, double value)
{
	size_t length = strlen(word);

	if (strncmp(l->at, word, length) != 0)
		return fail(l);
	l->at += length;
	l->type = JSON_LINE_BOOL;
	l->number = value;
	return true;
}

static bool read_value(struct json_line *l)
{
	char *end;

	skip_space(l);
	if (*l->at == '"') {
		l->type = JSON_LINE_STRING;
		return read_string(l, l->text, sizeof(l->text));
	}
	if (*l->at == 't')
		return read_word(l, "true", 1);
	if (*l->at == 'f')
		return read_word(l, "false", 0);
	if (*l->at != '-' && (*l->at < '0' || *l->at > '9'))
		return fail(l);
	l->type = JSON_LINE_NUMBER;
	l->number = strtod(l->at, &end);
	l->at = end;
	return isfinite(l->number) ? true : fail(l);
}

void json_line_start(struct json_line *l, const char *text)
{
	l->at = text;
	l->first = true;
	l->ended = false;
	l->bad = false;
	expect(l, '{');
}

bool json_line_next(struct json_line *l)
{
	if (l->bad || l->ended)
		return false;
	skip_space(l);
	if (*l->at == '}') {
		l->at++;
		skip_space(l);
		l->ended = true;
		if (*l->at != '\0')
			fail(l);
		return false;
	}
	if (!l->first && !expect(l, ','))
		return false;
	l->first = false;
	return read_string(l, l->key, sizeof(l->key)) && expect(l, ':') && read_value(l);
}

bool json_line_ok(const struct json_line *l)
{
	return l->ended && !l->bad;
}
