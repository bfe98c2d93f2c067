/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/machine/peaks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/build.h"
#include "harness/base/hash.h"
#include "harness/base/json_file.h"
#include "harness/base/json_writer.h"
#include "harness/base/outfile.h"
#include "harness/machine/peaks_measure.h"

/* Part of the key, so that a file that lacks a newer rate is measured again. 2: gpu_binary. */
enum { FORMAT_VERSION = 2 };

static const struct {
	const char *name, *unit, *text;
} info[PEAKS] = {
#define PEAKS_INFO(id, name_, unit_, text_) [id] = { name_, unit_, text_ },
	PEAKS_LIST(PEAKS_INFO)
#undef PEAKS_INFO
};

const char *peaks_name(enum peak id)
{
	return id < PEAKS ? info[id].name : "unknown";
}

enum peak peaks_named(const char *name)
{
	enum peak id = 0;

	while (id < PEAKS && strcmp(name, info[id].name) != 0)
		id++;
	return id;
}

const char *peaks_unit(enum peak id)
{
	return id < PEAKS ? info[id].unit : "";
}

const char *peaks_text(enum peak id)
{
	return id < PEAKS ? info[id].text : "";
}

bool peaks_known(const struct peaks *p, enum peak id)
{
	return p && id < PEAKS && p->value[id] > 0;
}

static bool is_latency(enum peak id)
{
	return strcmp(info[id].unit, "s") == 0;
}

double peaks_lower_bound(const struct peaks *p, const struct peak_demand *demand, size_t count,
			 enum peak *limit)
{
	enum peak slowest = PEAKS;
	double bound = 0;

	for (size_t i = 0; i < count; i++) {
		enum peak what = demand[i].what;
		double seconds;

		if (!peaks_known(p, what))
			continue;
		seconds = is_latency(what) ? demand[i].amount * p->value[what] :
					     demand[i].amount / p->value[what];
		if (seconds > bound) {
			bound = seconds;
			slowest = what;
		}
	}
	if (limit)
		*limit = slowest;
	return bound;
}

void peaks_format(enum peak id, double value, char *text, size_t size)
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
		 value, prefix[at], peaks_unit(id));
}

static void print_one(const struct peaks *p, enum peak id, FILE *out)
{
	char value[32] = "-";

	if (peaks_known(p, id))
		peaks_format(id, p->value[id], value, sizeof(value));
	fprintf(out, "  %-18s %12s  %s\n", peaks_name(id), value, peaks_text(id));
}

void peaks_print(const struct peaks *p, FILE *out)
{
	fprintf(out, "Peak rates of %s, measured %s\n", p->machine, p->date);
	for (enum peak id = 0; id < PEAKS; id++)
		if (peaks_known(p, id))
			print_one(p, id, out);
}

/* ---- the file ---- */

void peaks_key(const struct environment *env, char *key, size_t size)
{
	uint64_t h = hash_u64(build_hash(), FORMAT_VERSION);

	h = hash_text(h, env->machine);
	h = hash_text(h, env->cpu_model);
	h = hash_u64(h, (uint64_t)env->cpus_usable);
	h = hash_text(h, env->gpu_driver);
	for (int i = 0; i < env->gpu_count; i++)
		h = hash_text(h, env->gpus[i].name);
	snprintf(key, size, "%016llx", (unsigned long long)h);
}

void peaks_path(const struct environment *env, char *path, size_t size)
{
	const char *given = getenv("COPRA_CEILINGS");
	char folder[512];

	env_results_folder(env, folder, sizeof(folder));
	if (given && *given)
		snprintf(path, size, "%s", given);
	else
		snprintf(path, size, "%s/ceilings.json", folder);
}

int peaks_save(const struct peaks *p, const char *path, struct err *e)
{
	struct outfile *o;
	struct json_writer w;
	int status = outfile_open(&o, path, e);

	if (status)
		return status;
	jw_to_file(&w, outfile_stream(o), JSON_INDENTED);
	jw_begin_object(&w, NULL);
	jw_string(&w, "machine", p->machine);
	jw_string(&w, "key", p->key);
	jw_string(&w, "date", p->date);
	for (enum peak id = 0; id < PEAKS; id++)
		if (peaks_known(p, id))
			jw_double(&w, peaks_name(id), p->value[id]);
	jw_end_object(&w);
	status = jw_finish(&w, e);
	jw_destroy(&w);
	if (status) {
		outfile_abort(o);
		return err_prefix(e, "%s", path);
	}
	return outfile_commit(o, e);
}

static int read_text(char *out, size_t size, const json_t *value, const char *name, struct err *e)
{
	if (!json_is_string(value))
		return err_set(e, ERR_INPUT, "'%s' is not a string", name);
	if (json_string_length(value) >= size)
		return err_set(e, ERR_INPUT, "'%s' is too long", name);
	snprintf(out, size, "%s", json_string_value(value));
	return 0;
}

static int read_member(struct peaks *p, const char *name, const json_t *value, struct err *e)
{
	enum peak id = peaks_named(name);

	if (strcmp(name, "machine") == 0)
		return read_text(p->machine, sizeof(p->machine), value, name, e);
	if (strcmp(name, "key") == 0)
		return read_text(p->key, sizeof(p->key), value, name, e);
	if (strcmp(name, "date") == 0)
		return read_text(p->date, sizeof(p->date), value, name, e);
	if (id == PEAKS)
		return err_set(e, ERR_INPUT, "'%s' is not the name of a peak rate", name);
	if (!(json_number_value(value) > 0))
		return err_set(e, ERR_INPUT, "'%s' is not a positive number", name);
	p->value[id] = json_number_value(value);
	return 0;
}

static int read_file(struct peaks *p, const char *path, struct err *e)
{
	const char *name;
	json_t *root, *value;
	int status = json_file_read(&root, path, e);

	memset(p, 0, sizeof(*p));
	if (status)
		return status;
	if (!json_is_object(root))
		status = err_set(e, ERR_INPUT, "not an object");
	json_object_foreach(root, name, value)
	{
		if (!status)
			status = read_member(p, name, value, e);
	}
	json_decref(root);
	if (status)
		err_prefix(e, "%s", path);
	return status;
}

int peaks_load_file(struct peaks *p, const char *path, const struct environment *env, struct err *e)
{
	char key[24];
	int status = read_file(p, path, e);

	if (status)
		return status;
	peaks_key(env, key, sizeof(key));
	if (strcmp(p->machine, env->machine) != 0)
		return err_set(e, ERR_UNSUPPORTED, "%s was measured on machine %s; this is %s",
			       path, p->machine, env->machine);
	if (strcmp(p->key, key) != 0)
		return err_set(e, ERR_UNSUPPORTED,
			       "%s was measured with another driver, compiler or flags; run make "
			       "peaks again",
			       path);
	return 0;
}

int peaks_load(struct peaks *p, const struct environment *env, struct err *e)
{
	char path[1024];

	peaks_path(env, path, sizeof(path));
	if (access(path, F_OK) != 0)
		return err_set(e, ERR_UNSUPPORTED, "peak rates not measured yet (copra peaks)");
	return peaks_load_file(p, path, env, e);
}

/* ---- measuring ---- */

int peaks_set(struct peaks *p, enum peak id, double value, FILE *log, struct err *e)
{
	if (!(value > 0) || !isfinite(value))
		return err_set(e, ERR_FAILED, "measuring %s gave %g", peaks_name(id), value);
	p->value[id] = value;
	if (log) {
		print_one(p, id, log);
		fflush(log);
	}
	return 0;
}

static void stamp(struct peaks *p, const struct environment *env)
{
	time_t now = time(NULL);
	struct tm utc;

	snprintf(p->machine, sizeof(p->machine), "%s", env->machine);
	peaks_key(env, p->key, sizeof(p->key));
	if (!gmtime_r(&now, &utc) ||
	    !strftime(p->date, sizeof(p->date), "%Y-%m-%dT%H:%M:%SZ", &utc))
		p->date[0] = '\0';
}

static void print_heading(const struct environment *env, FILE *log)
{
	fprintf(log, "Measuring the peak rates of %s\n", env->machine);
	if (env->load[0] > 0.5 * env->cpus)
		fprintf(log,
			"  other programs are running (load %.1f): the rates may come out too "
			"low\n",
			env->load[0]);
}

int peaks_measure(struct peaks *p, const struct environment *env, const struct dev_set *devices,
		  int threads, FILE *log, struct err *e)
{
	int status;

	memset(p, 0, sizeof(*p));
	if (devices && devices->backend == DEV_SIM)
		return err_set(e, ERR_UNSUPPORTED,
			       "the peak rates of a simulated GPU cannot be measured");
	stamp(p, env);
	if (log)
		print_heading(env, log);
	status = peaks_measure_cpu(p, env, threads, log, e);
	if (!status && devices && devices->count > 0)
		status = peaks_measure_gpu(p, devices, log, e);
	return status;
}
