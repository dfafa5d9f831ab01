#include "ui/console/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "core/run/run.h"
#include "loader/dwarf/walk.h"
#include "scripting/expr/expr.h"
#include "scripting/script.h"
#include "ui/console/ending.h"

/* Global, because signal handlers take no context. */
static struct run *volatile target;
static struct exprs *volatile computing;
static struct script *volatile script;
static volatile sig_atomic_t taken;
static int64_t asked_ms; /* time of the first request to end the script */

/* A script that runs on for a second after Ctrl-C may never end: it can be in a C function, or in a
 * finalizer whose metatable was changed. Another Ctrl-C then ends the process. */
static void interrupt_script(struct script *s)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	const int64_t now_ms = t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
	if (!script_is_interrupted(s))
		asked_ms = now_ms;
	else if (now_ms - asked_ms >= 1000)
		ending_begin(SIGINT);
	script_interrupt(s);
}

void interrupt_now(struct run *r)
{
	if (r)
		run_interrupt(r);
	walk_interrupt();
	if (computing)
		exprs_interrupt(computing);
	if (script && script_is_busy(script))
		interrupt_script(script);
}

static void interrupt_on_signal(int sig)
{
	(void)sig;
	taken = 1;
	interrupt_now(target);
}

void interrupt_attach_script(struct script *s)
{
	script = s;
}

void interrupt_expect(void)
{
	struct sigaction sa = {.sa_handler = interrupt_on_signal}, old;
	if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(SIGINT, &sa, NULL);
}

void interrupt_attach(struct run *r, struct exprs *x)
{
	target = r;
	computing = x;
	if (r)
		interrupt_expect();
}

bool interrupt_came(void)
{
	return taken;
}

/* A Ctrl-C between the two accesses counts as the same one. */
bool interrupt_taken(void)
{
	if (!taken)
		return false;
	taken = 0;
	return true;
}
