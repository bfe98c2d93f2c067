/* Reads the members of a flat JSON object on one line, as journals hold them: strings, numbers,
 * true and false; no nesting, no null.
 *
 *     struct json_line l;
 *     json_line_start(&l, text);
 *     while (json_line_next(&l))
 *         ... l.key, l.type, l.text or l.number ...
 *     whole = json_line_ok(&l);
 *
 * A line that is cut, malformed or followed by anything but its end is not ok. */
#ifndef COPRA_BASE_JSON_LINE_H
#define COPRA_BASE_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum { JSON_LINE_KEY = 64, JSON_LINE_TEXT = 1024 };
enum json_line_type { JSON_LINE_STRING, JSON_LINE_NUMBER, JSON_LINE_BOOL };

struct json_line {
	const char *at;
	bool first, ended, bad;
	char key[JSON_LINE_KEY];
	enum json_line_type type;
	char text[JSON_LINE_TEXT];
	double number; /* of a bool 0 or 1 */
};

void json_line_start(struct json_line *l, const char *text);
bool json_line_next(struct json_line *l);
bool json_line_ok(const struct json_line *l);

#endif
