/* Keeps a reserve of host memory. A cycle, an instruction without timing and a piece of a system
 * call take their memory from it; between them it is refilled. If that fails, history gives some
 * up, and if that isn't enough the machine stops. */
#include <stdio.h>

#include "core/machine/machine_priv.h"

enum {
	/* a piece of a call's data in 16 buffers, and other writes of a call or a handler */
	SYSCALL_PAGES = 512,
	NODES_PER_PAGE = 3    /* of an isolated page, besides the root */
};

/* Fills the reserve with the pages that a cycle may write: stores dispatched, or taken back by a
 * squash, and those of perfect prediction, each across two pages; plus `before` pages for
 * changes. */
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
	bool wanting = m->scarce.refused; /* the reserve was too small */
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
	if (m->asked) /* possibly meanwhile */
		m->interrupt = 1;
	return true;
}

void machine_clear_interrupt(struct machine *m)
{
	m->asked = 0;
	m->interrupt = m->scarce.what || m->lacks; /* fill the reserve first */
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
