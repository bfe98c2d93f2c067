#include "harness/report/bench_name.h"

#include <stdio.h>
#include <string.h>

const char *const variant_names[VARIANTS] = { "serial", "cpu", "published", "tuned", "other" };

enum variant row_variant(const char *name, size_t *at)
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

void bench_experiment(const char *name, char *out, size_t size)
{
	const char *from = bench_short_name(name);
	snprintf(out, size, "%.*s", (int)strcspn(from, "/"), from);
}

const char *bench_short_name(const char *name)
{
	const char *slash = strchr(name, '/');
	return slash ? slash + 1 : name;
}
