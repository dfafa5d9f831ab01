/* Registers and memory between two instructions that committed in one cycle. */
#include "ui/remote/spot.h"

#include <string.h>

#include "core/os/journal.h"
#include "core/os/linux.h"
#include "core/os/os.h"
#include "core/os/thread.h"
#include "core/pipe/pipe.h"

static bool changed_here(const struct machine *m)
{
	const struct journal *j = machine_journal(m);
	if (!j->st->changes)
		return false;
	const struct journal_entry *e = journal_at(j, j->change[j->st->changes - 1]);
	return e && e->cycle == stats_guest_cycle(machine_stats(m), machine_cycle(m));
}

struct group spot_group(const struct spot *p)
{
	struct group g = {0};
	const struct machine *m = p->s->machine;
	const struct pipe *pipe = machine_pipe(m);
	const uint64_t cycle = machine_cycle(m) - 1;
	if (!machine_cycle(m) || changed_here(m))
		return g;
	for (uint32_t i = 0; i < pipe->pool_size && g.n < GROUP_MAX; i++) {
		const struct uop *u = &pipe->pool[i];
		if (u->state != UOP_RETIRED || u->when.end != cycle)
			continue;
		unsigned at = g.n++;
		for (; at && g.u[at - 1]->seq > u->seq; at--)
			g.u[at] = g.u[at - 1];
		g.u[at] = u;
	}
	return g;
}

uint32_t spot_tid(const struct spot *p)
{
	const struct os *os = machine_os_const(p->s->machine);
	const struct group g = spot_group(p);
	return p->back && g.n ? (uint32_t)GUEST_PID + g.u[0]->thread
	                         : os_threads(os)[os_running(os)].tid;
}

/* The group's thread, if its slice ended with this cycle and the place is before that end: then its
 * registers are not the machine's. */
static const struct os_thread *spot_parked_thread(const struct spot *p)
{
	const struct os *os = machine_os_const(p->s->machine);
	const int i = os_thread_find(os, spot_tid(p));
	return i < 0 || (unsigned)i == os_running(os) ? NULL : &os_threads(os)[i];
}

uint64_t spot_reg(const struct spot *p, unsigned reg)
{
	const struct os_thread *t = spot_parked_thread(p);
	uint64_t value = t && reg < REG_SINK ? t->r[reg] : machine_reg(p->s->machine, reg);
	const struct group g = spot_group(p);
	for (unsigned i = 0; i < p->back && i < g.n; i++)
		if (g.u[g.n - 1 - i]->inst.rd == reg)
			value = g.u[g.n - 1 - i]->undo.rd;
	return value;
}

uint64_t spot_fcsr(const struct spot *p)
{
	const struct os_thread *t = spot_parked_thread(p);
	uint64_t value = t ? t->fcsr : machine_fcsr(p->s->machine);
	const struct group g = spot_group(p);
	for (unsigned i = 0; i < p->back && i < g.n; i++)
		if (uop_changes_csrs(g.u[g.n - 1 - i]))
			value = g.u[g.n - 1 - i]->undo.fcsr;
	return value;
}

uint64_t spot_pc(const struct spot *p)
{
	const struct group g = spot_group(p);
	return p->back && p->back <= g.n ? g.u[g.n - p->back]->pc : machine_pc(p->s->machine);
}

/* Puts the old bytes at `at` into a copy of [addr, addr + n). */
static void put_back(uint64_t at, uint64_t old, unsigned size, uint64_t addr, uint8_t *buf,
                     size_t n)
{
	for (unsigned k = 0; k < size; k++)
		if (at + k - addr < n)
			buf[at + k - addr] = (uint8_t)(old >> 8 * k);
}

/* Undoes a store in a copy of [addr, addr + n). */
static void spot_revert_store(const struct uop *u, uint64_t addr, uint8_t *buf, size_t n)
{
	if (u->exec.stored)
		put_back(u->exec.addr, u->exec.store_old, u->exec.size, addr, buf, n);
}

bool spot_peek(const struct spot *p, uint64_t addr, void *buf, size_t n)
{
	if (!machine_peek(p->s->machine, addr, buf, n))
		return false;
	const struct group g = spot_group(p);
	for (unsigned i = 0; i < p->back && i < g.n; i++)
		spot_revert_store(g.u[g.n - 1 - i], addr, buf, n);
	return true;
}

static void peek_stores(const void *ctx, uint64_t addr, void *buf, size_t n)
{
	const struct spot_viewpoint *g = ctx;
	for (unsigned i = 0; i < g->n; i++)
		put_back(g->store[i].addr, g->store[i].old, g->store[i].size, addr, buf, n);
}

void spot_look(const struct spot *p, struct spot_viewpoint *out)
{
	struct machine *m = p->s->machine;
	struct machine_viewpoint *viewpoint = &out->viewpoint;
	const struct group g = spot_group(p);
	const struct os_thread *t = spot_parked_thread(p);
	viewpoint->tid = t ? t->tid : 0;
	for (unsigned i = 0; i < 64; i++)
		viewpoint->r[i] = t ? t->r[i] : machine_reg(m, i);
	viewpoint->pc = machine_pc(m);
	viewpoint->fcsr = t ? t->fcsr : machine_fcsr(m);
	out->n = 0;
	for (unsigned i = 0; i < p->back && i < g.n; i++) {
		const struct uop *u = g.u[g.n - 1 - i];
		if (u->inst.rd && u->inst.rd < REG_SINK)
			viewpoint->r[u->inst.rd] = u->undo.rd;
		if (uop_changes_csrs(u))
			viewpoint->fcsr = u->undo.fcsr;
		viewpoint->pc = u->pc;
		if (!u->exec.stored)
			continue;
		out->store[out->n].addr = u->exec.addr;
		out->store[out->n].old = u->exec.store_old;
		out->store[out->n++].size = u->exec.size;
	}
	viewpoint->peek = peek_stores;
	viewpoint->ctx = out;
	machine_look_from(m, viewpoint);
}

size_t spot_read(const struct spot *p, uint64_t addr, void *buf, size_t n)
{
	size_t done = 0;
	while (done < n) {
		size_t piece = PAGE_BYTES - (size_t)((addr + done) % PAGE_BYTES);
		if (piece > n - done)
			piece = n - done;
		if (addr + done < addr || !spot_peek(p, addr + done, (char *)buf + done, piece))
			break;
		done += piece;
	}
	return done;
}

bool spot_settle(struct spot *p, struct err *err)
{
	struct run_stop_info info;
	const struct group g = spot_group(p);
	if (!p->back || p->back < g.n)
		return true;
	if (!run_back_cycles(p->s->run, 1, &info, err))
		return false;
	if (info.reason != STOPPED_DONE)
		return err_set(err, "interrupted");
	p->back = 0;
	return true;
}

bool spot_before(struct spot *p, unsigned i, struct err *err)
{
	const struct group g = spot_group(p);
	p->back = g.n - i;
	const bool alone = !i && g.n &&
	                   ((g.u[0]->op_flags & OPF_SERIAL) || (g.u[0]->flags & UF_DEVICE) ||
	                    uop_is_interpreted(g.u[0]));
	return !alone || spot_settle(p, err);
}

static bool spot_apply_change(struct spot *p, enum journal_kind kind, uint64_t a, uint64_t b,
                              const void *bytes, size_t n, struct err *err)
{
	const struct change c = {.kind = kind, .a = a, .b = b, .bytes = bytes, .n = n};
	return run_change(p->s->run, &c, err);
}

/* Undoes the last `back` instructions by changes. Reads all of it before the first change, which
 * drops the group. */
static bool spot_undo_group(struct spot *p, struct err *err)
{
	const struct group g = spot_group(p);
	struct uop taken[GROUP_MAX];
	const uint64_t pc = spot_pc(p), fcsr = spot_fcsr(p);
	const unsigned n = p->back;
	const bool flags = fcsr != machine_fcsr(p->s->machine);
	for (unsigned i = 0; i < n; i++)
		taken[i] = *g.u[g.n - 1 - i];
	p->back = 0;
	bool ok = true;
	for (unsigned i = 0; ok && i < n; i++) {
		const struct uop *u = &taken[i];
		if (u->inst.rd && u->inst.rd < REG_SINK)
			ok = spot_apply_change(p, JOURNAL_REG, u->inst.rd, u->undo.rd, NULL, 0,
			                       err);
		if (ok && u->exec.stored)
			ok = spot_apply_change(p, JOURNAL_MEMORY, u->exec.addr, 0,
			                       &u->exec.store_old, u->exec.size, err);
	}
	enum { FCSR = 3 };
	return ok && (!flags || spot_apply_change(p, JOURNAL_CSR, FCSR, fcsr, NULL, 0, err)) &&
	       spot_apply_change(p, JOURNAL_PC, pc, 0, NULL, 0, err);
}

bool spot_change(struct spot *p, const struct change *c, struct err *err)
{
	if (!spot_settle(p, err))
		return false;
	if (spot_parked_thread(p))
		return err_set(err,
		               "the slice of thread %u is over with this cycle: nothing can be "
		               "changed before that; stepi first",
		               os_thread_number(spot_parked_thread(p)));
	return (!p->back || spot_undo_group(p, err)) && run_change(p->s->run, c, err);
}
