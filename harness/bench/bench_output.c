#include "harness/bench/bench_output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/outfile.h"

int bench_output_beside(char *path, size_t size, const char *out, const char *suffix, struct err *e)
{
	const char *slash = strrchr(out, '/'), *name = slash ? slash + 1 : out;
	const char *dot = strrchr(name, '.');
	int stem = (int)(dot && dot > name ? dot - out : (long)strlen(out));
	int n = snprintf(path, size, "%.*s%s", stem, out, suffix);

	if (n < 0 || (size_t)n >= size)
		return err_set(e, ERR_USAGE, "--benchmark_out: the name is too long");
	return 0;
}

/* A name for a descriptor that is open already. It may lead to a plain file, which must then be
 * written on, not replaced. */
static bool is_descriptor(const char *out)
{
	return strncmp(out, "/dev/std", 8) == 0 || strncmp(out, "/dev/fd/", 8) == 0 ||
	       strncmp(out, "/proc/self/fd/", 14) == 0;
}

bool bench_output_is_file(const char *out)
{
	struct stat st;

	if (is_descriptor(out))
		return false;
	return stat(out, &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
}

int bench_output_check(const struct bench_options *o, struct err *e)
{
	struct outfile *file;
	int status;

	if (!o->out || !bench_output_is_file(o->out))
		return 0;
	status = outfile_open(&file, o->out, e);
	if (status == 0)
		outfile_abort(file);
	return status;
}

typedef int write_document(FILE *out, enum reporter_format format, const struct reporter_view *v,
			   struct err *e);

static int write_descriptor(const char *path, write_document *write, enum reporter_format format,
			    const struct reporter_view *v, struct err *e)
{
	FILE *f = fopen(path, "ae");
	int status;

	if (!f)
		return err_set(e, ERR_IO, "cannot write %s: %s", path, strerror(errno));
	status = write(f, format, v, e);
	if (fclose(f) && status == 0)
		status = err_set(e, ERR_IO, "cannot write %s: %s", path, strerror(errno));
	return status;
}

static int write_file(const char *path, write_document *write, enum reporter_format format,
		      const struct reporter_view *v, struct err *e)
{
	struct outfile *file;
	int status;

	if (is_descriptor(path))
		return write_descriptor(path, write, format, v, e);
	status = outfile_open(&file, path, e);
	if (status)
		return status;
	status = write(outfile_stream(file), format, v, e);
	if (status) {
		outfile_abort(file);
		return err_prefix(e, "%s", path);
	}
	return outfile_commit(file, e);
}

static int write_skipped(FILE *out, enum reporter_format format, const struct reporter_view *v,
			 struct err *e)
{
	(void)format;
	return reporter_skipped(out, v, e);
}

static int write_beside(const struct bench_options *o, const char *suffix, write_document *write,
			enum reporter_format format, const struct reporter_view *v, struct err *e)
{
	char path[4096];
	int status = bench_output_beside(path, sizeof(path), o->out, suffix, e);

	return status ? status : write_file(path, write, format, v, e);
}

static int write_also(const struct bench_options *o, const struct reporter_view *v, struct err *e)
{
	static const char *const suffix[REPORTER_FORMATS] = {
		[REPORTER_JSON] = ".json",
		[REPORTER_CSV] = ".csv",
		[REPORTER_MARKDOWN] = ".md",
		[REPORTER_BMF] = ".bmf.json",
	};
	int status = 0;

	for (int f = 0; f < REPORTER_FORMATS && status == 0; f++)
		if (suffix[f] && o->also & 1u << f)
			status = write_beside(o, suffix[f], reporter_write, (enum reporter_format)f,
					      v, e);
	return status;
}

int bench_output_write(const struct bench_options *o, const struct reporter_view *v, struct err *e)
{
	struct reporter_view file = *v;
	struct err later;
	int status = 0, next;

	if (!o->out)
		return 0;
	file.rows = !o->report_aggregates_only;
	file.aggregates = !o->rows_only;
	status = write_file(o->out, reporter_write, o->out_format, &file, e);
	if (!bench_output_is_file(o->out))
		return status;
	next = write_beside(o, ".skipped.json", write_skipped, REPORTER_JSON, &file,
			    status ? &later : e);
	status = status ? status : next;
	if (o->also) {
		next = write_also(o, &file, status ? &later : e);
		status = status ? status : next;
	}
	return status;
}
