/* Ceilings on disk: one flat JSON object of strings and numbers, read by a parser that accepts
 * nothing else. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/build.h"
#include "harness/machine/ceilings.h"
#include "harness/machine/ceilings_parts.h"
#include "harness/base/hash.h"
#include "harness/base/json_writer.h"
#include "harness/base/outfile.h"

enum { FILE_LIMIT = 64 << 10, TOKEN = 128, FORMAT_VERSION = 1 };

void ceilings_key(const struct environment *env, char *key, size_t size)
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

void ceilings_path(const struct environment *env, char *path, size_t size)
{
	const char *given = getenv("COPRA_CEILINGS");
	char folder[512];

	env_results_folder(env, folder, sizeof(folder));
	if (given && *given)
		snprintf(path, size, "%s", given);
	else
		snprintf(path, size, "%s/ceilings.json", folder);
}

int ceilings_save(const struct ceilings *c, const char *path, struct err *e)
{
	struct outfile *o;
	struct json_writer w;
	int status = outfile_open(&o, path, e);

	if (status)
		return status;
	jw_to_file(&w, outfile_stream(o), JSON_INDENTED);
	jw_begin_object(&w, NULL);
	jw_string(&w, "machine", c->machine);
	jw_string(&w, "key", c->key);
	jw_string(&w, "date", c->date);
	for (enum ceiling id = 0; id < CEILINGS; id++)
		if (ceilings_known(c, id))
			jw_double(&w, ceilings_name(id), c->value[id]);
	jw_end_object(&w);
	status = jw_finish(&w, e);
	jw_destroy(&w);
	if (status) {
		outfile_abort(o);
		return err_prefix(e, "%s", path);
	}
	return outfile_commit(o, e);
}

/* ---- reading ---- */

struct reader {
	const char *path, *at;
	int line;
	locale_t c_locale; /* numbers have a point, whatever the user's locale */
};

static int malformed(const struct reader *r, const char *what, struct err *e)
{
	return err_set(e, ERR_INPUT, "%s:%d: %s", r->path, r->line, what);
}

static char next(struct reader *r)
{
	while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n') {
		r->line += *r->at == '\n';
		r->at++;
	}
	return *r->at;
}

static int expect(struct reader *r, char wanted, struct err *e)
{
	char text[] = "expected ' '";

	if (next(r) != wanted) {
		text[10] = wanted;
		return malformed(r, text, e);
	}
	r->at++;
	return 0;
}

/* A string of printable ASCII without escapes: all that ceilings_save() writes. */
static int read_string(struct reader *r, char *out, size_t size, struct err *e)
{
	size_t length = 0;
	int status = expect(r, '"', e);

	if (status)
		return status;
	while (r->at[length] >= ' ' && r->at[length] <= '~' && r->at[length] != '"' &&
	       r->at[length] != '\\')
		length++;
	if (r->at[length] != '"')
		return malformed(r, "a string that is not closed, or not plain text", e);
	if (length >= size)
		return malformed(r, "a string that is too long", e);
	memcpy(out, r->at, length);
	out[length] = '\0';
	r->at += length + 1;
	return 0;
}

static int read_value(struct reader *r, double *value, struct err *e)
{
	const char first = next(r);
	char *end;

	if (first < '0' || first > '9') /* strtod would take "nan", "inf", "+1", ".5" */
		return malformed(r, "expected a positive number", e);
	if (r->at[strspn(r->at, "0123456789.eE+-")] == 'x')
		return malformed(r, "expected a decimal number", e);
	*value = strtod_l(r->at, &end, r->c_locale);
	if (!isfinite(*value) || !(*value > 0))
		return malformed(r, "a ceiling that is not a positive number", e);
	r->at = end;
	return 0;
}

/* A text that was not there before. */
static int read_text(struct reader *r, char *out, size_t size, struct err *e)
{
	return *out ? malformed(r, "a name that is there twice", e) : read_string(r, out, size, e);
}

static int read_member(struct reader *r, struct ceilings *c, struct err *e)
{
	char name[TOKEN];
	enum ceiling id;
	int status = read_string(r, name, sizeof(name), e);

	if (!status)
		status = expect(r, ':', e);
	if (status)
		return status;
	if (strcmp(name, "machine") == 0)
		return read_text(r, c->machine, sizeof(c->machine), e);
	if (strcmp(name, "key") == 0)
		return read_text(r, c->key, sizeof(c->key), e);
	if (strcmp(name, "date") == 0)
		return read_text(r, c->date, sizeof(c->date), e);
	id = ceilings_named(name);
	if (id == CEILINGS)
		return malformed(r, "a name that is no ceiling", e);
	if (c->value[id] > 0)
		return malformed(r, "a ceiling named twice", e);
	return read_value(r, &c->value[id], e);
}

static int read_object(struct reader *r, struct ceilings *c, struct err *e)
{
	int status = expect(r, '{', e);

	while (!status) {
		status = read_member(r, c, e);
		if (status || next(r) != ',')
			break;
		r->at++;
	}
	if (!status)
		status = expect(r, '}', e);
	if (!status && next(r) != '\0')
		status = malformed(r, "more text after the object", e);
	return status;
}

static int parse(struct ceilings *c, const char *path, const char *text, size_t length,
		 struct err *e)
{
	struct reader r = { path, text, 1, newlocale(LC_ALL_MASK, "C", (locale_t)0) };
	int status;

	memset(c, 0, sizeof(*c));
	if (!r.c_locale)
		return err_set(e, ERR_MEMORY, "no memory to read %s", path);
	status = read_object(&r, c, e);
	if (!status && strlen(text) != length)
		status = malformed(&r, "a NUL byte", e);
	freelocale(r.c_locale);
	return status;
}

int ceilings_load_file(struct ceilings *c, const char *path, const struct environment *env,
		       struct err *e)
{
	char *text, key[24];
	size_t length;
	int status = outfile_read(path, FILE_LIMIT, &text, &length, e);

	if (status)
		return status;
	status = parse(c, path, text, length, e);
	free(text);
	if (status)
		return status;
	ceilings_key(env, key, sizeof(key));
	if (strcmp(c->machine, env->machine) != 0)
		return err_set(e, ERR_UNSUPPORTED, "%s is of machine %s, this is %s", path,
			       c->machine, env->machine);
	if (strcmp(c->key, key) != 0)
		return err_set(e, ERR_UNSUPPORTED,
			       "%s was measured with another driver, compiler or flags", path);
	return 0;
}

int ceilings_load(struct ceilings *c, const struct environment *env, struct err *e)
{
	char path[1024];
	FILE *f;

	ceilings_path(env, path, sizeof(path));
	f = fopen(path, "re");
	if (!f && errno == ENOENT)
		return err_set(e, ERR_UNSUPPORTED, "ceilings not measured yet (make ceilings)");
	if (f)
		fclose(f);
	return ceilings_load_file(c, path, env, e);
}
