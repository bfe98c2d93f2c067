#include "algorithms/koester-recovery/samegame_domain.h"

extern const struct track_ops samegame_rules_ops_host, samegame_rules_ops_sim;
#if COPRA_HAVE_CUDA
extern const struct track_ops samegame_rules_ops_cuda;
#endif

void samegame_domain_init(struct samegame_domain *d, const struct samegame *g)
{
	d->rules = (struct samegame_rules){ .columns = (uint32_t)g->columns,
					    .colours = (uint32_t)g->colours };
	d->domain = (struct track_domain)
	{
		.name = "samegame",
		.layout = { .units = (uint32_t)g->columns + 1, .unit_bytes = sizeof(uint64_t) },
		.parameters = &d->rules, .parameter_bytes = sizeof(d->rules),
		.host = &samegame_rules_ops_host, .sim = &samegame_rules_ops_sim,
#if COPRA_HAVE_CUDA
		.cuda = &samegame_rules_ops_cuda,
#endif
	};
}

struct track_state samegame_state_of(struct samegame_state *s)
{
	return (struct track_state){ (unsigned char *)s->unit, sizeof(s->unit[0]) };
}

static uint64_t column_of(const struct samegame *g, int column)
{
	uint64_t w = 0;

	for (int row = 0; row < g->rows; row++) {
		uint64_t colour = g->cell[(g->rows - 1 - row) * g->columns + column];

		for (int plane = 0; plane < 3; plane++)
			w |= (colour >> plane & 1) << ((int)SAMEGAME_PLANE * plane + row);
	}
	return w;
}

struct samegame_state samegame_input(const struct samegame_domain *d, const struct samegame *g)
{
	struct samegame_state s = { { 0 } };
	struct samegame_head *h = samegame_head_of(samegame_state_of(&s));

	for (int column = 0; column < g->columns; column++) {
		s.unit[column + 1] = column_of(g, column);
		if (s.unit[column + 1])
			h->width = (uint8_t)(column + 1);
	}
	samegame_settle(&d->rules, samegame_state_of(&s));
	return s;
}

int64_t samegame_cell(const struct samegame *g, uint32_t column, uint32_t row)
{
	return (int64_t)(g->rows - 1 - (int)row) * g->columns + (int64_t)column;
}
