#include "core/machine/change.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/defs/devices.h"
#include "core/isa/csr.h"
#include "core/machine/machine_priv.h"
#include "core/os/linux.h"
#include "core/os/thread.h"
#include "core/pipe/new_code.h"
#include "core/pipe/slot_rows.h"
#include "core/pipe/xprof/xprof.h"

/* Precedes the bytes in an entry's payload. */
struct words {
	uint64_t a, b;
};

enum { PARKED_SHIFT = 8, PARKED_MASK = 0xff };

struct kind {
	/* Whether such a change can exist in any machine. */
	bool (*formed)(const struct change *c);
	/* Whether it can be made now; then make() can't fail. Has no visible effect. */
	bool (*possible)(struct machine *m, const struct change *c, struct err *err);
	void (*make)(struct machine *m, const struct change *c);
};

/* ---- a register ---- */
static bool reg_formed(const struct change *c)
{
	return c->a > REG_ZERO && c->a < REG_SINK && !c->n;
}

/* RV32's integer registers are kept sign-extended. */
static uint64_t reg_kept(const struct machine *m, const struct change *c)
{
	return machine_isa(m) == ISA_RV32GC && c->a < REG_F0 ? (uint64_t)(int64_t)(int32_t)c->b
	                                                     : c->b;
}

static bool reg_possible(struct machine *m, const struct change *c, struct err *err)
{
	if (!reg_formed(c))
		return err_set(err, "x0 is always zero: set one of x1..x31, f0..f31");
	return c->b == reg_kept(m, c) || c->b <= UINT32_MAX ||
	       err_set(err, "%s has 32 bits, and 0x%llx does not fit", reg_name((unsigned)c->a),
	               (unsigned long long)c->b);
}

static void reg_make(struct machine *m, const struct change *c)
{
	m->pipe.hart->r[c->a] = m->pipe.st->creg[c->a] = reg_kept(m, c);
}

/* ---- pc ---- */
static bool pc_formed(const struct change *c)
{
	return !(c->a & 1) && c->b <= PIPE_WIDTH_MAX && !c->n;
}

static bool pc_possible(struct machine *m, const struct change *c, struct err *err)
{
	if (!pc_formed(c))
		return err_set(err, "0x%llx is odd: pc is an even address",
		               (unsigned long long)c->a);
	return machine_isa(m) != ISA_RV32GC || c->a <= UINT32_MAX ||
	       err_set(err, "pc has 32 bits, and 0x%llx does not fit", (unsigned long long)c->a);
}

static void pc_make(struct machine *m, const struct change *c)
{
	m->pipe.st->commit_pc = m->pipe.st->fetch_pc = m->pipe.hart->pc = c->a;
}

/* ---- a control and status register ---- */
static bool csr_formed(const struct change *c)
{
	return c->a < 4096 && !c->n;
}

/* Writes it as M-mode would; false if there is no such register or it can't be written. */
static bool csr_set(struct hart *h, uint64_t csr, uint64_t value)
{
	uint64_t mode = h->mode;
	h->mode = MODE_M;
	bool written = csr_write(h, (unsigned)csr, value);
	h->mode = mode;
	return written;
}

/* Value of a register after this write. */
static uint64_t csr_after(struct hart trial, unsigned csr, uint64_t value)
{
	uint64_t kept = 0;
	trial.mode = MODE_M;
	csr_write(&trial, csr, value);
	csr_read(&trial, csr, &kept);
	return kept;
}

/* Whether the register can hold the value. Instructions may write more than it holds; for a user
 * that is an error. */
static bool csr_holds(const struct hart *h, const char *name, unsigned csr, uint64_t value,
                      struct err *err)
{
	const unsigned long long kept = csr_after(*h, csr, value), wanted = value;
	const unsigned long long bits = csr_after(*h, csr, UINT64_MAX) & ~csr_after(*h, csr, 0);
	if (kept == wanted)
		return true;
	if (!bits)
		return err_set(err, "%s stays 0x%llx, whatever is written to it", name, kept);
	if (!(wanted & ~bits))
		return err_set(err, "%s can't be 0x%llx: it would be 0x%llx", name, wanted, kept);
	if (!(bits & (bits + 1)))
		return err_set(err, "%s can't be 0x%llx: it holds 0 to 0x%llx", name, wanted, bits);
	return err_set(err, "%s can't be 0x%llx: it holds bits of 0x%llx", name, wanted, bits);
}

static bool csr_possible(struct machine *m, const struct change *c, struct err *err)
{
	struct hart trial = *m->pipe.hart;
	char buf[16];
	const char *name = csr_formed(c) ? csr_name((unsigned)c->a, buf, sizeof buf) : NULL;
	if (!name)
		return err_set(err, "there is no control register %llu", (unsigned long long)c->a);
	const char *lack =
		csr_lack((unsigned)c->a, machine_isa(m),
		         CONFIG(&m->cfg, firmware) || m->pipe.hart->tohost,
	                 CONFIG(&m->cfg, xprof));
	if (lack)
		return err_set(err, "%s is %s", name, lack);
	if (!csr_set(&trial, c->a, c->b))
		return err_set(err, "%s can only be read", name);
	return csr_holds(m->pipe.hart, name, (unsigned)c->a, c->b, err);
}

static void csr_make(struct machine *m, const struct change *c)
{
	if (csr_is_pic((unsigned)c->a))
		stat_fill_counter(m->stats, m->pipe.hart, (unsigned)c->a, &m->pipe.memo);
	csr_set(m->pipe.hart, c->a, c->b);
	m->pipe.st->cfcsr = m->pipe.hart->fcsr;
	xprof_adopt(&m->pipe);
}

/* ---- memory ---- */
static bool memory_formed(const struct change *c)
{
	return !c->b && c->n;
}

static bool memory_possible(struct machine *m, const struct change *c, struct err *err)
{
	uint8_t was;
	unsigned long long at = c->a;
	if (!memory_formed(c))
		return err_set(err, "no bytes to write");
	if (c->n > MEM_TOP || !mem_is_mapped(m->mem, c->a & ~(uint64_t)(PAGE_BYTES - 1),
	                                     c->n + (c->a & (PAGE_BYTES - 1))))
		return err_set(err, "0x%llx is not mapped memory of the guest", at);
	/* Writing the present bytes takes all the memory that the change will need. */
	for (uint64_t done = 0; done < c->n;
	     done += PAGE_BYTES - ((c->a + done) & (PAGE_BYTES - 1)))
		if (!mem_peek(m->mem, c->a + done, &was, 1) ||
		    !mem_poke(m->mem, c->a + done, &was, 1))
			return err_set(err, "out of memory for a change at 0x%llx", at);
	return true;
}

static void memory_make(struct machine *m, const struct change *c)
{
	bool written = mem_poke(m->mem, c->a, c->bytes, c->n);
	assert(written);
	(void)written;
	if (!(mem_extent(m->mem, c->a, c->a + c->n).prot & PROT_X))
		return;
	m->pipe.events.count = 0;
	pipe_code_written(&m->pipe, c->a, c->n);
	events_deliver(m);
}

/* ---- an attachment's state ---- */
static bool attachment_formed(const struct change *c)
{
	return !c->b && c->n;
}

static bool attachment_possible(struct machine *m, const struct change *c, struct err *err)
{
	if (!attachment_formed(c))
		return err_set(err, "no bytes for an attachment's change");
	return attachments_know(m, c->a) ||
	       err_set(err, "this machine has no attachment with the key 0x%llx",
	               (unsigned long long)c->a);
}

static void attachment_make(struct machine *m, const struct change *c)
{
	attachments_change(m, c->a, c->bytes, c->n);
}

/* ---- a device's registers ---- */
static bool device_formed(const struct change *c)
{
	struct device_write w;
	if (c->a >= DEVICE_COUNT || c->b || !c->n || c->n % sizeof w)
		return false;
	for (size_t at = 0; at < c->n; at += sizeof w) {
		memcpy(&w, (const uint8_t *)c->bytes + at, sizeof w);
		if (w.offset % sizeof(uint64_t) ||
		    w.offset >= device_register_bytes((enum device_id)c->a))
			return false;
	}
	return true;
}

static bool device_possible(struct machine *m, const struct change *c, struct err *err)
{
	if (c->a >= DEVICE_COUNT)
		return err_set(err, "there is no device %llu: there are 0 to %d",
		               (unsigned long long)c->a, DEVICE_COUNT - 1);
	const struct device *v = devices[c->a];
	const struct device_row *row = &device_rows[c->a];
	if (!device_exists(&m->cfg, (enum device_id)c->a))
		return err_set(err, "this machine has no %s: start with %s", row->name,
		               row->option);
	if (!v->write)
		return err_set(err, "%s has no registers", row->name);
	if (!c->n)
		return err_set(err, "no registers of %s to write", row->name);
	return device_formed(c) ||
	       err_set(err, "registers of %s lie at multiples of 8 below 0x%llx", row->name,
	               (unsigned long long)device_register_bytes((enum device_id)c->a));
}

static void device_make(struct machine *m, const struct change *c)
{
	prof_write_all(&m->prof, (enum device_id)c->a, c->bytes,
	               c->n / sizeof(struct device_write));
}

/* ---- signals held back from the program ---- */
static bool signals_formed(const struct change *c)
{
	return !c->b && !c->n;
}

static bool signals_possible(struct machine *m, const struct change *c, struct err *err)
{
	(void)m;
	return signals_formed(c) || err_set(err, "signals are given as one word of 64 bits");
}

static void signals_make(struct machine *m, const struct change *c)
{
	os_hold_back(m->os, c->a);
	m->pipe.st->signals_at = m->os_port.signals_due(m);
}

static bool defer_formed(const struct change *c)
{
	return c->a <= 1 && !c->b && !c->n;
}

static bool defer_possible(struct machine *m, const struct change *c, struct err *err)
{
	(void)m;
	return defer_formed(c) || err_set(err, "signals are deferred (1) or not (0)");
}

static void defer_make(struct machine *m, const struct change *c)
{
	os_defer_signals(m->os, c->a);
	m->pipe.st->signals_at = m->os_port.signals_due(m);
}

/* ---- a signal ---- */
static bool signal_formed(const struct change *c)
{
	struct signal_info sent = {.signo = 1};
	if (c->n == sizeof sent)
		memcpy(&sent, c->bytes, sizeof sent);
	else if (c->n)
		return false;
	return c->a < OS_SIGNALS && c->b <= GUEST_PID + THREAD_NUMBERS && sent.signo > 0 &&
	       sent.signo < OS_SIGNALS;
}

static bool signal_possible(struct machine *m, const struct change *c, struct err *err)
{
	const int i = c->b ? os_thread_find(m->os, (uint32_t)c->b) : 0;
	if (!signal_formed(c))
		return err_set(err, "signals have the numbers 1 to 64");
	return (i >= 0 && (!c->b || os_threads(m->os)[i].state != THREAD_ENDED)) ||
	       err_set(err, "no thread that could continue has the number %llu",
	               (unsigned long long)c->b);
}

static void signal_make(struct machine *m, const struct change *c)
{
	struct signal_info sent;
	if (c->n)
		memcpy(&sent, c->bytes, sizeof sent);
	/* a timer may expire now */
	os_signals_wanted(m->os, machine_guest_cycle(m));
	os_exchange_signal(m->os, (uint32_t)c->b, c->a, c->n ? &sent : NULL);
	m->pipe.st->signals_at = m->os_port.signals_due(m);
}

/* ---- a register of a thread that does not run ---- */
static bool parked_formed(const struct change *c)
{
	enum { FCSR_MAX = 0xff };
	const uint64_t reg = c->a & PARKED_MASK;
	return reg > REG_ZERO && reg < PARKED_COUNT && c->a >> PARKED_SHIFT <= THREAD_NUMBERS &&
	       !c->n && !(reg == PARKED_PC && c->b & 1) &&
	       !(reg == PARKED_FCSR && c->b > FCSR_MAX);
}

static bool parked_possible(struct machine *m, const struct change *c, struct err *err)
{
	if (!parked_formed(c))
		return err_set(err, "a thread's registers are x1..x31, f0..f31, pc (even) and "
		                    "fcsr (8 bits)");
	return os_may_set_parked(m->os, (uint32_t)(c->a >> PARKED_SHIFT), err);
}

static void parked_make(struct machine *m, const struct change *c)
{
	const unsigned reg = c->a & PARKED_MASK;
	const bool narrow = machine_isa(m) == ISA_RV32GC && reg < REG_F0;
	os_set_parked(m->os, (uint32_t)(c->a >> PARKED_SHIFT), reg,
	              narrow ? (uint64_t)(int64_t)(int32_t)c->b : c->b);
	if (m->viewpoint == &m->thread_viewpoint)
		machine_see_thread(m, m->thread_viewpoint.tid);
}

/* ---- threads held ---- */
static bool hold_formed(const struct change *c)
{
	return !c->b && !c->n;
}

static bool hold_possible(struct machine *m, const struct change *c, struct err *err)
{
	(void)m;
	return hold_formed(c) || err_set(err, "held threads are given as one word of 64 bits");
}

static void hold_make(struct machine *m, const struct change *c)
{
	os_hold(m->os, c->a);
	if (!(c->a >> os_running(m->os) & 1))
		return;
	/* A held thread gives the hart away at once, before its signals act. Those of the next
	 * thread act in the next cycle, before which debuggers can stop. */
	os_defer_signals(m->os, true);
	machine_end_slice(m);
	os_defer_signals(m->os, false);
}

bool change_of_thread(const struct os_thread *t, struct change *c, struct err *err)
{
	enum { FRM_SHIFT = 5, FRM_MASK = 0xe0, FLAGS_MASK = 0x1f };
	uint64_t reg = c->a, value = c->b;
	if (!t || (c->kind != JOURNAL_REG && c->kind != JOURNAL_PC && c->kind != JOURNAL_CSR))
		return true;
	if (c->kind == JOURNAL_PC) {
		reg = PARKED_PC;
		value = c->a;
	} else if (c->kind == JOURNAL_CSR) {
		reg = PARKED_FCSR;
		if (c->a == CSR_FFLAGS)
			value = (t->fcsr & FRM_MASK) | (c->b & FLAGS_MASK);
		else if (c->a == CSR_FRM)
			value = (t->fcsr & FLAGS_MASK) | c->b << FRM_SHIFT;
		else if (c->a != CSR_FCSR)
			return err_set(err,
			               "thread %u does not run now: of its control registers only "
			               "fcsr, fflags and frm can be set",
			               os_thread_number(t));
	}
	*c = (struct change){
		.kind = JOURNAL_PARKED, .a = (uint64_t)t->tid << PARKED_SHIFT | reg, .b = value};
	return true;
}

static const struct kind kinds[JOURNAL_KINDS] = {
#define ANSWER(id, text)
#define CHANGE(id, function, text, a, b, bytes)                                                    \
	[JOURNAL_##id] = {function##_formed, function##_possible, function##_make},
#include "core/os/journal.def"
#undef ANSWER
#undef CHANGE
};

/* ---- making ---- */
static struct change read_entry(const struct journal_entry *e, const void *payload)
{
	struct words w;
	memcpy(&w, payload, sizeof w);
	return (struct change){.kind = e->kind,
	                       .a = w.a,
	                       .b = w.b,
	                       .bytes = (const uint8_t *)payload + sizeof w,
	                       .n = e->n - sizeof w};
}

bool change_ok(const struct journal_entry *e, const void *payload)
{
	if (e->n < sizeof(struct words) || e->ret || e->key)
		return false;
	const struct change c = read_entry(e, payload);
	return kinds[c.kind].formed(&c);
}

static void change_write_journal_entry(struct machine *m, const struct change *c)
{
	if (c->kind == JOURNAL_ATTACHMENT)
		attachments_wake(m, c->a);
	struct journal_entry *e = journal_open(&m->journal, c->kind, 0, machine_guest_cycle(m),
	                                       sizeof(struct words) + c->n);
	struct words w = {c->a, c->b};
	assert(e);
	memcpy(e + 1, &w, sizeof w);
	if (c->n)
		memcpy((uint8_t *)(e + 1) + sizeof w, c->bytes, c->n);
	e->n = sizeof w + c->n;
	journal_close(&m->journal, e);
}

/* Changes outside the machine leave the pipeline alone, unless its thread is to be held. */
static bool change_drains_pipeline(const struct machine *m, const struct change *c)
{
	if (c->kind == JOURNAL_HOLD)
		return c->a >> os_running(m->os) & 1;
	return c->kind != JOURNAL_ATTACHMENT && c->kind != JOURNAL_SIGNALS &&
	       c->kind != JOURNAL_DEFER && c->kind != JOURNAL_PARKED;
}

/* Empties the pipeline. A program that a fault has ended is back before the instruction that
 * faulted. */
static void change_begin(struct machine *m, const struct change *c)
{
	struct outcome *end = &m->pipe.st->outcome;
	if (!change_drains_pipeline(m, c))
		return;
	machine_drain(m);
	if (end->status == MACHINE_FAULTED)
		*end = (struct outcome){0};
}

static size_t change_journal_entry_bytes(const struct change *c)
{
	return journal_entry_bytes(sizeof(struct words) + c->n);
}

bool machine_change(struct machine *m, const struct change *c, struct err *err)
{
	const struct kind *k = &kinds[c->kind];
	if (m->repeating)
		return err_set(
			err,
			"the past is being executed again: change the machine when it has stopped");
	if (m->in_listener)
		return err_set(err, "hooks are running for a cycle: they can request changes at "
		                    "its end, not make any");
	if (!k->possible(m, c, err))
		return false;
	if (!journal_reserve(&m->journal, 1, change_journal_entry_bytes(c)))
		return err_set(err, "out of memory for the journal");
	os_log_cut(m->os);
	change_write_journal_entry(m, c);
	change_begin(m, c);
	k->make(m, c);
	changes_make(m); /* requested by listeners of the drain's events */
	return true;
}

/* ---- requests by listeners and alarms ---- */
/* Entry of the queue; its bytes follow, padded like a journal entry's. */
struct asked {
	uint64_t kind, a, b, n;
};

static size_t asked_bytes(const struct asked *q)
{
	return sizeof *q + (size_t)((q->n + 7) & ~UINT64_C(7));
}

static bool queue_reserve(struct change_queue *q, size_t more)
{
	size_t cap = q->cap ? q->cap : 1024;
	while (cap < q->used + more)
		cap *= 2;
	uint8_t *grown = cap > q->cap ? alloc_resize(q->bytes, cap) : q->bytes;
	if (!grown)
		return false;
	q->bytes = grown;
	q->cap = cap;
	return true;
}

bool machine_change_later(struct machine *m, const struct change *c, struct err *err)
{
	struct change_queue *q = &m->later;
	const struct asked head = {.kind = c->kind, .a = c->a, .b = c->b, .n = c->n};
	if (m->repeating)
		return err_set(
			err, "the past is being executed again: nothing can be changed on the way");
	if (!m->in_listener)
		return err_set(
			err, "no hook runs now: change the machine at once, not at a cycle's end");
	if (!kinds[c->kind].possible(m, c, err))
		return false;
	if (!queue_reserve(q, asked_bytes(&head)))
		return err_set(err, "out of memory for a change at the end of the cycle");
	if (!journal_reserve(&m->journal, q->count + 1,
	                     q->entries_bytes + change_journal_entry_bytes(c)))
		return err_set(err, "out of memory for the journal");
	memcpy(q->bytes + q->used, &head, sizeof head);
	if (c->n)
		memcpy(q->bytes + q->used + sizeof head, c->bytes, c->n);
	q->used += asked_bytes(&head);
	q->entries_bytes += change_journal_entry_bytes(c);
	q->count++;
	m->request |= REQUEST_TURN;
	return true;
}

void changes_make(struct machine *m)
{
	struct change_queue *q = &m->later;
	if (!q->count)
		return;
	if (m->changed_cycle > machine_cycle(m))
		m->changed_cycle = machine_cycle(m);
	os_log_cut(m->os);
	for (size_t at = 0; at < q->used;) {
		struct asked head;
		memcpy(&head, q->bytes + at, sizeof head);
		struct change c = {.kind = (enum journal_kind)head.kind,
		                   .a = head.a,
		                   .b = head.b,
		                   .n = head.n};
		c.bytes = q->bytes + at + sizeof head;
		change_write_journal_entry(m, &c);
		change_begin(m, &c); /* its listeners may request more: the queue grows and moves */
		c.bytes = q->bytes + at + sizeof head;
		kinds[c.kind].make(m, &c);
		at += asked_bytes(&head);
	}
	q->used = q->count = q->entries_bytes = 0;
}

/* ---- repeating ---- */
/* The next change, if it is due in this cycle. */
static const struct journal_entry *changes_next_due_entry(const struct machine *m)
{
	const struct journal_entry *e =
		changes_due(m) ? journal_at(&m->journal, m->journal.st->pos) : NULL;
	return e && journal_is_change(e->kind) && e->cycle == machine_guest_cycle(m) ? e : NULL;
}

size_t changes_pages(const struct machine *m)
{
	const struct journal_entry *e = changes_next_due_entry(m);
	return e && e->kind == JOURNAL_MEMORY ? (size_t)(e->n / PAGE_BYTES + 2) : 0;
}

/* Makes the machine wait until the user has seen the message, and continues. */
static bool wait_for_a_look(struct machine *m, const char *then)
{
	host_memory_wait(&m->scarce, m->change_lost);
	m->scarce.then = then;
	return false;
}

/* True if the next journaled change was due at a place that this run missed, so that the recorded
 * future belongs to another execution. Waits once for the user, then drops that future when the
 * machine continues. */
static bool changes_discard_missed(struct machine *m)
{
	const uint64_t here = m->journal.st->pos + 1;
	if (m->passed_by != here) {
		m->passed_by = here;
		snprintf(m->change_lost, sizeof m->change_lost,
		         "the machine did not reach the place of a recorded change");
		return wait_for_a_look(m, "continue goes on without the recording");
	}
	m->passed_by = 0;
	os_log_cut(m->os);
	return true;
}

bool changes_repeat(struct machine *m)
{
	if (m->scarce.waits) /* not yet seen by the user */
		return false;
	while (changes_next_due_entry(m)) {
		if (!machine_reserve_change(m))
			return false;
		const struct journal_entry *e =
			journal_take_change(&m->journal, machine_guest_cycle(m));
		struct change c = read_entry(e, journal_payload(e));
		struct err err;
		if (change_drains_pipeline(m, &c)) {
			/* its listeners may request changes: the journal moves */
			change_begin(m, &c);
			e = journal_at(&m->journal, m->journal.st->pos - 1);
			c = read_entry(e, journal_payload(e));
		}
		if (kinds[c.kind].possible(m, &c, &err))
			kinds[c.kind].make(m, &c);
		else if (c.kind != JOURNAL_ATTACHMENT) { /* a detached one needs no state */
			snprintf(m->change_lost, sizeof m->change_lost,
			         "a change that was made here can't be made again: %.300s",
			         err.msg);
			return wait_for_a_look(m, "continue goes on without it");
		}
	}
	return journal_next_change(&m->journal) > machine_guest_cycle(m) ||
	       changes_discard_missed(m);
}

bool changes_catch_up(struct machine *m)
{
	while (changes_due(m) && !changes_repeat(m))
		if (!machine_goes_on(m))
			return false;
	return true;
}

static bool entry_ok(const struct journal_entry *e, const void *payload)
{
	return journal_is_change(e->kind) ? change_ok(e, payload) : os_answer_ok(e, payload);
}

bool machine_load_journal(struct machine *m, const void *bytes, size_t n, struct err *err)
{
	return journal_load(&m->journal, bytes, n, entry_ok, err);
}

/* Whether a squash at the end of this cycle would do nothing: several changes in a cycle cost one
 * squash. */
static bool machine_is_drained(const struct machine *m)
{
	const struct pipe_state *st = m->pipe.st;
	return !st->rob_count && !st->fetchq_count && st->fetch_pc == st->commit_pc &&
	       m->pipe.hart->pc == st->commit_pc && st->fetch_line == UINT64_MAX &&
	       !st->fetch_waits && !st->fetch_blocked && !st->dispatch_blocked &&
	       st->after_squash && st->redirect_until == st->cycle;
}

void machine_drain(struct machine *m)
{
	struct pipe_state *st = m->pipe.st;
	if (machine_is_drained(m))
		return;
	m->pipe.events.count = 0;
	m->prof.squash = (struct squash_cause){.fate = PROFILEME_FATE_OTHER};
	pipe_squash(&m->pipe, 0, st->commit_pc, st->cycle, SLOT_interrupted);
	events_deliver(m);
}
