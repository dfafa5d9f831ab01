/* Registers and memory as the committed program has them, or as they are seen through a glass. */
#include "core/machine/machine_priv.h"

uint64_t machine_reg(const struct machine *m, unsigned reg)
{
	if (m->glass && reg < 64)
		return m->glass->r[reg];
	return reg < REG_SINK ? m->pipe.st->creg[reg] : 0;
}

uint64_t machine_fcsr(const struct machine *m)
{
	return m->glass ? m->glass->fcsr : m->pipe.st->cfcsr;
}

uint64_t machine_pc(const struct machine *m)
{
	return m->glass ? m->glass->pc : m->pipe.st->commit_pc;
}

void machine_look_through(struct machine *m, const struct machine_glass *g)
{
	m->glass = g;
}

bool machine_peek(const struct machine *m, uint64_t addr, void *buf, size_t n)
{
	const struct pipe *p = &m->pipe;
	if (!mem_peek(m->mem, addr, buf, n))
		return false;
	uint8_t *bytes = buf;
	for (uint32_t i = p->st->lsq_count; i-- > 0;) {
		const struct uop *u = pipe_lsq_at(p, i);
		const struct exec *e = &u->exec;
		if (!e->stored)
			continue;
		for (unsigned b = 0; b < e->size; b++)
			if (e->addr + b - addr < n)
				bytes[e->addr + b - addr] = (uint8_t)(e->store_old >> 8 * b);
	}
	if (m->glass)
		m->glass->peek(m->glass->ctx, addr, buf, n);
	return true;
}

/* ---- a thread that does not run ---- */
void machine_see_thread(struct machine *m, uint32_t tid)
{
	m->seen_tid = tid;
	m->seen_cycle = machine_cycle(m);
}

const struct os_thread *machine_parked(const struct machine *m)
{
	if (!m->seen_tid || m->seen_cycle != machine_cycle(m))
		return NULL;
	const int i = os_thread_find(m->os, m->seen_tid);
	return i < 0 || (unsigned)i == os_running(m->os) ? NULL : &os_threads(m->os)[i];
}

const struct os_thread *machine_seen_thread(const struct machine *m)
{
	const struct os_thread *t = machine_parked(m);
	return t ? t : &os_threads(m->os)[os_running(m->os)];
}

uint64_t machine_seen_reg(const struct machine *m, unsigned reg)
{
	const struct os_thread *t = machine_parked(m);
	return t && reg < REG_SINK ? t->r[reg] : machine_reg(m, reg);
}

uint64_t machine_seen_pc(const struct machine *m)
{
	const struct os_thread *t = machine_parked(m);
	return t ? t->pc : machine_pc(m);
}

uint64_t machine_seen_fcsr(const struct machine *m)
{
	const struct os_thread *t = machine_parked(m);
	return t ? t->fcsr : machine_fcsr(m);
}
