/* Registers and memory between two instructions that committed in one cycle. */
#include "ui/console/spot.h"

#include <string.h>

#include "core/os/journal.h"
#include "core/os/linux.h"
#include "core/os/os.h"
#include "core/os/thread.h"
#include "core/pipe/pipe.h"

/* The changes by hand at the end of this cycle that changed registers or memory. undone: receives
 * the number of the cycle's instructions that they have undone. */
static bool changed_here(const struct machine *m, unsigned *undone)
{
	const struct journal *j = machine_journal(m);
	const uint64_t cycle = stats_guest_cycle(machine_stats(m), machine_cycle(m));
	bool changed = false;
	*undone = 0;
	for (uint64_t i = j->st->changes; i-- > 0;) {
		const struct journal_entry *e = journal_at(j, j->change[i]);
		uint64_t words[2];
		if (!e || e->cycle != cycle)
			break;
		memcpy(words, journal_payload(e), sizeof words);
		changed |= e->kind != JOURNAL_SIGNALS && e->kind != JOURNAL_ATTACHMENT &&
		           e->kind != JOURNAL_DEFER && e->kind != JOURNAL_SIGNAL &&
		           e->kind != JOURNAL_HOLD;
		*undone += e->kind == JOURNAL_PC ? (unsigned)words[1] : 0;
	}
	return changed;
}

/* The instructions that committed in the last cycle. */
static struct group spot_committed(const struct machine *m)
{
	struct group g = {0};
	const struct pipe *pipe = machine_pipe(m);
	const uint64_t cycle = machine_cycle(m) - 1;
	if (!machine_cycle(m))
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

struct group spot_group(const struct spot *p)
{
	const struct machine *m = p->s->machine;
	struct group g = {0};
	unsigned undone;
	if (!p->ahead)
		return changed_here(m, &undone) ? g : spot_committed(m);
	for (; g.n < p->ahead; g.n++)
		g.u[g.n] = pipe_rob_at(machine_pipe(m), g.n);
	return g;
}

void spot_reset(struct spot *p)
{
	p->back = p->ahead = 0;
	p->frame = 0;
	p->cycle = machine_cycle(p->s->machine);
	p->reached = false;
}

bool spot_is_changed(const struct spot *p)
{
	unsigned undone;
	return !p->ahead && changed_here(p->s->machine, &undone);
}

bool spot_move(struct spot *p, bool forward, struct err *err)
{
	struct run_stop_info info;
	spot_reset(p);
	if (!(forward ? run_cycles(p->s->run, 1, false, &info, err)
	              : run_back_cycles(p->s->run, 1, &info, err)))
		return false;
	p->cycle = machine_cycle(p->s->machine);
	return info.reason == STOPPED_DONE || (forward && info.reason == STOPPED_EXIT) ||
	       err_set(err, "interrupted");
}

bool spot_before_changes(struct spot *p, struct err *err)
{
	const struct machine *m = p->s->machine;
	unsigned undone, n = spot_committed(m).n;
	changed_here(m, &undone);
	if (!spot_move(p, false, err))
		return false;
	n -= undone < n ? undone : n;
	/* Of an interpreted instruction, which is alone in its cycle, the effect is not known. */
	if (n <= machine_pipe(m)->st->rob_count)
		p->ahead = n;
	return true;
}

bool spot_after_changes(struct spot *p, struct err *err)
{
	return spot_move(p, true, err);
}

void spot_return(struct spot *p, const struct spot *was, bool cut)
{
	struct err err;
	*p = *was;
	if (!was->ahead || !cut)
		return;
	spot_reset(p);
	if (spot_move(p, true, &err))
		p->back = spot_group(p).n - (was->ahead - was->back);
	p->reached = was->reached;
}

/* The instructions of the group whose effects are not the machine's at the place, in the order in
 * which reads take them back or, ahead, add them. */
static struct group spot_differing(const struct spot *p)
{
	struct group g = spot_group(p), d = {0};
	if (p->ahead) {
		g.n -= p->back < g.n ? p->back : g.n;
		return g;
	}
	for (; d.n < p->back && d.n < g.n; d.n++)
		d.u[d.n] = g.u[g.n - 1 - d.n];
	return d;
}

uint32_t spot_tid(const struct spot *p)
{
	const struct os *os = machine_os_const(p->s->machine);
	const struct group g = spot_group(p);
	return p->back && g.n ? (uint32_t)GUEST_PID + g.u[0]->thread
	                         : os_threads(os)[os_running(os)].tid;
}

/* The group's thread, if its slice ended with this cycle and the place is before that end; else
 * NULL. The thread's registers are then not in the machine. */
static const struct os_thread *spot_parked_thread(const struct spot *p)
{
	const struct os *os = machine_os_const(p->s->machine);
	const int i = os_thread_find(os, spot_tid(p));
	return i < 0 || (unsigned)i == os_running(os) ? NULL : &os_threads(os)[i];
}

bool spot_frame(const struct spot *p, uint64_t at, struct lx_sigframe *frame)
{
	return machine_peek(p->s->machine, at, frame, sizeof *frame);
}

/* Reads the frame of a place before a handler; false for any other place. */
static bool spot_context(const struct spot *p, struct lx_ucontext *context)
{
	struct lx_sigframe frame;
	if (!p->frame || p->back || !spot_frame(p, p->frame, &frame))
		return false;
	*context = frame.context;
	return true;
}

uint64_t spot_reg(const struct spot *p, unsigned reg)
{
	struct lx_ucontext c;
	if (reg && reg < REG_SINK && spot_context(p, &c))
		return reg < REG_F0 ? c.x[reg - 1] : c.f[reg - REG_F0];
	const struct os_thread *t = spot_parked_thread(p);
	uint64_t value = t && reg < REG_SINK ? t->r[reg] : machine_reg(p->s->machine, reg);
	const struct group g = spot_differing(p);
	for (unsigned i = 0; i < g.n; i++)
		if (g.u[i]->inst.rd == reg)
			value = p->ahead ? g.u[i]->result : g.u[i]->undo.rd;
	return value;
}

uint64_t spot_fcsr(const struct spot *p)
{
	struct lx_ucontext c;
	if (spot_context(p, &c))
		return c.fcsr;
	const struct os_thread *t = spot_parked_thread(p);
	uint64_t value = t ? t->fcsr : machine_fcsr(p->s->machine);
	const struct group g = spot_differing(p);
	for (unsigned i = 0; i < g.n; i++)
		if (p->ahead)
			value |= g.u[i]->op_flags & OPF_FP ? g.u[i]->raised : 0;
		else if (uop_changes_csrs(g.u[i]))
			value = g.u[i]->undo.fcsr;
	return value;
}

uint64_t spot_pc(const struct spot *p)
{
	const struct group g = spot_group(p);
	struct lx_ucontext c;
	if (spot_context(p, &c))
		return c.pc;
	if (p->back && p->back <= g.n)
		return g.u[g.n - p->back]->pc;
	return p->ahead ? g.u[g.n - 1]->exec.next_pc : machine_pc(p->s->machine);
}

/* Puts bytes at `at` into a copy of [addr, addr + n). */
static void put_bytes(uint64_t at, uint64_t bytes, unsigned size, uint64_t addr, uint8_t *buf,
                      size_t n)
{
	for (unsigned k = 0; k < size; k++)
		if (at + k - addr < n)
			buf[at + k - addr] = (uint8_t)(bytes >> 8 * k);
}

/* Bytes of a store as they are at the place. */
static uint64_t spot_bytes(const struct spot *p, const struct uop *u)
{
	return p->ahead ? u->exec.store_new : u->exec.store_old;
}

bool spot_peek(const struct spot *p, uint64_t addr, void *buf, size_t n)
{
	if (!machine_peek(p->s->machine, addr, buf, n))
		return false;
	const struct group g = spot_differing(p);
	for (unsigned i = 0; i < g.n; i++)
		if (g.u[i]->exec.stored)
			put_bytes(g.u[i]->exec.addr, spot_bytes(p, g.u[i]), g.u[i]->exec.size, addr,
			          buf, n);
	return true;
}

static void peek_stores(const void *ctx, uint64_t addr, void *buf, size_t n)
{
	const struct spot_viewpoint *g = ctx;
	for (unsigned i = 0; i < g->n; i++)
		put_bytes(g->store[i].addr, g->store[i].bytes, g->store[i].size, addr, buf, n);
}

void spot_look(const struct spot *p, struct spot_viewpoint *out)
{
	struct machine *m = p->s->machine;
	struct machine_viewpoint *viewpoint = &out->viewpoint;
	const struct group g = spot_differing(p);
	const struct os_thread *t = spot_parked_thread(p);
	viewpoint->tid = t ? t->tid : 0;
	for (unsigned i = 0; i < 64; i++)
		viewpoint->r[i] = p->frame ? spot_reg(p, i) : t ? t->r[i] : machine_reg(m, i);
	viewpoint->pc = spot_pc(p);
	viewpoint->fcsr = spot_fcsr(p);
	out->n = 0;
	for (unsigned i = 0; i < g.n; i++) {
		const struct uop *u = g.u[i];
		if (u->inst.rd && u->inst.rd < REG_SINK)
			viewpoint->r[u->inst.rd] = p->ahead ? u->result : u->undo.rd;
		if (!u->exec.stored)
			continue;
		out->store[out->n].addr = u->exec.addr;
		out->store[out->n].bytes = spot_bytes(p, u);
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
	const struct group g = spot_group(p);
	if (!p->back || p->back < g.n)
		return true;
	if (!p->ahead)
		return spot_move(p, false, err);
	spot_reset(p);
	return true;
}

bool spot_before(struct spot *p, unsigned i, struct err *err)
{
	const struct group g = spot_group(p);
	p->back = g.n - i;
	p->frame = 0;
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

/* Undoes the last `back` instructions by changes. Reads all old values first, as the first change
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
	       spot_apply_change(p, JOURNAL_PC, pc, n, NULL, 0, err);
}

/* Cuts the recorded future, and with it the changes at the end of the next cycle, and goes to the
 * end of that: the place stays. */
static bool spot_drop_changes(struct spot *p, struct err *err)
{
	const struct os_state *os = os_state_const(machine_os_const(p->s->machine));
	const unsigned done = p->ahead - p->back;
	if (!spot_apply_change(p, JOURNAL_SIGNALS, os->signals.held_back, 0, NULL, 0, err) ||
	    !spot_move(p, true, err))
		return false;
	p->back = spot_group(p).n - done;
	return true;
}

bool spot_defer_signal(struct spot *p, struct err *err)
{
	return spot_move(p, false, err) &&
	       spot_apply_change(p, JOURNAL_DEFER, 1, 0, NULL, 0, err) &&
	       spot_move(p, true, err) &&
	       spot_apply_change(p, JOURNAL_DEFER, 0, 0, NULL, 0, err);
}

bool spot_change(struct spot *p, const struct change *c, struct err *err)
{
	if (!spot_settle(p, err) || (p->ahead && !spot_drop_changes(p, err)) ||
	    (p->frame && !spot_defer_signal(p, err)))
		return false;
	if (spot_parked_thread(p))
		return err_set(err,
		               "the slice of thread %u is over with this cycle: nothing can be "
		               "changed before that; stepi first",
		               os_thread_number(spot_parked_thread(p)));
	return (!p->back || spot_undo_group(p, err)) && run_change(p->s->run, c, err);
}
