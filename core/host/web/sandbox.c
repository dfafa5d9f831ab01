/* The page confines the program: it has no files but those that lie in the page, no network but the
 * page's own, and no processes. A child has the same. */
#include "core/host/sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/web/sandbox_limit.h"

void sandbox_init(struct sandbox *s)
{
	*s = (struct sandbox){.means = SANDBOX_ALL};
}

void sandbox_deinit(struct sandbox *s)
{
	free(s->folder);
	sandbox_init(s);
}

bool sandbox_allow(struct sandbox *s, const char *path, unsigned rights, struct err *err)
{
	(void)s;
	(void)path;
	(void)rights;
	(void)err;
	return true;
}

bool sandbox_allow_own_program(struct sandbox *s, struct err *err)
{
	(void)s;
	(void)err;
	return true;
}

bool sandbox_allow_system_programs(struct sandbox *s, struct err *err)
{
	(void)s;
	(void)err;
	return true;
}

bool sandbox_allow_gcc(struct sandbox *s, const char *target, struct err *err)
{
	(void)s;
	(void)target;
	(void)err;
	return true;
}

bool sandbox_begin_in(struct sandbox *s, const char *folder, struct err *err)
{
	free(s->folder);
	s->folder = alloc_real_path(folder);
	return s->folder || err_set(err, "%s: %s", folder, strerror(errno));
}

unsigned sandbox_seconds;

unsigned sandbox_enter(const struct sandbox *s)
{
	sandbox_seconds = (unsigned)s->cpu_seconds;
	return chdir(s->folder ? s->folder : "/") == 0 ? s->means : 0;
}

unsigned sandbox_probe(unsigned means)
{
	return means;
}

const char *sandbox_means_text(unsigned means, char *buf, size_t n)
{
	(void)means;
	snprintf(buf, n, "the browser");
	return buf;
}
