#include "harness/report/pattern.h"

#include <string.h>

static bool match(const char *p, const char *s, struct pattern_capture *capture)
{
	for (; *p && *p != '*' && strncmp(p, "(*)", 3) != 0; p++, s++)
		if (*p != *s)
			return false;
	if (!*p)
		return !*s;
	if (*p == '*') {
		while (p[1] == '*')
			p++;
		if (!p[1])
			return true;
		for (; *s; s++)
			if (match(p + 1, s, capture))
				return true;
		return match(p + 1, s, capture);
	}
	for (size_t length = strcspn(s, "/"); length > 0; length--)
		if (match(p + 3, s + length, capture)) {
			*capture = (struct pattern_capture){ s, length };
			return true;
		}
	return false;
}

bool pattern_match(const char *pattern, const char *name, struct pattern_capture *capture)
{
	struct pattern_capture unused;
	if (!capture)
		capture = &unused;
	*capture = (struct pattern_capture){ 0 };
	return match(pattern, name, capture);
}

int pattern_captures(const char *pattern)
{
	int count = 0;
	for (const char *p = strstr(pattern, "(*)"); p; p = strstr(p + 3, "(*)"))
		count++;
	return count;
}
