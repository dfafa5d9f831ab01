#include "core/base/host_room.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t host_room_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

enum { TEXT = 4096 };

/* The beginning of a file, as a text; empty where there is none. */
static const char *text_of(const char *path, char text[TEXT])
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd < 0 ? 0 : read(fd, text, TEXT - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* The number after `name` in the file ("": at its beginning); false: there is none. */
static bool number_in(const char *path, const char *name, uint64_t *out)
{
	char text[TEXT];
	const char *at = strstr(text_of(path, text), name);
	return at && sscanf(at + strlen(name), "%" SCNu64, out) == 1;
}

static uint64_t free_on_host(void)
{
	uint64_t kib;
	return number_in("/proc/meminfo", "MemAvailable:", &kib) ? kib * 1024 : UINT64_MAX;
}

/* Bytes left in the process's control group; groups above it may leave fewer. */
static uint64_t left_of_group(void)
{
	static const char root[] = "0::";
	char text[TEXT], path[TEXT + 64];
	uint64_t most, now;
	const char *group = strstr(text_of("/proc/self/cgroup", text), root);
	if (!group)
		return UINT64_MAX;
	group += strlen(root);
	const int n = (int)strcspn(group, "\n");
	snprintf(path, sizeof path, "/sys/fs/cgroup%.*s/memory.max", n, group);
	if (!number_in(path, "", &most))
		return UINT64_MAX; /* "max" */
	snprintf(path, sizeof path, "/sys/fs/cgroup%.*s/memory.current", n, group);
	return !number_in(path, "", &now) ? UINT64_MAX : now < most ? most - now : 0;
}

static uint64_t left_of_limit(void)
{
	struct rlimit l;
	uint64_t kib;
	if (getrlimit(RLIMIT_AS, &l) != 0 || l.rlim_cur == RLIM_INFINITY ||
	    !number_in("/proc/self/status", "VmSize:", &kib))
		return UINT64_MAX;
	return kib * 1024 < l.rlim_cur ? l.rlim_cur - kib * 1024 : 0;
}

uint64_t host_room_bytes(void)
{
	return host_room_least(free_on_host(), host_room_least(left_of_group(), left_of_limit()));
}
