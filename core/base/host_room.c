#include "core/base/host_room.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The number that the file has behind this text at the beginning of a line, "" for its first one;
 * false: it has none. */
static bool number_in(const char *path, const char *behind, uint64_t *out)
{
	char line[256];
	bool found = false;
	FILE *f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof line, f))
		found = strncmp(line, behind, strlen(behind)) == 0 &&
		        sscanf(line + strlen(behind), "%" SCNu64, out) == 1;
	if (f)
		fclose(f);
	return found;
}

static uint64_t free_on_host(void)
{
	uint64_t kib;
	return number_in("/proc/meminfo", "MemAvailable:", &kib) ? kib * 1024 : UINT64_MAX;
}

/* What the process's control group leaves; groups above it may leave less. */
static uint64_t left_of_group(void)
{
	char line[256], path[sizeof line + 40];
	uint64_t most, now, room = UINT64_MAX;
	FILE *f = fopen("/proc/self/cgroup", "re");
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0::", 3) != 0)
			continue;
		snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", line + 3);
		if (!number_in(path, "", &most))
			continue; /* "max" */
		snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.current", line + 3);
		if (number_in(path, "", &now))
			room = now < most ? most - now : 0;
	}
	if (f)
		fclose(f);
	return room;
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
	return least(free_on_host(), least(left_of_group(), left_of_limit()));
}
