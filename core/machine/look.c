/* Registers and memory: those of the committed program, or as seen from another place (struct
 * machine_viewpoint). */
#include <string.h>

#include "core/machine/machine_priv.h"
#include "core/os/thread.h"

unsigned machine_isa(const struct machine *m)
{
	return (unsigned)m->pipe.hart->isa;
}

uint64_t machine_reg(const struct machine *m, unsigned reg)
{
	return reg < REG_SINK ? m->pipe.st->creg[reg] : 0;
}

uint64_t machine_fcsr(const struct machine *m)
{
	return m->pipe.st->cfcsr;
}

uint64_t machine_pc(const struct machine *m)
{
	return m->pipe.st->commit_pc;
}

/* ---- at another place ---- */
static const struct machine_viewpoint *viewpoint_of(const struct machine *m)
{
	return m->viewpoint_cycle == machine_cycle(m) ? m->viewpoint : NULL;
}

void machine_look_from(struct machine *m, const struct machine_viewpoint *v)
{
	m->viewpoint = v;
	m->viewpoint_cycle = machine_cycle(m);
}

void machine_see_thread(struct machine *m, uint32_t tid)
{
	struct machine_viewpoint *v = &m->thread_viewpoint;
	const int i = tid ? os_thread_find(m->os, tid) : -1;
	machine_look_from(m, NULL);
	if (i < 0 || (unsigned)i == os_running(m->os))
		return;
	const struct os_thread *t = &os_threads(m->os)[i];
	*v = (struct machine_viewpoint){.pc = t->pc, .fcsr = t->fcsr, .tid = tid};
	memcpy(v->r, t->r, sizeof t->r);
	machine_look_from(m, v);
}

const struct os_thread *machine_parked(const struct machine *m)
{
	const struct machine_viewpoint *v = viewpoint_of(m);
	const int i = v && v->tid ? os_thread_find(m->os, v->tid) : -1;
	return i < 0 ? NULL : &os_threads(m->os)[i];
}

const struct os_thread *machine_seen_thread(const struct machine *m)
{
	const struct os_thread *t = machine_parked(m);
	return t ? t : &os_threads(m->os)[os_running(m->os)];
}

uint64_t machine_seen_reg(const struct machine *m, unsigned reg)
{
	const struct machine_viewpoint *v = viewpoint_of(m);
	return v && reg < REG_SINK ? v->r[reg] : machine_reg(m, reg);
}

uint64_t machine_seen_pc(const struct machine *m)
{
	const struct machine_viewpoint *v = viewpoint_of(m);
	return v ? v->pc : machine_pc(m);
}

uint64_t machine_seen_fcsr(const struct machine *m)
{
	const struct machine_viewpoint *v = viewpoint_of(m);
	return v ? v->fcsr : machine_fcsr(m);
}

bool machine_peek(const struct machine *m, uint64_t addr, void *buf, size_t n)
{
	const struct pipe *p = &m->pipe;
	const struct machine_viewpoint *v = viewpoint_of(m);
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
	if (v && v->peek)
		v->peek(v->ctx, addr, buf, n);
	return true;
}
