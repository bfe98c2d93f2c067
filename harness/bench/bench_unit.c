#include <string.h>

#include "harness/bench/bench_run.h"

static const struct {
	const char *name;
	double per_second;
} units[] = {
	[BENCH_NS] = { "ns", 1e9 },
	[BENCH_US] = { "us", 1e6 },
	[BENCH_MS] = { "ms", 1e3 },
	[BENCH_S] = { "s", 1 },
};

const char *bench_unit_name(enum bench_unit u)
{
	return units[u].name;
}

double bench_unit_per_second(enum bench_unit u)
{
	return units[u].per_second;
}

int bench_unit_parse(void *unit, const char *text, struct err *e)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(text, units[i].name) == 0) {
			*(enum bench_unit *)unit = (enum bench_unit)i;
			return 0;
		}
	return err_set(e, ERR_USAGE, "'%s' is not one of ns, us, ms, s", text);
}

/* "0.5" and "0.5s" are seconds, "10x" iterations: Google Benchmark's --benchmark_min_time. */
int bench_min_time_parse(void *min_time, const char *text, struct err *e)
{
	struct bench_min_time *m = min_time;
	char copy[64];
	size_t length = strlen(text);
	char suffix = length > 1 ? text[length - 1] : '\0';

	if (length >= sizeof(copy))
		return err_set(e, ERR_USAGE, "'%s' is neither seconds nor iterations", text);
	m->is_default = false;
	memcpy(copy, text, length + 1);
	if (suffix == 's' || suffix == 'x')
		copy[length - 1] = '\0';
	if (suffix == 'x') {
		if (flag_parse_int(&m->iterations, copy, e) || m->iterations < 1 ||
		    m->iterations > 1000000000)
			return err_set(e, ERR_USAGE, "'%s' is not 1x to 1000000000x", text);
		m->is_iterations = true;
		return 0;
	}
	if (flag_parse_real(&m->seconds, copy, e) || m->seconds < 0)
		return err_set(e, ERR_USAGE, "'%s' is neither seconds (0.5s) nor iterations (10x)",
			       text);
	m->is_iterations = false;
	return 0;
}
