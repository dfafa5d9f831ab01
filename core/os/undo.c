/* Undoes a system call that is interrupted in its middle. Calls that move so much that a person may
 * not want to wait, or host memory may not last, remember how things were; who interrupts them
 * finds nothing done. The host's answers stay in the journal, whose place os_syscall() takes back
 * with any call that is to come again, and output stays where it went, so the same call goes on
 * faster when it is tried again: what has been asked is not asked again, what has been written not
 * written again. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/mem/mem.h"
#include "core/os/os_priv.h"

struct undo {
	struct os_state state;
	struct mem_image *mem; /* owned */
};

/* Host memory is out for what takes the call back; where nobody hears of that, it is not taken
 * back. */
static bool undo_refuse_call(struct call *c)
{
	host_memory_refuse(c->os->scarce, "taking back a system call");
	return !c->os->scarce;
}

bool undo_begin(struct call *c, uint64_t bytes)
{
	if (bytes < UNDO_ALWAYS || !c->os->interrupt || c->undo)
		return true;
	/* the machine waits and tries again */
	struct undo *u = alloc_try_bytes(sizeof *u);
	if (!u)
		return undo_refuse_call(c);
	u->mem = mem_snapshot(c->mem);
	if (!u->mem) {
		free(u);
		return undo_refuse_call(c);
	}
	u->state = *c->st;
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
	}
	mem_image_free(u->mem);
	free(u);
	c->undo = NULL;
}
