/* Loops follow one another closely, and waking a thread takes longer than many of them: threads
 * first look for the next loop (and the caller for the end of this one) for some microseconds,
 * where each has a core to itself, and only then sleep. */
#include "harness/base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* Parts a thread: more than one, so that slow threads do fewer. */
enum { PARTS_A_THREAD = 4, MOST_THREADS = 1024, LOOKS = 2000 };

struct member {
	struct workers *pool;
	pthread_t thread;
	int number;
};

struct workers {
	int threads;
	struct member *member; /* [threads]; 0 is the caller and has no thread of its own */
	int started;           /* members with a thread */
	int looks;             /* before sleeping */
	pthread_mutex_t turn;  /* of one caller at a time */

	pthread_mutex_t lock; /* of the conditions */
	pthread_cond_t begin, end;
	atomic_uint_fast64_t loop; /* number of the present one */
	atomic_int busy;           /* threads still in it */
	atomic_bool quit;

	void (*work)(void *context, uint64_t from, uint64_t to, int thread);
	void *context;
	uint64_t count, part;
	atomic_uint_fast64_t next;
};

static void pause_briefly(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

static void take_parts(struct workers *p, int thread)
{
	uint64_t from;

	while ((from = atomic_fetch_add_explicit(&p->next, p->part, memory_order_relaxed)) <
	       p->count) {
		uint64_t left = p->count - from;

		p->work(p->context, from, from + (left < p->part ? left : p->part), thread);
	}
}

/* false: the pool ends. */
static bool await_loop(struct workers *p, uint64_t seen)
{
	for (int i = 0; i < p->looks && !atomic_load(&p->quit); i++) {
		if (atomic_load(&p->loop) != seen)
			return true;
		pause_briefly();
	}
	pthread_mutex_lock(&p->lock);
	while (atomic_load(&p->loop) == seen && !atomic_load(&p->quit))
		pthread_cond_wait(&p->begin, &p->lock);
	pthread_mutex_unlock(&p->lock);
	return !atomic_load(&p->quit);
}

static void *serve(void *argument)
{
	struct member *m = argument;
	struct workers *p = m->pool;

	for (uint64_t seen = 0; await_loop(p, seen); seen++) {
		take_parts(p, m->number);
		if (atomic_fetch_sub(&p->busy, 1) == 1) {
			pthread_mutex_lock(&p->lock);
			pthread_cond_signal(&p->end);
			pthread_mutex_unlock(&p->lock);
		}
	}
	return NULL;
}

static void await_end(struct workers *p)
{
	for (int i = 0; i < p->looks; i++) {
		if (atomic_load(&p->busy) == 0)
			return;
		pause_briefly();
	}
	pthread_mutex_lock(&p->lock);
	while (atomic_load(&p->busy) != 0)
		pthread_cond_wait(&p->end, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

static int own_cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

static int start_threads(struct workers *p, struct err *e)
{
	for (int i = 1; i < p->threads; i++) {
		struct member *m = &p->member[i];

		*m = (struct member){ .pool = p, .number = i };
		if (pthread_create(&m->thread, NULL, serve, m) != 0)
			return err_set(e, ERR_MEMORY, "thread %d of %d could not be started", i + 1,
				       p->threads);
		p->started = i;
	}
	return 0;
}

int workers_create(struct workers **out, int threads, struct err *e)
{
	struct workers *p;
	int rc;

	*out = NULL;
	if (threads < 1 || threads > MOST_THREADS)
		return err_set(e, ERR_USAGE, "%d threads: there may be 1 to %d", threads,
			       MOST_THREADS);
	p = calloc(1, sizeof(*p));
	if (!p || !(p->member = calloc((size_t)threads, sizeof(*p->member)))) {
		free(p);
		return err_set(e, ERR_MEMORY, "no memory for %d threads", threads);
	}
	p->threads = threads;
	p->looks = threads <= own_cores() ? LOOKS : 0;
	pthread_mutex_init(&p->turn, NULL);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->begin, NULL);
	pthread_cond_init(&p->end, NULL);
	atomic_init(&p->next, 0);
	atomic_init(&p->loop, 0);
	atomic_init(&p->busy, 0);
	atomic_init(&p->quit, false);
	rc = start_threads(p, e);
	if (rc) {
		workers_destroy(p);
		return rc;
	}
	*out = p;
	return 0;
}

void workers_destroy(struct workers *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	atomic_store(&p->quit, true);
	pthread_cond_broadcast(&p->begin);
	pthread_mutex_unlock(&p->lock);
	for (int i = 1; i <= p->started; i++)
		pthread_join(p->member[i].thread, NULL);
	pthread_cond_destroy(&p->begin);
	pthread_cond_destroy(&p->end);
	pthread_mutex_destroy(&p->lock);
	pthread_mutex_destroy(&p->turn);
	free(p->member);
	free(p);
}

int workers_threads(const struct workers *p)
{
	return p ? p->threads : 1;
}

/* A multiple of the grain, such that every thread gets several where there are enough. */
static uint64_t part_size(uint64_t count, uint64_t grain, int threads)
{
	uint64_t grains = (count - 1) / grain + 1;
	uint64_t parts = (uint64_t)threads * PARTS_A_THREAD;

	return ((grains - 1) / parts + 1) * grain;
}

void workers_run(struct workers *p, uint64_t count, uint64_t grain,
		 void (*work)(void *context, uint64_t from, uint64_t to, int thread), void *context)
{
	if (count == 0)
		return;
	if (grain == 0)
		grain = 1;
	if (!p || p->threads == 1 || count <= grain) {
		work(context, 0, count, 0);
		return;
	}
	pthread_mutex_lock(&p->turn);
	p->work = work;
	p->context = context;
	p->count = count;
	p->part = part_size(count, grain, p->threads);
	atomic_store_explicit(&p->next, 0, memory_order_relaxed);
	atomic_store(&p->busy, p->threads - 1);
	pthread_mutex_lock(&p->lock);
	atomic_fetch_add(&p->loop, 1);
	pthread_cond_broadcast(&p->begin);
	pthread_mutex_unlock(&p->lock);
	take_parts(p, 0);
	await_end(p);
	pthread_mutex_unlock(&p->turn);
}
