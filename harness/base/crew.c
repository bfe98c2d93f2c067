#include "harness/base/crew.h"

#include <pthread.h>
#include <stdlib.h>

struct crew {
	void (*work)(void *item);
	pthread_mutex_t gate; /* held until it is known how many there are */
	bool begins;          /* under gate: there is work for them */
};

struct member {
	struct crew *crew;
	void *item;
	pthread_t thread;
};

static void *member_main(void *argument)
{
	struct member *m = argument;
	bool begins;

	pthread_mutex_lock(&m->crew->gate);
	begins = m->crew->begins;
	pthread_mutex_unlock(&m->crew->gate);
	if (begins)
		m->crew->work(m->item);
	return NULL;
}

/* Behind the gate; how many there are, the caller included. */
static int gather(struct crew *c, struct member *member, void *items, size_t size, int count)
{
	int here = 1;

	for (; member && here < count; here++) {
		struct member *m = &member[here];

		*m = (struct member){ .crew = c, .item = (char *)items + (size_t)here * size };
		if (pthread_create(&m->thread, NULL, member_main, m))
			break;
	}
	return here;
}

/* Fewer than `least` do not begin. */
static int run(struct crew *c, void *items, size_t size, int count, int least,
	       void (*begin)(void *context, int number), void *context)
{
	/* without memory for the others the caller is all that there is */
	struct member *member = calloc((size_t)count, sizeof(*member));
	int here;

	pthread_mutex_init(&c->gate, NULL);
	pthread_mutex_lock(&c->gate);
	here = gather(c, member, items, size, count);
	c->begins = here >= least;
	if (c->begins && begin)
		begin(context, here);
	pthread_mutex_unlock(&c->gate);
	if (c->begins)
		c->work(items);
	for (int i = 1; i < here; i++)
		pthread_join(member[i].thread, NULL);
	pthread_mutex_destroy(&c->gate);
	free(member);
	return here;
}

int crew_run(void (*work)(void *item), void *items, size_t size, int count,
	     void (*begin)(void *context, int number), void *context)
{
	struct crew c = { .work = work };

	return run(&c, items, size, count, 1, begin, context);
}

int crew_run_all(void (*work)(void *item), void *items, size_t size, int count, struct err *e)
{
	struct crew c = { .work = work };
	int here = run(&c, items, size, count, count, NULL, NULL);

	if (here == count)
		return 0;
	return err_set(e, ERR_FAILED, "only %d of %d threads could be started", here, count);
}
