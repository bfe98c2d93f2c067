#include "algorithms/tree-search/atsp/atsp_bound.h"

int32_t atsp_root_bound(const int32_t *cost, int cities)
{
	int32_t sum = 0;

	for (int from = 0; from < cities; from++) {
		int32_t least = INT32_MAX;

		for (int to = 0; to < cities; to++) {
			int32_t c = cost[from * cities + to];

			least = to != from && c < least ? c : least;
		}
		sum += least;
	}
	return sum;
}
