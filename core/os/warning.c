/* Reports to the user: warnings, each text once, and failures of the host, for which the machine
 * waits. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/os/os_priv.h"

enum { WARNED_MAX = 1024 }; /* no program makes more distinct warnings */

void os_set_warn(struct os *os, os_warn_fn *fn, void *ctx)
{
	os->warn = fn;
	os->warn_ctx = ctx;
}

void os_warnf(struct os *os, const char *fmt, ...)
{
	char line[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);

	uint64_t digest = hash_text(line);
	for (size_t i = 0; i < os->warned_n; i++)
		if (os->warned[i] == digest)
			return;
	if (os->warned_n == WARNED_MAX)
		return;
	/* on failure a warning may come twice */
	uint64_t *more = alloc_try_resize(os->warned, (os->warned_n + 1) * sizeof *more);
	if (more) {
		os->warned = more;
		os->warned[os->warned_n++] = digest;
	}
	if (os->warn)
		os->warn(os->warn_ctx, line);
}

void host_refuse(struct os *os, int64_t ret)
{
	snprintf(os->host_failure, sizeof os->host_failure,
	         "the host can't execute the program's %s: %s",
	         os->serving ? os->serving : "system call", strerror((int)-ret));
	host_memory_wait(os->scarce, os->host_failure);
}
