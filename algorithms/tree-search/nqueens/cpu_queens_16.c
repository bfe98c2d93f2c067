#define CELL uint16_t
#define SEARCH cpu_queens_search_16
#include "algorithms/tree-search/nqueens/cpu_queens_body.h"
