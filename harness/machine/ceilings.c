/* Names, floors, the table. Files: ceilings_file.c; measuring: ceilings_cpu.c, ceilings_gpu.c. */
#include "harness/machine/ceilings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/machine/ceilings_parts.h"

static const struct {
	const char *name, *unit, *text;
} info[CEILINGS] = {
#define CEILINGS_INFO(id, name_, unit_, text_) [id] = { name_, unit_, text_ },
	CEILINGS_LIST(CEILINGS_INFO)
#undef CEILINGS_INFO
};

const char *ceilings_name(enum ceiling id)
{
	return id < CEILINGS ? info[id].name : "unknown";
}

enum ceiling ceilings_named(const char *name)
{
	enum ceiling id = 0;

	while (id < CEILINGS && strcmp(name, info[id].name) != 0)
		id++;
	return id;
}

const char *ceilings_unit(enum ceiling id)
{
	return id < CEILINGS ? info[id].unit : "";
}

const char *ceilings_text(enum ceiling id)
{
	return id < CEILINGS ? info[id].text : "";
}

bool ceilings_known(const struct ceilings *c, enum ceiling id)
{
	return c && id < CEILINGS && c->value[id] > 0;
}

static bool is_latency(enum ceiling id)
{
	return strcmp(info[id].unit, "s") == 0;
}

double ceilings_floor(const struct ceilings *c, const struct ceilings_demand *demand, size_t count,
		      enum ceiling *limit)
{
	enum ceiling slowest = CEILINGS;
	double floor_seconds = 0;

	for (size_t i = 0; i < count; i++) {
		enum ceiling what = demand[i].what;
		double seconds;

		if (!ceilings_known(c, what))
			continue;
		seconds = is_latency(what) ? demand[i].amount * c->value[what] :
					     demand[i].amount / c->value[what];
		if (seconds > floor_seconds) {
			floor_seconds = seconds;
			slowest = what;
		}
	}
	if (limit)
		*limit = slowest;
	return floor_seconds;
}

/* A value with three digits and a decimal prefix: "3.97 TB/s", "2.80 us". */
void ceilings_format(enum ceiling id, double value, char *text, size_t size)
{
	static const char *const prefix[] = { "n", "u", "m", "", "k", "M", "G", "T", "P" };
	int at = 3;

	while (value < 1 && at > 0) {
		value *= 1000;
		at--;
	}
	while (value >= 1000 && at < 8) {
		value /= 1000;
		at++;
	}
	snprintf(text, size, "%.*f %s%s",
		 value < 10  ? 2 :
		 value < 100 ? 1 :
			       0,
		 value, prefix[at], ceilings_unit(id));
}

void ceilings_print_one(const struct ceilings *c, enum ceiling id, FILE *out)
{
	char value[32] = "-";

	if (ceilings_known(c, id))
		ceilings_format(id, c->value[id], value, sizeof(value));
	fprintf(out, "  %-18s %12s  %s\n", ceilings_name(id), value, ceilings_text(id));
}

void ceilings_print(const struct ceilings *c, FILE *out)
{
	fprintf(out, "Ceilings of %s, measured %s\n", c->machine, c->date);
	for (enum ceiling id = 0; id < CEILINGS; id++)
		if (ceilings_known(c, id))
			ceilings_print_one(c, id, out);
}

/* Whatever it is given, a ceiling that is not a positive number is a failed measurement. */
int ceilings_set(struct ceilings *c, enum ceiling id, double value, FILE *log, struct err *e)
{
	if (!(value > 0) || !isfinite(value))
		return err_set(e, ERR_FAILED, "measuring %s gave %g", ceilings_name(id), value);
	c->value[id] = value;
	if (log) {
		ceilings_print_one(c, id, log);
		fflush(log);
	}
	return 0;
}

static void stamp(struct ceilings *c, const struct environment *env)
{
	time_t now = time(NULL);
	struct tm utc;

	snprintf(c->machine, sizeof(c->machine), "%s", env->machine);
	ceilings_key(env, c->key, sizeof(c->key));
	if (!gmtime_r(&now, &utc) ||
	    !strftime(c->date, sizeof(c->date), "%Y-%m-%dT%H:%M:%SZ", &utc))
		c->date[0] = '\0';
}

static void print_heading(const struct environment *env, FILE *log)
{
	fprintf(log, "Measuring the ceilings of %s\n", env->machine);
	if (env->load[0] > 0.5 * env->cpus)
		fprintf(log, "  other work runs here (load %.1f): they may come out too low\n",
			env->load[0]);
}

int ceilings_measure(struct ceilings *c, const struct environment *env,
		     const struct dev_set *devices, int threads, FILE *log, struct err *e)
{
	int status;

	memset(c, 0, sizeof(*c));
	if (devices && devices->backend == DEV_SIM)
		return err_set(e, ERR_UNSUPPORTED, "a simulated GPU has no ceilings to measure");
	stamp(c, env);
	if (log)
		print_heading(env, log);
	status = ceilings_measure_cpu(c, env, threads, log, e);
	if (!status && devices && devices->count > 0)
		status = ceilings_measure_gpu(c, devices, log, e);
	return status;
}
