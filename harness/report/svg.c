#include "harness/report/svg.h"

#include <string.h>

/* Places behind which a name of the drawing stands. */
static size_t name_follows(const char *s)
{
	static const char *const before[] = { " id=\"", " id='", "href=\"#", "href='#", "url(#" };
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		if (!strncmp(s, before[i], strlen(before[i])))
			return strlen(before[i]);
	return 0;
}

int svg_inline(const char *path, const char *prefix, struct text *out, struct err *e)
{
	struct text file;
	int status = text_load(&file, path, e);
	if (status)
		return status;
	const char *at = strstr(text_get(&file), "<svg");
	const char *end = at ? strstr(at, "</svg>") : NULL;
	if (!end)
		status = err_set(e, ERR_INPUT, "%s: no <svg> element", path);
	else
		end += strlen("</svg>");
	while (!status && at < end) {
		size_t skip = name_follows(at);
		text_add_n(out, at, skip ? skip : 1);
		at += skip ? skip : 1;
		if (skip)
			text_add(out, "%s-", prefix);
	}
	text_add(out, "\n");
	text_free(&file);
	return status;
}
