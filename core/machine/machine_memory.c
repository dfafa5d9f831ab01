/* Keeps a reserve of host memory. A cycle, an instruction without timing and a piece of a system
 * call find in the reserve what they need; between them it is filled again. Where that fails, who
 * keeps history gives some up, and then the machine stands still. */
#include <stdio.h>

#include "core/machine/machine_priv.h"

enum {
	/* a piece of a call's data in 16 buffers, and what else a call or a handler writes */
	SYSCALL_PAGES = 512,
	NODES_PER_PAGE = 3    /* of one that lies alone, beside the root */
};

/* As many as a cycle writes: what is dispatched, or all that is taken back by a squash, and what
 * perfect prediction executes, across two pages each; and what comes before it. */
static bool machine_memory_fill_reserve(struct machine *m, size_t before)
{
	const size_t pages =
		SYSCALL_PAGES +
		2 * (size_t)(CONFIG(&m->cfg, lsq_size) + CONFIG(&m->cfg, decode_width) +
	                     CONFIG(&m->cfg, fetch_queue)) +
		before;
	return mem_reserve(m->mem, pages, NODES_PER_PAGE * pages + 1);
}

bool machine_reserve(struct machine *m)
{
	m->scarce = (struct host_memory){.stop = &m->interrupt};
	mem_tell_host_memory(m->mem, &m->scarce);
	os_tell_host_memory(m->os, &m->scarce);
	return machine_memory_fill_reserve(m, 0);
}

bool machine_reserve_change(struct machine *m)
{
	if (machine_memory_fill_reserve(m, changes_pages(m)))
		return true;
	host_memory_refuse(&m->scarce, "a change that was made here");
	return false;
}

bool machine_has_memory(struct machine *m)
{
	bool wanting = m->scarce.refused; /* then it takes more than there was */
	while (wanting || !machine_memory_fill_reserve(m, changes_pages(m))) {
		wanting = false;
		if (m->scarce.waits) {
			snprintf(m->lacks_text, sizeof m->lacks_text, "%s", m->scarce.what);
			m->lacks = m->lacks_text;
			m->lacks_then = m->scarce.then;
			return false;
		}
		if (!m->reclaim || !m->reclaim(m->reclaim_ctx)) {
			snprintf(m->lacks_text, sizeof m->lacks_text,
			         "the host has no memory for %s",
			         m->scarce.what ? m->scarce.what : "the program's memory");
			m->lacks = m->lacks_text;
			m->lacks_then = NULL;
			return false;
		}
	}
	m->lacks = NULL;
	m->scarce = (struct host_memory){.stop = &m->interrupt};
	m->interrupt = 0;
	if (m->asked) /* meanwhile, it may be */
		m->interrupt = 1;
	return true;
}

void machine_clear_interrupt(struct machine *m)
{
	m->asked = 0;
	m->interrupt = m->scarce.what || m->lacks; /* the reserve is to be filled first */
	m->scarce.refused = false;
}

void machine_try_again(struct machine *m)
{
	m->lacks = NULL;
}

const char *machine_lacks(const struct machine *m)
{
	return m->lacks;
}

bool machine_lacks_memory(const struct machine *m)
{
	return m->lacks && !m->scarce.waits;
}

const char *machine_lacks_then(const struct machine *m)
{
	return m->lacks_then ? m->lacks_then : "continue tries again";
}

void machine_set_reclaim(struct machine *m, machine_reclaim *fn, void *ctx)
{
	m->reclaim = fn;
	m->reclaim_ctx = ctx;
}
