#include "harness/base/std_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void std_streams_guard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
			/* takes the lowest free number, this one; and the wrong direction */
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}
