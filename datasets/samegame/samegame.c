#include "datasets/samegame/samegame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/hash.h"
#include "harness/base/outfile.h"
#include "harness/base/rng.h"

static const char prefix[] = "random:";

static int within(const char *what, int value, int most, struct err *e)
{
	if (value < 1 || value > most)
		return err_set(e, ERR_INPUT, "number of %s %d is not in 1..%d", what, value, most);
	return 0;
}

int samegame_random(struct samegame *g, int rows, int columns, int colours, uint64_t seed,
		    struct err *e)
{
	struct rng r = rng_seeded(seed);
	int status;

	*g = (struct samegame){ .rows = 0 };
	if ((status = within("rows", rows, SAMEGAME_MAX_ROWS, e)) ||
	    (status = within("columns", columns, SAMEGAME_MAX_COLUMNS, e)) ||
	    (status = within("colours", colours, SAMEGAME_MAX_COLOURS, e)))
		return status;
	g->rows = rows;
	g->columns = columns;
	snprintf(g->name, sizeof(g->name), "samegame-%dx%d-c%d-s%" PRIu64, rows, columns, colours,
		 seed);
	for (int i = 0; i < rows * columns; i++) {
		g->cell[i] = (uint8_t)rng_between(&r, 1, colours);
		if (g->cell[i] > g->colours)
			g->colours = g->cell[i];
	}
	return 0;
}

/* ROWSxCOLUMNS:COLOURS:SEED; nothing but numbers: sscanf would let signs and blanks pass. */
static int from_parameters(struct samegame *g, const char *parameters, struct err *e)
{
	int rows, columns, colours, used = 0;
	uint64_t seed;

	if (parameters[strspn(parameters, "0123456789:x")] != '\0' ||
	    sscanf(parameters, "%4dx%4d:%4d:%19" SCNu64 "%n", &rows, &columns, &colours, &seed,
		   &used) < 4 ||
	    used != (int)strlen(parameters))
		return err_set(e, ERR_INPUT, "expected random:ROWSxCOLUMNS:COLOURS:SEED");
	return samegame_random(g, rows, columns, colours, seed, e);
}

bool samegame_is_name(const char *name)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

int samegame_load(struct samegame *g, const char *name_or_file, struct err *e)
{
	*g = (struct samegame){ .rows = 0 };
	if (!samegame_is_name(name_or_file))
		return samegame_read(g, name_or_file, e);
	return from_parameters(g, name_or_file + strlen(prefix), e) ?
		       err_prefix(e, "%s", name_or_file) :
		       0;
}

int samegame_write(const struct samegame *g, const char *path, struct err *e)
{
	struct outfile *out;
	FILE *s;
	int status = outfile_open(&out, path, e);

	if (status)
		return status;
	s = outfile_stream(out);
	fprintf(s, "# SameGame, %d rows, %d columns, top row first: %s\n", g->rows, g->columns,
		g->name);
	for (int row = 0; row < g->rows; row++) {
		for (int column = 0; column < g->columns; column++)
			fprintf(s, "%d", g->cell[row * g->columns + column]);
		fputc('\n', s);
	}
	return outfile_commit(out, e);
}

uint64_t samegame_hash(const struct samegame *g)
{
	uint64_t h = hash_u64(hash_u64(HASH_INIT, (uint64_t)g->rows), (uint64_t)g->columns);

	return hash_bytes(h, g->cell, (size_t)(g->rows * g->columns));
}
