#include "core/host/terminal_size.h"

#include <sys/ioctl.h>

struct terminal_size terminal_size(int fd)
{
	struct winsize size;
	if (ioctl(fd, TIOCGWINSZ, &size) != 0)
		return (struct terminal_size){0};
	return (struct terminal_size){.width = size.ws_col, .height = size.ws_row};
}
