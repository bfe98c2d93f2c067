#include "algorithms/gboa/k2.h"

#include <math.h>
#include <stdlib.h>

/* Gains and what they are compared with stay below 2^31 in magnitude; 64 more individuals leave
 * room for the losses of cells that are split. */
static int scale_of(int32_t count)
{
	int scale = 26;

	while (scale > 0 && ldexp((count + 64) * log(2), scale) >= 0x1p31)
		scale--;
	return scale;
}

int k2_table_create(struct k2_table *t, int32_t count, struct err *e)
{
	long double sum = 0;
	size_t values = (size_t)count + 2;

	*t = (struct k2_table){ malloc(values * sizeof(uint32_t)), count, scale_of(count) };
	if (!t->at)
		return err_set(e, ERR_MEMORY, "no memory for a table of %d factorials", count);
	for (size_t m = 0; m < values; m++) {
		sum += m > 1 ? logl((long double)m) : 0;
		t->at[m] = (uint32_t)(uint64_t)llroundl(ldexpl(sum, t->scale));
	}
	return 0;
}

void k2_table_destroy(struct k2_table *t)
{
	free(t->at);
	*t = (struct k2_table){ 0 };
}
