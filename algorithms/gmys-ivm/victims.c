#include "algorithms/gmys-ivm/victims.h"

struct victims victims_make(enum ivm_victims rule, int ivms)
{
	struct victims v = { .rule = rule, .ivms = ivms };

	for (int weight = 1; weight < ivms;) {
		int rest = ivms / weight, length = rest == 8 || rest == 2 ? rest : 4;

		v.length[v.dimensions] = length;
		v.weight[v.dimensions++] = weight;
		weight *= length;
	}
	return v;
}
