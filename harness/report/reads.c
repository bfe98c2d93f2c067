#include "harness/report/reads.h"

#include <stdlib.h>
#include <string.h>

#include "harness/report/pattern.h"

typedef void visit(void *ctx, size_t bench, const char *counter);

/* Calls back for each benchmark and counter that a line of pred_trace.reads stands for. */
static void visit_line(char *line, const struct result_set *set, visit *then, void *ctx)
{
	char *pattern = strchr(line, '\t');
	if (*line != '|' || !pattern)
		return;
	*pattern++ = '\0';
	for (size_t i = 0; i < set->benches; i++)
		if (pattern_match(pattern, set->bench[i].name, NULL))
			then(ctx, i, line + 1);
}

static void visit_reads(const struct judgement *j, const struct result_set *set, visit *then,
			void *ctx)
{
	const char *at = text_get(&j->trace.reads);
	struct text line = { 0 };
	while (*at) {
		size_t length = strcspn(at, "\n");
		line.length = 0;
		text_add_n(&line, at, length);
		if (line.data)
			visit_line(line.data, set, then, ctx);
		at += length + (at[length] == '\n');
	}
	text_free(&line);
}

static void mark(void *ctx, size_t bench, const char *counter)
{
	bool *read = ctx;
	(void)counter;
	read[bench] = true;
}

void reads_mark(const struct judgement *j, const struct result_set *set, bool *read)
{
	visit_reads(j, set, mark, read);
}

/* ---- from rows to claims ---- */

/* Adds a word unless it is there. */
static void add_word(struct text *list, const char *word)
{
	const char *at = text_get(list);
	size_t length = strlen(word);
	while (*at) {
		size_t one = strcspn(at, " ");
		if (one == length && !strncmp(at, word, length))
			return;
		at += one + (at[one] == ' ');
	}
	if (length)
		text_add(list, "%s%s", list->length ? " " : "", word);
}

struct using
{
	struct row_use *uses;
	const char *claim;
};

static void use(void *ctx, size_t bench, const char *counter)
{
	const struct using *u = ctx;
	add_word(&u->uses[bench].claims, u->claim);
	add_word(&u->uses[bench].counters, counter);
}

int row_uses_find(const struct study *s, const struct study_machine *m, struct row_use **out,
		  struct err *e)
{
	struct using u = { calloc(m->set->benches + 1, sizeof(*u.uses)), NULL };
	if (!u.uses)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < s->claims.count; i++) {
		u.claim = s->claims.claim[i].id;
		visit_reads(&m->judgement[i], m->set, use, &u);
	}
	*out = u.uses;
	return 0;
}

void row_uses_free(struct row_use *uses, size_t count)
{
	for (size_t i = 0; uses && i < count; i++) {
		text_free(&uses[i].claims);
		text_free(&uses[i].counters);
	}
	free(uses);
}
