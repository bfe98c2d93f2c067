#include "harness/compare/history/sql.h"

#include <errno.h>
#include <string.h>

#include "harness/base/json_writer.h"
#include "harness/base/stats.h"

/* `commit` is a word of SQL, and `name` one of too many meanings. */
static const char tables[] =
	"PRAGMA user_version = 1;\n"
	"BEGIN;\n"
	"CREATE TABLE run (id TEXT, source TEXT, date TEXT, commit_id TEXT, machine TEXT,\n"
	"  host TEXT, build TEXT, compiler TEXT, driver TEXT, scale TEXT, device TEXT,\n"
	"  sampling TEXT, parameters TEXT, benchmark TEXT, line INTEGER PRIMARY KEY,\n"
	"  time INTEGER, dirty INTEGER, threads INTEGER, samples INTEGER, median REAL, least "
	"REAL);\n"
	"CREATE TABLE sample (line INTEGER REFERENCES run, position INTEGER, seconds REAL,\n"
	"  PRIMARY KEY (line, position)) WITHOUT ROWID;\n";
static const char indexes[] = "CREATE INDEX run_benchmark ON run (benchmark, machine, time);\n"
			      "CREATE INDEX run_commit ON run (commit_id);\n"
			      "COMMIT;\n";

static void put_text(FILE *out, const char *text)
{
	putc('\'', out);
	for (; *text; text++) {
		if (*text == '\'')
			putc('\'', out);
		putc(*text, out);
	}
	putc('\'', out);
}

static void put_number(FILE *out, double value)
{
	char text[40];

	jw_format_double(text, sizeof(text), value);
	fputs(text, out);
}

static void put_entry(FILE *out, const struct entry *x, size_t line)
{
	fputs("INSERT INTO run VALUES (", out);
#define PUT(member)                                                                                \
	put_text(out, x->member);                                                                  \
	putc(',', out);
	HISTORY_TEXTS(PUT)
#undef PUT
	fprintf(out, "%zu,%lld,%d,%d,%zu,", line, (long long)x->time, x->dirty, x->threads,
		x->samples);
	put_number(out, stat_median(x->seconds, x->samples));
	putc(',', out);
	put_number(out, stat_min(x->seconds, x->samples));
	fputs(");\nINSERT INTO sample VALUES ", out);
	for (size_t i = 0; i < x->samples; i++) {
		fprintf(out, "%s(%zu,%zu,", i ? "," : "", line, i);
		put_number(out, x->seconds[i]);
		putc(')', out);
	}
	fputs(";\n", out);
}

int sql_write(FILE *out, const struct entries *all, struct err *e)
{
	fputs(tables, out);
	for (size_t i = 0; i < all->count; i++)
		put_entry(out, &all->entry[i], i + 1);
	fputs(indexes, out);
	if (fflush(out) != 0 || ferror(out))
		return err_set(e, ERR_IO, "cannot write SQL: %s", strerror(errno));
	return 0;
}
