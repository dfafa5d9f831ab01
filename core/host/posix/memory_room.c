#include "core/host/memory_room.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t memory_room_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

enum { TEXT = 4096 };

/* The beginning of a file, as a text; empty where there is none. */
static const char *memory_room_text(const char *path, char text[TEXT])
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd < 0 ? 0 : read(fd, text, TEXT - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* The number after `name` in the file ("": at its beginning); false: there is none. */
static bool memory_room_read(const char *path, const char *name, uint64_t *out)
{
	char text[TEXT];
	const char *at = strstr(memory_room_text(path, text), name);
	return at && sscanf(at + strlen(name), "%" SCNu64, out) == 1;
}

static uint64_t memory_room_on_host(void)
{
	uint64_t kib;
	return memory_room_read("/proc/meminfo", "MemAvailable:", &kib) ? kib * 1024 : UINT64_MAX;
}

/* Bytes left in the process's control group; groups above it may leave fewer. */
static uint64_t memory_room_of_group(void)
{
	static const char root[] = "0::";
	char text[TEXT], path[TEXT + 64];
	uint64_t most, now;
	const char *group = strstr(memory_room_text("/proc/self/cgroup", text), root);
	if (!group)
		return UINT64_MAX;
	group += strlen(root);
	const int n = (int)strcspn(group, "\n");
	snprintf(path, sizeof path, "/sys/fs/cgroup%.*s/memory.max", n, group);
	if (!memory_room_read(path, "", &most))
		return UINT64_MAX; /* "max" */
	snprintf(path, sizeof path, "/sys/fs/cgroup%.*s/memory.current", n, group);
	return !memory_room_read(path, "", &now) ? UINT64_MAX : now < most ? most - now : 0;
}

static uint64_t memory_room_of_limit(void)
{
	struct rlimit l;
	uint64_t kib;
	if (getrlimit(RLIMIT_AS, &l) != 0 || l.rlim_cur == RLIM_INFINITY ||
	    !memory_room_read("/proc/self/status", "VmSize:", &kib))
		return UINT64_MAX;
	return kib * 1024 < l.rlim_cur ? l.rlim_cur - kib * 1024 : 0;
}

uint64_t host_room_bytes(void)
{
	return memory_room_least(memory_room_on_host(),
	                         memory_room_least(memory_room_of_group(),
	                                           memory_room_of_limit()));
}
