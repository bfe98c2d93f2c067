#include "knapsack.h"
bool knapsack_known_optimum(const struct knapsack *k, int64_t *optimum, const char **source)
{ (void)k; (void)optimum; (void)source; return false; }
