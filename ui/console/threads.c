#include "ui/console/threads.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/os/os.h"
#include "core/os/thread.h"
#include "ui/console/command_state.h"
#include "ui/console/here.h"
#include "ui/console/motion.h"

bool threads_number(struct console *c, const char *text, unsigned *number)
{
	char *end;
	errno = 0;
	const unsigned long n = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || !n || n > INT_MAX)
		return err_set(&c->err, "'%.40s' is no thread's number; `info threads` has them",
		               text);
	*number = (unsigned)n;
	return true;
}

const struct os_thread *threads_find(struct console *c, unsigned number)
{
	const struct os_thread *t = os_threads(machine_os_const(c->session->machine));
	char list[160] = "";
	for (unsigned i = 0; i < OS_THREADS; i++) {
		const size_t used = strlen(list);
		if (t[i].state == THREAD_FREE)
			continue;
		if (os_thread_number(&t[i]) == number)
			return &t[i];
		snprintf(list + used, sizeof list - used, "%s%u", used ? ", " : "",
		         os_thread_number(&t[i]));
	}
	console_fail(c, "there is no thread %u; there is %s", number, list);
	return NULL;
}

void threads_look_at(struct console *c, const struct os_thread *t)
{
	motion_select(c, 0);
	if (t->tid == spot_tid(here_spot(c)))
		here_look(c);
	else
		machine_see_thread(c->session->machine, t->tid);
	c->state->list_cycle = UINT64_MAX; /* `list` restarts */
}

bool threads_is_looked_at(const struct console *c, const struct os_thread *t)
{
	return machine_seen_thread(c->session->machine) == t;
}

static bool threads_is_running(const struct console *c, const struct os_thread *t)
{
	const struct os *os = machine_os_const(c->session->machine);
	return t == &os_threads(os)[os_running(os)];
}

char *threads_state(const struct console *c, const struct os_thread *t, char *buf, size_t n)
{
	const struct machine *m = c->session->machine;
	const struct os *os = machine_os_const(m);
	if (t->state == THREAD_WAITS)
		return os_thread_wait_text(os, machine_mem_const(m),
		                           (unsigned)(t - os_threads(os)), buf, n);
	snprintf(buf, n, "%s",
	         t->state == THREAD_ENDED   ? "has ended"
	         : threads_is_running(c, t) ? "runs"
	         : t->held                  ? "is held by the debugger"
	                                    : "is ready");
	return buf;
}

uint64_t threads_pc(const struct console *c, const struct os_thread *t)
{
	if (t->tid == spot_tid(here_spot(c)))
		return spot_pc(here_spot(c));
	return threads_is_running(c, t) ? machine_pc(c->session->machine) : t->pc;
}
