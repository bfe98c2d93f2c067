#include "kernels/common/gpu.cuh"

#include "algorithms/koester-recovery/synthetic_state.h"
#include "kernels/koester-recovery/domain.cuh"
#include "kernels/koester-recovery/synthetic.h"
#include "kernels/koester-recovery/synthetic_rows.cuh"

TRACK_DOMAIN_KERNELS(synthetic)

typedef track_kernels<synthetic_domain> plain;

enum { BLOCK = 128 };

/* Threads a state: a power of two, at most a warp. */
static uint32_t threads_for(uint32_t rows, uint32_t rows_of_thread)
{
	uint32_t threads = 1;

	while (threads < 32 && threads * rows_of_thread < rows)
		threads *= 2;
	return threads;
}

static unsigned blocks_for(uint32_t count, uint32_t threads)
{
	return (unsigned)(((uint64_t)count * threads + BLOCK - 1) / BLOCK);
}

/* So few threads with R rows each leave most of the device idle: then a row a thread. Fewer on sim,
 * where tests meet both. */
#if defined(COPRA_SIM)
enum { FEW = 100 };
#else
enum { FEW = 8192 };
#endif

/* Rows of a thread and blocks of a multiprocessor for each number of columns, as measured on an
 * H200: 2 R C registers for the rows before and after, and enough of them to read the matrix
 * ahead. */
template <int C, int R, int M>
static int launch_job(struct track_place *p, struct synthetic_job *job, struct err *e)
{
	size_t shared = 2 * C * C * sizeof(float);

	job->threads = threads_for(job->d.rows, R);
	if ((uint64_t)job->count * job->threads > FEW)
		return LAUNCH(e, (synthetic_run<C, R, BLOCK, M>),
			      blocks_for(job->count, job->threads), BLOCK, shared, p->stream, *job);
	job->threads = threads_for(job->d.rows, 1);
	return LAUNCH(e, (synthetic_run<C, 1, BLOCK, 4>), blocks_for(job->count, job->threads),
		      BLOCK, shared, p->stream, *job);
}

static int no_rows(uint32_t columns, struct err *e)
{
	return err_set(e, ERR_UNSUPPORTED, "no kernel keeps rows of %u columns in registers",
		       columns);
}

static int run(struct track_place *p, struct synthetic_job *job, struct err *e)
{
	switch (job->d.columns) {
	case 8:
		return launch_job<8, 4, 4>(p, job, e);
	case 12:
		return launch_job<12, 6, 2>(p, job, e);
	case 16:
		return launch_job<16, 4, 2>(p, job, e);
	case 24:
		return launch_job<24, 3, 2>(p, job, e);
	case 32:
		return launch_job<32, 2, 2>(p, job, e);
	default:
		return no_rows(job->d.columns, e);
	}
}

template <int C, int R, int M>
static int launch_line(struct track_place *p, struct synthetic_line *line, struct err *e)
{
	line->threads = threads_for(line->d.rows, R);
	return LAUNCH(e, (synthetic_step<C, R, BLOCK, M>), blocks_for(line->b.count, line->threads),
		      BLOCK, 2 * C * C * sizeof(float), p->stream, *line);
}

static int step(struct track_place *p, const struct synthetic &d, const struct track_batch *b,
		bool assign, struct err *e)
{
	struct synthetic_line line = { d, *b, 0, assign };

	if (!b->count)
		return 0;
	switch (d.columns) {
	case 8:
		return launch_line<8, 4, 4>(p, &line, e);
	case 12:
		return launch_line<12, 6, 2>(p, &line, e);
	case 16:
		return launch_line<16, 4, 2>(p, &line, e);
	case 24:
		return launch_line<24, 3, 2>(p, &line, e);
	case 32:
		return launch_line<32, 2, 2>(p, &line, e);
	default:
		return no_rows(d.columns, e);
	}
}

static int execute(struct track_place *p, const void *d, const struct track_batch *b, struct err *e)
{
	return step(p, plain::of(d), b, false, e);
}

static int assign(struct track_place *p, const void *d, const struct track_batch *b, struct err *e)
{
	return step(p, plain::of(d), b, true, e);
}

/* One round of no steps for the states of a batch. */
static struct synthetic_job job_of(const struct synthetic &d, const struct track_batch *b)
{
	struct synthetic_job job = {};

	job.d = d;
	job.layout = b->layout;
	job.states = b->states;
	job.slots = b->slots;
	job.slot = b->slot;
	job.count = b->count;
	job.source = b->source;
	job.successor = b->successor;
	job.rounds = 1;
	job.iteration = b->iteration;
	job.seed = b->seed;
	job.ask = true;
	return job;
}

static void with_steps(struct synthetic_job *job, uint32_t steps, uint32_t flags)
{
	job->steps = steps;
	job->assign_first = flags & TRACK_ASSIGN_FIRST;
	job->assign_last = flags & TRACK_ASSIGN_LAST;
}

static int rate(struct track_place *p, const void *d, const struct track_batch *b, uint32_t *rating,
		struct err *e)
{
	struct synthetic_job job = job_of(plain::of(d), b);

	job.rating = rating;
	return b->count ? run(p, &job, e) : 0;
}

static int advance(struct track_place *p, const void *d, const struct track_batch *b,
		   uint32_t steps, uint32_t flags, struct err *e)
{
	struct synthetic_job job = job_of(plain::of(d), b);

	with_steps(&job, steps, flags);
	job.writes = true;
	return b->count ? run(p, &job, e) : 0;
}

static int replay(struct track_place *p, const void *d, const struct track_batch *b,
		  const struct track_path *path, uint32_t steps, uint32_t flags, struct err *e)
{
	struct synthetic_job job = job_of(plain::of(d), b);

	with_steps(&job, steps, flags);
	job.writes = true;
	job.path_iteration = path->iteration;
	job.source = path->source;
	job.successor = path->successor;
	job.rounds = path->rounds;
	job.path_stride = path->count;
	return b->count && path->rounds ? run(p, &job, e) : 0;
}

static int rate_children(struct track_place *p, const void *d, const struct track_batch *parents,
			 const struct track_children *c, const uint32_t *successor, uint32_t steps,
			 uint32_t flags, uint32_t breaks, uint32_t *rating, struct err *e)
{
	struct synthetic_job job = job_of(plain::of(d), parents);
	int rc = track_check_children(c, e);

	if (rc || !c->total)
		return rc;
	with_steps(&job, steps, flags);
	job.first = c->first;
	job.parents = parents->count;
	job.first_source = c->first_source;
	job.successor = successor;
	job.count = (uint32_t)c->total;
	job.ask = !(flags & TRACK_ASSIGN_FIXED);
	job.breaks = breaks;
	job.rating = rating;
	return run(p, &job, e);
}

extern "C" const struct track_ops BACKEND_SYMBOL(synthetic_rows_ops) = {
	execute, assign, rate, plain::expand, NULL, advance, replay, rate_children
};
