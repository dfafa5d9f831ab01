/* Takes back a system call that is interrupted in its middle. Calls that move so many bytes that a
 * user may interrupt them, or that host memory may run out, save the previous state: after an
 * interrupt nothing has happened. The host's answers stay in the journal, whose position
 * os_syscall() resets before it repeats a call, and output stays written: the repeated call repeats
 * no question to the host, and writes nothing twice. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/mem/mem.h"
#include "core/os/code_versions.h"
#include "core/os/os_priv.h"

struct undo {
	struct os_state state;
	struct os_code_versions code_versions;
	struct mem_image *mem; /* owned */
};

/* Reports that host memory for taking the call back is out, and returns false. Without a listener
 * (scarce) the call goes on, and can't be taken back. */
static bool undo_refuse_call(struct call *c)
{
	host_memory_refuse(c->os->scarce, "taking back a system call");
	return !c->os->scarce;
}

bool undo_begin(struct call *c, uint64_t bytes)
{
	if (bytes < UNDO_ALWAYS || !c->os->interrupt || c->undo)
		return true;
	/* on failure the machine waits and tries again */
	struct undo *u = alloc_try_bytes(sizeof *u);
	if (!u)
		return undo_refuse_call(c);
	u->mem = mem_snapshot(c->mem);
	if (!u->mem) {
		free(u);
		return undo_refuse_call(c);
	}
	u->state = *c->st;
	u->code_versions = *c->os->code_versions;
	c->undo = u;
	return true;
}

bool undo_wanted(struct call *c)
{
	c->again |= c->undo && *c->os->interrupt;
	return c->again;
}

void undo_end(struct call *c)
{
	struct undo *u = c->undo;
	if (!u)
		return;
	if (c->again) {
		mem_restore(c->mem, u->mem);
		*c->st = u->state;
		*c->os->code_versions = u->code_versions;
	}
	mem_image_free(u->mem);
	free(u);
	c->undo = NULL;
}
