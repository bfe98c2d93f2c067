#define CELL uint16_t
#define SEARCH cpu_queens_search_16
#include "cpu_queens_body.h"
