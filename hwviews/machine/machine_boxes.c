/* Reads the machine's parts as boxes, each kind in its own way, then finds the box to blame for
 * lost slots. */
#include "hwviews/machine/machine_box.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/pipe/memory/cache.h"
#include "core/pipe/slot_rows.h"
#include "core/pipe/frontend/predictor.h"
#include "core/pipe/xprof/xprof.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/sampler.h"
#include "hwviews/cop/cop_rows.h"
#include "hwviews/grid/setmap.h"
#include "hwviews/reports/report.h"
#include "hwviews/values/vsample_rows.h"

/* Marks a box as present, and sets its fill. */
static struct machine_box *machine_boxes_set_occupancy(struct machine_boxes *m,
                                                       enum machine_box_id id, uint64_t held,
                                                       uint64_t size)
{
	struct machine_box *b = &m->box[id];
	b->there = b->counted = true;
	b->held = held;
	b->size = size;
	return b;
}

__attribute__((format(printf, 3, 4))) static void stalled(struct machine_box *b, bool waits,
                                                          const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(b->stalled, sizeof b->stalled, fmt, ap);
	va_end(ap);
	b->waits = waits;
}

/* Sets the reason why the box's oldest instruction waits, as in the box's view. */
static void stalled_as(const struct pipe *p, struct machine_box *b, const struct uop *oldest)
{
	b->oldest = oldest;
	if (!oldest)
		return;
	const struct why w = uop_why(p, oldest);
	const enum role role = why_role(&w);
	why_cell(p, oldest, &w, b->stalled, sizeof b->stalled);
	b->waits = *b->stalled && (role == ROLE_WAITING || role == ROLE_MISS);
}

/* ---- front end ---- */
static void read_fetch(struct machine_boxes *m, const struct pipe *p)
{
	const struct pipe_state *st = p->st;
	const uint64_t now = st->cycle;
	const struct fetch_why w = pipe_fetch_why(p);
	uint64_t ready = 0;
	for (uint32_t i = 0; i < st->fetchq_count; i++) {
		m->fetched += now && pipe_fetchq_at(p, i)->when.fetch == now - 1;
		ready += pipe_fetchq_at(p, i)->when.avail < now;
	}
	struct machine_box *fetch =
		machine_boxes_set_occupancy(m, BOX_FETCH, m->fetched, p->fetch_width);
	if (w.id == FETCH_REDIRECTED)
		stalled(fetch, true, "redirected, %" PRIu64 " left", w.due - now);
	else if (w.id == FETCH_LINE)
		stalled(fetch, true, "line, %" PRIu64 " left", w.due > now ? w.due - now : 0);
	else if (w.id == FETCH_QUEUE_FULL)
		stalled(fetch, true, "queue full");
	else if (w.id != FETCH_GOES_ON)
		stalled(fetch, true,
		        w.id == FETCH_ENDED  ? "program has ended"
		        : w.id == FETCH_HELD ? "value sampler" : "nowhere to go");
	struct machine_box *queue =
		machine_boxes_set_occupancy(m, BOX_FETCHQ, st->fetchq_count, p->fetchq_limit);
	queue->busy = ready;
	stalled_as(p, queue, st->fetchq_count ? pipe_fetchq_at(p, 0) : NULL);
}

static void read_predictor(struct machine_boxes *m, const struct pipe *p)
{
	const struct bpred *b = &p->bpred;
	struct machine_box *box = &m->box[BOX_BPRED];
	uint64_t valid = 0;
	const uint32_t entries = b->btb_ways ? (b->btb_mask + 1) * b->btb_ways : 0;
	box->there = true;
	box->latency = p->bpred_penalty;
	snprintf(box->about, sizeof box->about, "%s", b->by->title);
	if (p->st->spec_slot != NO_SLOT)
		stalled(box, true, "wrong path");
	for (uint32_t i = 0; i < entries; i++)
		valid += b->btb[i].tag != 0;
	if (entries)
		snprintf(machine_boxes_set_occupancy(m, BOX_BTB, valid, entries)->about,
		         sizeof box->about, "%u-way", b->btb_ways);
	if (b->ras_size)
		machine_boxes_set_occupancy(m, BOX_RAS, b->st->ras_count, b->ras_size);
}

/* ---- window ---- */
static void read_window(struct machine_boxes *m, const struct pipe *p)
{
	const struct pipe_state *st = p->st;
	const uint64_t now = st->cycle;
	uint64_t executing = 0, ready = 0, in_memory = 0;
	for (uint32_t i = 0; i < st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(p, i);
		executing += u->state == UOP_EXECUTING || u->state == UOP_MEMORY;
		ready += u->state == UOP_READY;
		m->dispatched += now && u->when.dispatch == now - 1;
		m->issued += now && u->when.issue == now - 1;
	}
	for (uint32_t i = 0; i < st->lsq_count; i++) {
		const struct uop *u = pipe_lsq_at(p, i);
		in_memory += u->state == UOP_MEMORY;
		m->asked_memory += now && u->when.mem == now - 1;
	}
	struct machine_box *decode =
		machine_boxes_set_occupancy(m, BOX_DECODE, m->dispatched, p->decode_width);
	stalled_as(p, decode, st->fetchq_count ? pipe_fetchq_at(p, 0) : NULL);
	if (!st->fetchq_count)
		stalled(decode, true, "nothing fetched");
	decode->oldest = NULL;
	struct machine_box *rob =
		machine_boxes_set_occupancy(m, BOX_ROB, st->rob_count, p->rob_limit);
	rob->busy = executing;
	stalled_as(p, rob, machine_box_inst(p, BOX_ROB, 0));
	struct machine_box *iq = machine_boxes_set_occupancy(m, BOX_IQ, st->iq_count, p->iq_limit);
	iq->busy = ready;
	stalled_as(p, iq, machine_box_inst(p, BOX_IQ, 0));
	struct machine_box *lsq =
		machine_boxes_set_occupancy(m, BOX_LSQ, st->lsq_count, p->lsq_limit);
	lsq->busy = in_memory;
	stalled_as(p, lsq, machine_box_inst(p, BOX_LSQ, 0));
}

const struct uop *machine_box_inst(const struct pipe *p, enum machine_box_id id, unsigned i)
{
	const struct pipe_state *st = p->st;
	switch (id) {
	case BOX_FETCHQ:
		return i < st->fetchq_count ? pipe_fetchq_at(p, i) : NULL;
	case BOX_ROB:
		return i < st->rob_count ? pipe_rob_at(p, i) : NULL;
	case BOX_LSQ:
		return i < st->lsq_count ? pipe_lsq_at(p, i) : NULL;
	case BOX_IQ:
		for (uint32_t k = 0; k < st->rob_count; k++) {
			const struct uop *u = pipe_rob_at(p, k);
			if ((u->state == UOP_WAITING || u->state == UOP_READY) && !i--)
				return u;
		}
		return NULL;
	default:
		return NULL;
	}
}

/* ---- memory ---- */
static void read_cache(struct machine_boxes *m, enum machine_box_id id, const struct cache *c,
                       uint32_t latency, uint64_t now)
{
	uint64_t valid = 0, coming = 0;
	for (size_t i = 0; i < (size_t)c->sets * c->ways; i++) {
		valid += c->lines[i].tag != 0;
		coming += c->lines[i].tag && c->lines[i].ready > now;
	}
	struct machine_box *b =
		machine_boxes_set_occupancy(m, id, valid, (uint64_t)c->sets * c->ways);
	b->busy = coming;
	b->latency = latency;
	snprintf(b->about, sizeof b->about, "%s, %u-way",
	         format_bytes((uint64_t)c->sets * c->ways << c->line_log2, BUFFER(24)), c->ways);
	if (coming)
		stalled(b, false, "%" PRIu64 " on the way", coming);
}

static void read_tlb(struct machine_boxes *m, enum machine_box_id id, const struct tlb *t,
                     uint32_t penalty, uint64_t now)
{
	uint64_t valid = 0, walks = 0;
	for (size_t i = 0; i < (size_t)t->sets * t->ways; i++) {
		valid += t->entries[i].tag != 0;
		walks += t->entries[i].tag && t->entries[i].ready > now;
	}
	struct machine_box *b =
		machine_boxes_set_occupancy(m, id, valid, (uint64_t)t->sets * t->ways);
	b->busy = walks;
	b->latency = penalty;
	snprintf(b->about, sizeof b->about, "%u-way", t->ways);
	if (walks)
		stalled(b, true, "%" PRIu64 " walk%s", walks, walks == 1 ? "" : "s");
}

static void read_traffic(struct machine_boxes *m, const struct hierarchy *h, uint64_t now)
{
	uint64_t held = 0, waiting = 0, writes = 0, bookings = 0;
	bool transfers = false;
	for (uint32_t i = 0; i < h->st->mshr_count; i++) {
		const struct mshr *miss = &h->st->mshr[i];
		if (miss->ready <= now)
			continue;
		held += miss->since <= now;
		waiting += miss->since > now;
	}
	for (uint32_t i = 0; i < h->wbuf_limit; i++)
		writes += h->st->wbuf.entry[i].until > now;
	for (uint32_t i = 0; i < h->st->bus_count; i++) {
		transfers |= h->st->bus[i].from <= now && h->st->bus[i].until > now;
		bookings += h->st->bus[i].from > now;
	}
	struct machine_box *mshr = machine_boxes_set_occupancy(m, BOX_MSHR, held, h->mshr_limit);
	mshr->busy = held;
	if (waiting)
		stalled(mshr, true, "%" PRIu64 " wait for one", waiting);
	else if (held == h->mshr_limit)
		stalled(mshr, true, "all taken");
	struct machine_box *wbuf = machine_boxes_set_occupancy(m, BOX_WBUF, writes, h->wbuf_limit);
	wbuf->busy = writes;
	if (writes == h->wbuf_limit)
		stalled(wbuf, true, "all taken");
	struct machine_box *bus = machine_boxes_set_occupancy(m, BOX_BUS, transfers, 1);
	bus->busy = transfers;
	bus->latency = h->transfer;
	snprintf(bus->about, sizeof bus->about, "%d bytes", (int)CONFIG(h->cfg, bus_bytes));
	if (bookings)
		stalled(bus, transfers, "%" PRIu64 " to come", bookings);
	/* Lines for L2, whichever unit requested them. */
	struct machine_box *mem =
		machine_boxes_set_occupancy(m, BOX_MEMORY, m->box[BOX_L2].busy, 0);
	mem->busy = mem->held;
	mem->latency = h->mem_latency;
}

static void machine_boxes_read_memory_boxes(struct machine_boxes *m, const struct pipe *p)
{
	const struct hierarchy *h = &p->mem;
	const uint64_t now = p->st->cycle;
	read_cache(m, BOX_L1I, &h->l1i, h->l1i_latency, now);
	read_cache(m, BOX_L1D, &h->l1d, h->l1d_latency, now);
	read_cache(m, BOX_L2, &h->l2, h->l2_latency, now);
	read_tlb(m, BOX_ITLB, &h->itlb, h->tlb_penalty, now);
	read_tlb(m, BOX_DTLB, &h->dtlb, h->tlb_penalty, now);
	read_traffic(m, h, now);
}

/* ---- profilers ---- */
static void read_xprof(struct machine_boxes *m, const struct session *s, const struct pipe *p)
{
	const struct bdt *t = &p->xprof.bdt;
	const uint32_t entries = t->ways ? (t->mask + 1) * t->ways : 0;
	uint64_t valid = 0, locked = 0;
	uint16_t late = 0;
	if (!session_uses_xprof(s))
		return;
	struct machine_box *flags = machine_boxes_set_occupancy(m, BOX_PFLAG, 0, 8);
	flags->held = (uint64_t)__builtin_popcount(xprof_known(p, &late) & 0xff);
	if (late)
		stalled(flags, true, "a poppf brings %s", late & (late - 1) ? "some" : "one");
	for (uint32_t i = 0; i < entries; i++) {
		valid += t->entry[i].leader != 0;
		locked += t->entry[i].leader && t->entry[i].locked;
	}
	if (!entries)
		return;
	struct machine_box *bdt = machine_boxes_set_occupancy(m, BOX_BDT, valid, entries);
	bdt->busy = locked;
	snprintf(bdt->about, sizeof bdt->about, "%u-way", t->ways);
}

static struct machine_box *machine_boxes_find_device_box(struct machine_boxes *m,
                                                         const struct session *s,
                                                         enum machine_box_id id, const char *name)
{
	struct err err;
	m->box[id].there = device_there(s, name, &err);
	return m->box[id].there ? &m->box[id] : NULL;
}

static void read_devices(struct machine_boxes *m, const struct session *s, const struct pipe *p)
{
	static const char *const phases[] = {[PROFILEME_COUNTS] = "counts down",
	                                     [PROFILEME_FOLLOWS] = "follows one",
	                                     [PROFILEME_HOLDS] = "holds a record"};
	const struct config *cfg = p->cfg;
	struct machine_box *b = machine_boxes_find_device_box(m, s, BOX_FIRMWARE, "firmware");
	enum role role;
	if (b) {
		b->busy = p->hart->mode == MODE_M;
		snprintf(b->about, sizeof b->about, "%s", b->busy ? "runs" : "rests");
	}
	b = machine_boxes_find_device_box(m, s, BOX_SAMPLER, "sampler");
	if (b) {
		const struct sampler_state *st = sampler_of(p->prof)->st;
		machine_boxes_set_occupancy(m, BOX_SAMPLER, st->message_count,
		                            (uint64_t)CONFIG(cfg, sampler_message_queue))
			->busy = st->tuple_count;
		snprintf(b->about, sizeof b->about, "messages; %" PRIu64 "/%d tuples",
		         st->tuple_count, (int)CONFIG(cfg, sampler_tuple_queue));
	}
	b = machine_boxes_find_device_box(m, s, BOX_COP, "cop");
	if (b) {
		const struct cop_state *st = cop_of(p->prof)->st;
		machine_boxes_set_occupancy(m, BOX_COP, st->buffer_words,
		                            (uint64_t)CONFIG(cfg, cop_buffer))
			->busy = st->way_count;
		snprintf(b->about, sizeof b->about, "%s", cop_status_words(s, &role));
	}
	b = machine_boxes_find_device_box(m, s, BOX_VSAMPLE, "vsample");
	if (b) {
		machine_boxes_set_occupancy(m, BOX_VSAMPLE, vsample_waiting(p->prof),
		                            (uint64_t)CONFIG(cfg, vsample_queue))
			->busy = vsample_runs(s);
		format_vsample(s, b->about, sizeof b->about);
	}
	b = machine_boxes_find_device_box(m, s, BOX_PROFILEME, "profileme");
	if (b) {
		const struct profileme_state *st = p->prof->profileme->st;
		b->busy = st->phase == PROFILEME_FOLLOWS;
		snprintf(b->about, sizeof b->about, "%s", phases[st->phase]);
		b->oldest = b->busy ? pipe_find(p, st->record.seq) : NULL;
	}
	b = machine_boxes_find_device_box(m, s, BOX_ORACLE, "oracle");
	if (b)
		snprintf(b->about, sizeof b->about, "counts exactly");
}

/* ---- lost slots ---- */
static enum machine_box_id blamed_box(const struct machine_boxes *m, unsigned row)
{
	static const uint8_t of_row[SLOT_COUNT + 1] = {[SLOT_wrong_path] = BOX_BPRED,
	                                               [SLOT_branch_refill] = BOX_BPRED,
	                                               [SLOT_UNRESOLVED] = BOX_BPRED,
	                                               [SLOT_replayed] = BOX_LSQ,
	                                               [SLOT_replay_refill] = BOX_LSQ,
	                                               [SLOT_interrupted] = BOX_DECODE,
	                                               [SLOT_itlb] = BOX_ITLB,
	                                               [SLOT_icache_l2] = BOX_L1I,
	                                               [SLOT_icache_memory] = BOX_L1I,
	                                               [SLOT_misfetch] = BOX_BTB,
	                                               [SLOT_fetch_fill] = BOX_L1I,
	                                               [SLOT_fetch_port] = BOX_FETCH,
	                                               [SLOT_fetch_width] = BOX_FETCH,
	                                               [SLOT_fetch_taken] = BOX_FETCH,
	                                               [SLOT_fetch_line] = BOX_FETCH,
	                                               [SLOT_fetch_queue] = BOX_FETCHQ,
	                                               [SLOT_decode_width] = BOX_DECODE,
	                                               [SLOT_profile_dropped] = BOX_PFLAG,
	                                               [SLOT_profile_wait] = BOX_PFLAG,
	                                               [SLOT_profile_fetch] = BOX_BDT,
	                                               [SLOT_unit_int] = BOX_INT,
	                                               [SLOT_unit_imuldiv] = BOX_IMULDIV,
	                                               [SLOT_unit_fadd] = BOX_FADD,
	                                               [SLOT_unit_fmuldiv] = BOX_FMULDIV,
	                                               [SLOT_unit_mem] = BOX_MEMPORT,
	                                               [SLOT_unit_div] = BOX_DIV,
	                                               [SLOT_issue_width] = BOX_IQ,
	                                               [SLOT_write_port] = BOX_IQ,
	                                               [SLOT_register_write] = BOX_IQ,
	                                               [SLOT_early_branch] = BOX_IQ,
	                                               [SLOT_commit_width] = BOX_ROB,
	                                               [SLOT_commit_delay] = BOX_ROB,
	                                               [SLOT_in_order] = BOX_IQ,
	                                               [SLOT_latency_int] = BOX_INT,
	                                               [SLOT_latency_imuldiv] = BOX_IMULDIV,
	                                               [SLOT_latency_fadd] = BOX_FADD,
	                                               [SLOT_latency_fmuldiv] = BOX_FMULDIV,
	                                               [SLOT_serial] = BOX_DECODE,
	                                               [SLOT_forward] = BOX_LSQ,
	                                               [SLOT_store_order] = BOX_LSQ,
	                                               [SLOT_dtlb] = BOX_DTLB,
	                                               [SLOT_l1d] = BOX_L1D,
	                                               [SLOT_l1d_port] = BOX_L1D,
	                                               [SLOT_os_switch] = BOX_DECODE,
	                                               [SLOT_l2] = BOX_L2,
	                                               [SLOT_l2_held] = BOX_L2,
	                                               [SLOT_memory] = BOX_MEMORY,
	                                               [SLOT_bus] = BOX_BUS,
	                                               [SLOT_mshr] = BOX_MSHR,
	                                               [SLOT_write_buffer] = BOX_WBUF,
	                                               [SLOT_fault] = BOX_DECODE,
	                                               [SLOT_firmware] = BOX_FIRMWARE,
	                                               [SLOT_vsample] = BOX_VSAMPLE};
	const enum machine_box_id id = (enum machine_box_id)of_row[row];
	if (m->box[id].there)
		return id;
	if (id == BOX_BTB)
		return BOX_BPRED;
	if (!m->textbook)
		return BOX_DECODE;
	return id == BOX_FETCH || id == BOX_FETCHQ ? BOX_IF : id == BOX_LSQ ? BOX_MEM : BOX_ID;
}

static void read_lost(struct machine_boxes *m, const struct pipe *p)
{
	const uint64_t now = p->st->cycle;
	unsigned taken = m->dispatched;
	for (uint32_t i = 0; now && i < p->pool_size; i++)
		taken += (p->pool[i].state == UOP_DROPPED || p->pool[i].state == UOP_CONTROL) &&
		         p->pool[i].when.end == now - 1;
	m->slots = now ? p->slots : 0;
	m->lost = m->slots > taken ? m->slots - taken : 0;
	m->blamed = m->lost ? blamed_box(m, p->st->slot_row) : BOX_COUNT;
	if (m->lost)
		m->box[m->blamed].lost = m->lost;
}

void machine_boxes_read(const struct session *s, struct machine_boxes *m)
{
	const struct pipe *p = machine_pipe(s->machine);
	*m = (struct machine_boxes){.textbook = machine_is_textbook(p)};
#define B(id, title, opens, of)                                                                    \
	m->box[BOX_##id] = (struct machine_box){                                                   \
		.name = title, .view = opens, .kind = BOX_##of, .latency = -1};
	MACHINE_BOXES(B)
#undef B
	read_fetch(m, p);
	read_predictor(m, p);
	read_window(m, p);
	machine_units_read(m, p);
	machine_boxes_read_memory_boxes(m, p);
	read_xprof(m, s, p);
	read_devices(m, s, p);
	if (m->textbook)
		machine_textbook_read(m, p);
	read_lost(m, p);
}

const char *machine_brief_reason(const char *reason, unsigned room, char *buf, size_t n)
{
	static const struct {
		const char *name, *brief;
	} briefs[] = {{"reorder buffer ", "ROB "}, {"load/store queue ", "LSQ "},
	              {"issue queue ", "IQ "}, {"write buffer ", "writes "}};
	for (size_t i = 0; strlen(reason) > room && i < sizeof briefs / sizeof *briefs; i++) {
		const size_t length = strlen(briefs[i].name);
		if (!strncmp(reason, briefs[i].name, length)) {
			snprintf(buf, n, "%s%s", briefs[i].brief, reason + length);
			return buf;
		}
	}
	return reason;
}
