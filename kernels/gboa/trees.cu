#include "kernels/gboa/trees_learn.cuh"
#include "kernels/gboa/trees_replace.cuh"
#include "kernels/gboa/trees_sample.cuh"
#include "kernels/gboa/trees_select.cuh"

/* In whole words of an individual: what reads it takes four variables at once, also behind the
 * last. */
static size_t column_bytes(const struct trees *t)
{
	return (size_t)t->row * WARP * sizeof(uint32_t);
}

static size_t sample_shared(const struct trees *t)
{
	return 2 * AHEAD * sizeof(struct supply) + column_bytes(t);
}

static size_t learn_shared(const struct trees *t)
{
	size_t words = (size_t)t->selected / 32, leaves = t->masks ? 0 : HBOA_LEAVES_MAX;

	return sizeof(struct growth) + words * (1 + leaves) * sizeof(uint32_t);
}

static int first(struct dev_stream *s, const struct trees *t, struct err *e)
{
	int status = LAUNCH(e, trees_first, dim3(t->population / 32, t->runs), SAMPLE_THREADS,
			    column_bytes(t), s, *t);

	return status ? status : LAUNCH(e, trees_first_best, dim3(1, t->runs), 256, 0, s, *t);
}

/* With fewer blocks a run, a warp for it is as fast. */
enum { BLOCKS_LEAST = 4 };

/* As many blocks a run as there is room for and work; they wait for one another. */
static int replace(struct dev_stream *s, const struct trees *t, struct err *e)
{
	int resident = 0, most = (t->offspring * WARP - 1) / REPLACE_THREADS + 1;
	int status = GPU_RESIDENT(e, &resident, trees_replace, REPLACE_THREADS, 0, s);

	if (status)
		return status;
	int blocks = resident / t->runs < most ? resident / t->runs : most;

	if (blocks < BLOCKS_LEAST)
		return LAUNCH(e, trees_replace_in_order, dim3(1, t->runs), WARP, 0, s, *t);
	return LAUNCH_COOPERATIVE(e, trees_replace, dim3(blocks, t->runs), REPLACE_THREADS, 0, s,
				  *t);
}

static int generation(struct dev_stream *s, const struct trees *t, struct err *e)
{
	int status =
		LAUNCH(e, trees_order, dim3((t->n + ORDER_THREADS - 1) / ORDER_THREADS, t->runs),
		       ORDER_THREADS, 4 * ORDER_THREADS * sizeof(uint32_t), s, *t);

	if (!status)
		status = LAUNCH(e, trees_gather, dim3(t->selected / 32, t->runs), GATHER_THREADS,
				(WARP + 1) * sizeof(int32_t), s, *t);
	if (!status)
		status = LAUNCH(e, trees_learn, dim3(t->learners, t->runs), LEARN_THREADS,
				learn_shared(t), s, *t);
	if (!status)
		status = LAUNCH(e, trees_sample, dim3(t->offspring / 32, t->runs), SAMPLE_THREADS,
				sample_shared(t), s, *t);
	return status ? status : replace(s, t, e);
}

extern "C" const struct trees_kernels
	BACKEND_SYMBOL(trees_kernels) = { first, generation, learn_shared, sample_shared };
