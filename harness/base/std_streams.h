/* Standard streams that the caller closed. */
#ifndef COPRA_BASE_STD_STREAMS_H
#define COPRA_BASE_STD_STREAMS_H

/* First thing in main(). A process started with, say, `>&-` has no descriptor 1: the next file that
 * it opens would be it, and what is printed would end up in a results file. Each closed one is
 * opened so that using it fails, as it did: a result that nobody can read is still an error. */
void std_streams_guard(void);

#endif
