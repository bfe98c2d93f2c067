#include "harness/compare/noise.h"

#include <math.h>

#include "harness/base/stats.h"

const char *const noise_names[NOISE_KINDS] = { "normal",         "log-normal",    "drift",
					       "autocorrelated", "bimodal clock", "spikes",
					       "heavy" };
const char *const noise_texts[NOISE_KINDS] = {
	"normal, 2 %",
	"a floor, and above it a log-normal delay of 4 % in the median",
	"10 % slower over 120 launches, on top 1 % normal",
	"AR(1) with coefficient 0.9, 3 % in all",
	"two states 8 % apart, each left with probability 0.1 a launch; 1 % normal",
	"one launch in ten takes 1 to 3 times as long; 1 % normal",
	"normal, 12 %: more than so few launches can average out",
};

static double normal(struct noise *n)
{
	return stat_normal_quantile(rng_unit(&n->rng) * (1 - 0x1p-50) + 0x1p-51);
}

void noise_start(struct noise *n, enum noise_kind kind, uint64_t seed)
{
	*n = (struct noise){ .kind = kind, .rng = rng_seeded(rng_mix(seed)) };
	if (kind == NOISE_CORRELATED)
		n->state = 0.03 * normal(n);
	if (kind == NOISE_BIMODAL)
		n->state = rng_unit(&n->rng) < 0.5;
}

double noise_launch(struct noise *n, double seconds)
{
	double factor = 1;

	switch (n->kind) {
	case NOISE_NORMAL:
		factor = 1 + 0.02 * normal(n);
		break;
	case NOISE_LOGNORMAL:
		factor = 1 + 0.04 * exp(0.8 * normal(n));
		break;
	case NOISE_DRIFT:
		factor = 1 + 0.1 * n->launches / 120 + 0.01 * normal(n);
		break;
	case NOISE_CORRELATED:
		n->state = 0.9 * n->state + 0.03 * sqrt(1 - 0.9 * 0.9) * normal(n);
		factor = 1 + n->state;
		break;
	case NOISE_BIMODAL:
		if (rng_unit(&n->rng) < 0.1)
			n->state = 1 - n->state;
		factor = (1 + 0.08 * n->state) * (1 + 0.01 * normal(n));
		break;
	case NOISE_SPIKES:
		factor = 1 + 0.01 * normal(n);
		if (rng_unit(&n->rng) < 0.1)
			factor *= 1 + 2 * rng_unit(&n->rng);
		break;
	case NOISE_HEAVY:
		factor = 1 + 0.12 * normal(n);
		break;
	case NOISE_KINDS:
		break;
	}
	n->launches++;
	return seconds * fmax(factor, 0.1);
}
