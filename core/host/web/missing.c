/* Calls of Linux that the C library for WebAssembly lacks. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/host/web/error_number.h"
#include "core/host/web/page.h"

int pipe2(int fds[2], int flags)
{
	if (pipe(fds) != 0)
		return -1;
	for (int i = 0; i < 2 && flags & O_NONBLOCK; i++)
		fcntl(fds[i], F_SETFL, O_NONBLOCK);
	return 0;
}

int socket(int domain, int type, int protocol)
{
	(void)domain;
	(void)type;
	(void)protocol;
	return error_number_set(ERROR_NUMBER_NOT_HERE);
}

int memfd_create(const char *name, unsigned flags)
{
	(void)name;
	(void)flags;
	return page_memory_file();
}
