#include "harness/report/data/names.h"

#include <stdio.h>
#include <string.h>

const char *const variant_names[VARIANTS] = { "serial", "cpu", "published", "tuned", "other" };

enum variant name_variant(const char *name, size_t *at)
{
	for (const char *part = strchr(name, '/'); part; part = strchr(part, '/')) {
		size_t length = strcspn(++part, "/");
		for (int v = 0; v < VARIANT_OTHER; v++)
			if (strlen(variant_names[v]) == length &&
			    !strncmp(part, variant_names[v], length)) {
				if (at)
					*at = (size_t)(part - name);
				return (enum variant)v;
			}
	}
	return VARIANT_OTHER;
}

void name_experiment(const char *name, char *out, size_t size)
{
	const char *from = name_short(name);
	snprintf(out, size, "%.*s", (int)strcspn(from, "/"), from);
}

const char *name_short(const char *name)
{
	const char *slash = strchr(name, '/');
	return slash ? slash + 1 : name;
}

static bool match(const char *p, const char *s, struct name_capture *capture)
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
			*capture = (struct name_capture){ s, length };
			return true;
		}
	return false;
}

bool name_match(const char *pattern, const char *name, struct name_capture *capture)
{
	struct name_capture unused;
	if (!capture)
		capture = &unused;
	*capture = (struct name_capture){ 0 };
	return match(pattern, name, capture);
}

int name_captures(const char *pattern)
{
	int count = 0;
	for (const char *p = strstr(pattern, "(*)"); p; p = strstr(p + 3, "(*)"))
		count++;
	return count;
}
