#include "algorithms/tree-search/file_hint.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "datasets/recognise.h"
#include "harness/base/text_reader.h"

/* The commands that take a format, those that solve it best first. */
static const struct taker {
	unsigned forms;
	const char *target, *flags;
} takers[] = {
	{ FORMS_FLOWSHOP, "gmys-ivm", "" },
	{ FORMS_FLOWSHOP, "helbecque-pool", "" },
	{ FORMS_FLOWSHOP, "koester-recovery", "" },
	{ FORMS_ATSP, "gmys-ivm", "--problem atsp " },
	{ FORMS_KNAPSACK, "dp-knapsack", "" },
	{ FORMS_KNAPSACK, "gboa", "--problem knapsack " },
	{ FORMS_MAXSAT, "gboa", "--problem maxsat " },
	{ FORMS_SAMEGAME, "koester-recovery", "--problem samegame " },
};
enum { TAKERS = sizeof(takers) / sizeof(takers[0]) };

/* Text that is appended to; `full` once something did not fit. */
struct text {
	char at[sizeof(((struct err *)NULL)->text)];
	size_t used;
	bool full;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *t, const char *format, ...)
{
	size_t room = sizeof(t->at) - t->used;
	va_list ap;
	int length;

	va_start(ap, format);
	length = vsnprintf(t->at + t->used, room, format, ap);
	va_end(ap);
	if (length < 0 || (size_t)length >= room)
		t->full = true;
	else
		t->used += (size_t)length;
}

/* The target that was called, where it takes the format, else the first that does. */
static const struct taker *taker_of(unsigned form, const char *target)
{
	const struct taker *first = NULL;

	for (int i = 0; i < TAKERS; i++) {
		if (!(takers[i].forms & form))
			continue;
		if (strcmp(takers[i].target, target) == 0)
			return &takers[i];
		first = first ? first : &takers[i];
	}
	return first;
}

/* ---- a plain matrix: the order of its rows is to be said ---- */

static void use_matrix(struct text *t, const struct recognised *r, const struct taker *taker,
		       bool at_hand, const char *file)
{
	char call[320] = "add", advice[RECOGNISE_TEXT];

	if (!at_hand)
		snprintf(call, sizeof(call), "for a flowshop use %s solve --instance %s",
			 taker->target, file);
	recognise_advise(r, call, advice);
	append(t, "%s", advice);
}

/* ---- the message ---- */

static void use_all(struct text *t, const struct recognised *r, const struct solve_options *o,
		    unsigned own, const char *file)
{
	const char *between = "; ", *lacks = own & FORMS_ATSP ? recognise_atsp_advice(r) : NULL;
	const struct taker *said = NULL;

	if (lacks) {
		append(t, "; %s", lacks);
		between = ", or ";
	}
	for (int i = 0; i < FORMS; i++) {
		unsigned form = 1u << i;
		const struct taker *taker;

		if (!(r->forms & form))
			continue;
		taker = taker_of(form & FORMS_MATRIX ? FORMS_FLOWSHOP : form, o->target);
		if (form & FORMS_MATRIX) {
			append(t, "%s", between);
			use_matrix(t, r, taker, own & FORMS_FLOWSHOP, file);
			break; /* the last of them; one advice for both kinds */
		}
		if (taker != said) {
			append(t, "%suse %s solve %s--instance %s", between, taker->target,
			       taker->flags, file);
			said = taker;
		}
		between = ", or ";
	}
}

static void describe(struct text *t, const struct recognised *r, unsigned own, const char *file)
{
	char what[RECOGNISE_TEXT];

	recognise_describe(r, own & FORMS_FLOWSHOP ? "times" : "numbers", what);
	append(t, "; %s looks like %s", text_base_name(file), what);
}

/* As an argument of a shell's command. */
static void quote(char *out, size_t size, const char *file)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_./+-=:,@%";
	const char *mark = file[strspn(file, plain)] ? "'" : "";

	if (strlen(file) + 3 > size || strpbrk(file, "'\n"))
		snprintf(out, size, "FILE");
	else
		snprintf(out, size, "%s%s%s", mark, file, mark);
}

bool file_hint(const struct solve_options *o, unsigned own, struct err *e)
{
	struct recognised r;
	struct text t;
	char file[256];

	if (!e || recognise(&r, o->instance, NULL) || !r.forms || (r.forms & own))
		return false;
	quote(file, sizeof(file), o->instance);
	for (int attempt = 0; attempt < 2; attempt++) {
		t = (struct text){ .used = 0 };
		append(&t, "%s", e->text);
		describe(&t, &r, own, o->instance);
		use_all(&t, &r, o, own, attempt ? "FILE" : file);
		if (!t.full) {
			snprintf(e->text, sizeof(e->text), "%s", t.at);
			return true;
		}
	}
	return false;
}
