#define CELL uint32_t
#define SEARCH cpu_queens_search_32
#include "algorithms/tree-search/nqueens/cpu_queens_body.h"
