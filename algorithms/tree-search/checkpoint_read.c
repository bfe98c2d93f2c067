/* The strict reader of checkpoints. Nothing is allocated because a file says so: work grows as its
 * lines come. */
#include "algorithms/tree-search/checkpoint.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text_reader.h"
#include "harness/base/checked.h"
#include "algorithms/tree-search/checkpoint_text.h"

struct source {
	struct text_reader r;
	uint64_t hash;
	const char *at; /* in the line: what is not yet read */
	char buffer[CHECKPOINT_LINE];
};

static int next_line(struct source *s, const char *what, struct err *e)
{
	int status = text_next_line(&s->r, e);

	if (!status && s->r.ended)
		status = text_bad(&s->r, e, "the file ends before %s", what);
	s->at = s->buffer;
	return status;
}

/* The next line, which begins with the word `name`; s->at is behind it. */
static int field(struct source *s, const char *name, struct err *e)
{
	size_t length = strlen(name);
	int status = next_line(s, name, e);

	if (status)
		return status;
	if (strncmp(s->at, name, length) != 0 || s->at[length] != ' ')
		return text_bad(&s->r, e, "expected \"%s ...\"", name);
	s->hash = checkpoint_hash_line(s->hash, s->buffer, strlen(s->buffer));
	s->at += length + 1;
	return 0;
}

static int line_ends(struct source *s, struct err *e)
{
	return *s->at ? text_bad(&s->r, e, "more on the line than there should be") : 0;
}

static int number_field(struct source *s, const char *name, int64_t most, int64_t *value,
			struct err *e)
{
	int status = field(s, name, e);

	if (!status)
		status = text_number(&s->r, &s->at, value, name, e);
	if (!status && *value > most)
		status = text_bad(&s->r, e, "%s is more than %" PRId64, name, most);
	return status ? status : line_ends(s, e);
}

static int count_field(struct source *s, const char *name, uint64_t *count, struct err *e)
{
	int64_t value = 0;
	int status = number_field(s, name, INT64_MAX, &value, e);

	*count = (uint64_t)value;
	return status;
}

static int word_field(struct source *s, const char *name, char *out, size_t size, struct err *e)
{
	int status = field(s, name, e);
	size_t length = status ? 0 : strlen(s->at);

	if (status)
		return status;
	if (length == 0 || length >= size)
		return text_bad(&s->r, e, "%s has %zu characters, not 1 to %zu", name, length,
				size - 1);
	memcpy(out, s->at, length + 1);
	return 0;
}

/* 16 figures, 0-9a-f, to the end of the line. */
static int hash_value(struct source *s, uint64_t *value, struct err *e)
{
	char *end;

	if (strlen(s->at) != 16 || strspn(s->at, "0123456789abcdef") != 16)
		return text_bad(&s->r, e, "not a hash of 16 hexadecimal figures");
	*value = strtoull(s->at, &end, 16);
	return 0;
}

static int read_key(struct source *s, struct checkpoint_key *k, struct err *e)
{
	int64_t items = 0;
	int status = word_field(s, "problem", k->problem, sizeof(k->problem), e);

	if (!status && strcmp(k->problem, "flowshop") != 0 && strcmp(k->problem, "nqueens") != 0 &&
	    strcmp(k->problem, "atsp") != 0)
		status = text_bad(&s->r, e, "no such problem: %s", k->problem);
	if (!status)
		status = word_field(s, "instance", k->instance, sizeof(k->instance), e);
	if (!status && !(status = field(s, "hash", e)))
		status = hash_value(s, &k->hash, e);
	if (!status)
		status = number_field(s, "items", CHECKPOINT_MAX_ITEMS, &items, e);
	if (!status && items == 0)
		status = text_bad(&s->r, e, "items is 0");
	k->items = (int)items;
	if (!status)
		status = word_field(s, "rule", k->rule, sizeof(k->rule), e);
	return status ? status : number_field(s, "first-ub", INT64_MAX, &k->first_ub, e);
}

/* Numbers of the rest of the line, `count` of them, each at most `most`; the line ends with them.
 */
static int numbers(struct source *s, uint16_t *out, size_t count, int64_t most, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		int64_t value;
		int status = text_number(&s->r, &s->at, &value, "a number of the line", e);

		if (status)
			return status;
		if (value > most)
			return text_bad(&s->r, e, "%" PRId64 " is more than %" PRId64, value, most);
		out[i] = (uint16_t)value;
	}
	return line_ends(s, e);
}

static int permutation(struct source *s, const uint16_t *item, int items, struct err *e)
{
	bool seen[CHECKPOINT_MAX_ITEMS] = { false };

	for (int i = 0; i < items; i++) {
		if (item[i] >= items)
			return text_bad(&s->r, e, "item %d is not below %d", item[i], items);
		if (seen[item[i]])
			return text_bad(&s->r, e, "item %d is there twice", item[i]);
		seen[item[i]] = true;
	}
	return 0;
}

static int read_order(struct source *s, struct checkpoint *c, struct err *e)
{
	uint16_t item[CHECKPOINT_MAX_ITEMS];
	int items = c->key.items, status = field(s, "order", e);

	if (status || strcmp(s->at, "none") == 0)
		return status;
	status = numbers(s, item, (size_t)items, CHECKPOINT_MAX_ITEMS, e);
	if (!status)
		status = permutation(s, item, items, e);
	if (status)
		return status;
	c->order = malloc((size_t)items * sizeof(*c->order));
	if (!c->order)
		return err_set(e, ERR_MEMORY, "no memory for an order");
	for (int i = 0; i < items; i++)
		c->order[i] = item[i];
	return 0;
}

static int read_seconds(struct source *s, double *seconds, struct err *e)
{
	char *end;
	int status = field(s, "seconds", e);

	if (status)
		return status;
	*seconds = strtod(s->at, &end);
	if (end == s->at || *end || !(*seconds >= 0) || isinf(*seconds))
		return text_bad(&s->r, e, "seconds is no number of seconds");
	return 0;
}

static int read_counts(struct source *s, struct checkpoint *c, struct err *e)
{
	int status = number_field(s, "best", INT64_MAX, &c->best, e);

	if (!status)
		status = read_order(s, c, e);
	if (!status)
		status = count_field(s, "solutions", &c->solutions, e);
	if (!status)
		status = count_field(s, "explored", &c->explored, e);
	if (!status)
		status = count_field(s, "decomposed", &c->decomposed, e);
	if (!status)
		status = count_field(s, "leaves", &c->leaves, e);
	if (!status)
		status = count_field(s, "evaluated", &c->evaluated, e);
	return status ? status : read_seconds(s, &c->seconds, e);
}

/* ---- work ---- */

static int compare_digits(const uint16_t *a, const uint16_t *b, int items)
{
	for (int i = 0; i < items; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

static int check_interval(struct source *s, const uint16_t *first, bool follows, int items,
			  struct err *e)
{
	for (int i = 0; i < 2 * items; i++) {
		if (first[i] > items - 1 - i % items)
			return text_bad(&s->r, e, "digit %d is %d, more than %d", i % items,
					first[i], items - 1 - i % items);
	}
	if (compare_digits(first, first + items, items) > 0)
		return text_bad(&s->r, e, "the interval ends before it begins");
	if (follows && compare_digits(first - items, first, items) >= 0)
		return text_bad(&s->r, e, "the interval is not behind the one before");
	return 0;
}

static int check_node(struct source *s, const uint16_t *node, int items, struct err *e)
{
	if (node[0] + node[1] + node[2] > items)
		return text_bad(&s->r, e, "prefix, suffix and children are more than %d jobs",
				items);
	if (node[3] > 1)
		return text_bad(&s->r, e, "the place of the children is %d, not 0 or 1", node[3]);
	if (node[2] == 0 && node[0] + node[1] == items)
		return text_bad(&s->r, e, "a complete schedule, which is no open node");
	return permutation(s, node + 4, items, e);
}

static int read_unit(struct source *s, struct checkpoint *c, uint64_t index, struct err *e)
{
	size_t stride = checkpoint_stride(c->form, c->key.items);
	uint16_t *unit = c->work + index * stride;
	int status = next_line(s, "all that is open", e);

	if (!status) {
		s->hash = checkpoint_hash_line(s->hash, s->buffer, strlen(s->buffer));
		status = numbers(s, unit, stride, CHECKPOINT_MAX_ITEMS, e);
	}
	if (status)
		return status;
	return c->form == CHECKPOINT_INTERVALS ?
		       check_interval(s, unit, index > 0, c->key.items, e) :
		       check_node(s, unit, c->key.items, e);
}

/* Room for one more, doubled when full. */
static int make_room(struct checkpoint *c, uint64_t used, size_t *room, struct err *e)
{
	size_t bytes, unit = checkpoint_stride(c->form, c->key.items) * sizeof(*c->work);
	size_t wanted = *room ? 2 * *room : 16;
	uint16_t *larger;

	if (used < *room)
		return 0;
	if (!checked_mul_size(wanted, unit, &bytes) || !(larger = realloc(c->work, bytes)))
		return err_set(e, ERR_MEMORY, "no memory for %zu units of work", wanted);
	c->work = larger;
	*room = wanted;
	return 0;
}

static int read_work(struct source *s, struct checkpoint *c, struct err *e)
{
	uint64_t count = 0;
	size_t room = 0;
	int status = next_line(s, "intervals or nodes", e);

	if (status)
		return status;
	c->form = strncmp(s->at, "nodes ", 6) == 0 ? CHECKPOINT_NODES : CHECKPOINT_INTERVALS;
	if (c->form == CHECKPOINT_INTERVALS && strncmp(s->at, "intervals ", 10) != 0)
		return text_bad(&s->r, e, "expected \"intervals ...\" or \"nodes ...\"");
	if (c->form == CHECKPOINT_NODES && strcmp(c->key.problem, "flowshop") != 0)
		return text_bad(&s->r, e, "nodes are of flowshop alone");
	s->hash = checkpoint_hash_line(s->hash, s->buffer, strlen(s->buffer));
	s->at = strchr(s->at, ' ');
	status = text_number(&s->r, &s->at, (int64_t *)&count, "their number", e);
	if (!status)
		status = line_ends(s, e);
	for (c->count = 0; !status && c->count < count; c->count++) {
		status = make_room(c, c->count, &room, e);
		if (!status)
			status = read_unit(s, c, c->count, e);
	}
	return status;
}

static int read_end(struct source *s, struct err *e)
{
	uint64_t hash = s->hash, stored = 0;
	int status = field(s, "end", e);

	if (!status)
		status = hash_value(s, &stored, e);
	if (!status && stored != hash)
		status = text_bad(&s->r, e, "the hash is not that of the lines before");
	if (!status)
		status = text_next_line(&s->r, e);
	if (!status && !s->r.ended)
		status = text_bad(&s->r, e, "more in the file than one checkpoint");
	return status;
}

static int read_all(struct source *s, struct checkpoint *c, struct err *e)
{
	int status = next_line(s, "its title", e);

	if (!status && strcmp(s->at, CHECKPOINT_TITLE) != 0)
		status = text_bad(&s->r, e, "expected \"%s\"", CHECKPOINT_TITLE);
	s->hash = checkpoint_hash_line(CHECKPOINT_HASH_BEGIN, s->buffer, strlen(s->buffer));
	if (!status)
		status = read_key(s, &c->key, e);
	if (!status)
		status = read_counts(s, c, e);
	if (!status)
		status = read_work(s, c, e);
	return status ? status : read_end(s, e);
}

int checkpoint_read(struct checkpoint *c, const char *path, struct err *e)
{
	struct source *s = malloc(sizeof(*s));
	int status;

	memset(c, 0, sizeof(*c));
	if (!s)
		return err_set(e, ERR_MEMORY, "no memory to read %s", path);
	status = text_open(&s->r, path, s->buffer, sizeof(s->buffer), e);
	if (!status) {
		status = read_all(s, c, e);
		text_close(&s->r);
	}
	free(s);
	if (status)
		checkpoint_free(c);
	return status;
}
