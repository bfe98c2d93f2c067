#include "algorithms/gboa/hboa_learn.h"

#include <stdlib.h>

struct hboa_learner {
	struct k2_table table;
	struct hboa_plain *plain; /* one of the two */
	struct hboa_packed *packed;
};

int hboa_learner_create(struct hboa_learner **out, int32_t n, int32_t count,
			const struct boa_options *o, bool plain, struct team *w, struct err *e)
{
	struct hboa_learner *l = calloc(1, sizeof(*l));
	int status;

	*out = NULL;
	if (!l)
		return err_set(e, ERR_MEMORY, "no memory to learn from %d individuals", count);
	status = k2_table_create(&l->table, count, e);
	if (!status) {
		struct hboa_rules rules = { l->table.at, hboa_penalty(l->table.at, count),
					    o->merges, o->smoothing };

		status = plain ? hboa_plain_create(&l->plain, n, count, &rules, e) :
				 hboa_packed_create(&l->packed, n, count, &rules, w, e);
	}
	if (status) {
		hboa_learner_destroy(l);
		return status;
	}
	*out = l;
	return 0;
}

void hboa_learner_destroy(struct hboa_learner *l)
{
	if (!l)
		return;
	hboa_plain_destroy(l->plain);
	hboa_packed_destroy(l->packed);
	k2_table_destroy(&l->table);
	free(l);
}

void hboa_learner_limit(struct hboa_learner *l, const struct boa_limit *limit)
{
	if (l->plain)
		hboa_plain_limit(l->plain, limit);
	else
		hboa_packed_limit(l->packed, limit);
}

void hboa_learn(struct hboa_learner *l, const struct boa_data *d, struct hboa_model *m)
{
	if (l->plain)
		hboa_plain_learn(l->plain, d, m);
	else
		hboa_packed_learn(l->packed, d, m);
}
