/* The cells of `view machine`, against a plain reading of the state after many cycles: occupancies,
 * work in progress, waits, slots lost, and the size of pictures. */
#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/pipe/memory/cache.h"
#include "core/pipe/slot_rows.h"
#include "core/pipe/xprof/xprof.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/values/vsample.h"
#include "hwviews/grid/picture.h"
#include "tests/unit/cells/machine_boxes.h"

/* ---- parts ---- */
static struct told cache_told(const struct cache *cache, int64_t latency, uint64_t now)
{
	struct told t = {
		.counted = true, .size = (uint64_t)cache->sets * cache->ways, .latency = latency};
	const uint64_t bytes = t.size << cache->line_log2;
	for (uint64_t i = 0; i < t.size; i++) {
		t.held += cache->lines[i].tag != 0;
		t.busy += cache->lines[i].tag && cache->lines[i].ready > now;
	}
	t.about = text_of("%llu %s, %u-way", (ull)(bytes >= 1 << 20 ? bytes >> 20 : bytes >> 10),
	                  bytes >= 1 << 20 ? "MB" : "KB", cache->ways);
	if (t.busy)
		t.stalled = text_of("%llu on the way", (ull)t.busy);
	return t;
}

static struct told tlb_told(const struct tlb *tlb, int64_t penalty, uint64_t now)
{
	struct told t = {.counted = true,
	                 .size = (uint64_t)tlb->sets * tlb->ways,
	                 .latency = penalty,
	                 .about = text_of("%u-way", tlb->ways)};
	for (uint64_t i = 0; i < t.size; i++) {
		t.held += tlb->entries[i].tag != 0;
		t.busy += tlb->entries[i].tag && tlb->entries[i].ready > now;
	}
	if (t.busy)
		t.stalled = text_of("%llu walk%s", (ull)t.busy, t.busy == 1 ? "" : "s");
	return t;
}

static const char *fetch_waits(const struct pipe *p)
{
	const struct pipe_state *st = p->st;
	if (st->outcome.status != MACHINE_RUNNING)
		return "program has ended";
	if (p->prof->vsample && p->prof->vsample->st && p->prof->vsample->st->phase)
		return "value sampler";
	if (st->fetch_blocked)
		return "nowhere to go";
	if (st->redirect_until > st->cycle)
		return text_of("redirected, %llu left", (ull)(st->redirect_until - st->cycle));
	if (st->fetchq_count == (uint64_t)p->cfg->fetch_queue)
		return "queue full";
	return st->fetch_waits
	               ? text_of("line, %llu left",
	                         (ull)(st->fetch_ready > st->cycle ? st->fetch_ready - st->cycle
	                                                           : 0))
	               : "";
}

static void read_front(struct cells *c, const struct session *s, uint64_t fetched, bool textbook)
{
	const struct pipe *p = pipe_of(s);
	const struct hierarchy *h = &p->mem;
	static const char *const kinds[] = {"bimodal",  "two-level",    "gshare",
	                                    "combined", "always taken", "never taken"};
	struct told btb = {.counted = true, .latency = -1}, ras = {.counted = true, .latency = -1};
	if (!textbook)
		read_box(c, s, "fetch", "source",
		         (struct told){.counted = true,
		                       .held = fetched,
		                       .size = (uint64_t)p->cfg->fetch_width,
		                       .latency = -1,
		                       .stalled = fetch_waits(p)});
	read_box(c, s, "L1I", "l1i", cache_told(&h->l1i, p->cfg->l1i_latency, p->st->cycle));
	read_box(c, s, "ITLB", "tlb", tlb_told(&h->itlb, p->cfg->tlb_penalty, p->st->cycle));
	read_box(c, s, "predictor", "bpred",
	         (struct told){.latency = p->cfg->bpred_penalty,
	                       .about = kinds[p->cfg->bpred_kind],
	                       .stalled = p->st->spec_slot != NO_SLOT ? "wrong path" : ""});
	btb.size = (uint64_t)(p->cfg->btb_sets * p->cfg->btb_ways);
	for (uint64_t i = 0; i < btb.size; i++)
		btb.held += p->bpred.btb[i].tag != 0;
	btb.about = text_of("%d-way", (int)p->cfg->btb_ways);
	if (btb.size)
		read_box(c, s, "BTB", "btb", btb);
	ras.size = (uint64_t)p->cfg->ras_size;
	ras.held = p->bpred.st->ras_count;
	if (ras.size)
		read_box(c, s, "return stack", "ras", ras);
}

static void read_units(struct cells *c, const struct session *s, bool textbook)
{
	const struct pipe *p = pipe_of(s);
	const char *const names[] = {"int", "imuldiv", "fadd", "fmuldiv", "mem", "div"};
	const int64_t latency[] = {p->cfg->lat_int,  p->cfg->lat_imul, p->cfg->lat_fadd,
	                           p->cfg->lat_fmul, p->cfg->lsq_agen, p->cfg->lat_idiv};
	for (unsigned pool = 0; pool < 6; pool++) {
		struct told t = {
			.counted = true, .size = p->fu_count[pool], .latency = latency[pool]};
		for (unsigned unit = 0; unit < p->fu_count[pool]; unit++) {
			const bool taken = p->st->fu[pool][unit].busy_until > p->st->cycle;
			bool used = taken;
			for (uint32_t i = p->st->rob_count; i-- > 0;) {
				const struct uop *u = pipe_rob_at(p, i);
				if (u->state != UOP_EXECUTING || u->at.pool != pool ||
				    u->at.unit != unit || (u->flags & UF_ADDR_KNOWN))
					continue;
				used = true;
				if (!t.oldest || t.oldest->seq > u->seq)
					t.oldest = u;
			}
			t.held += used;
			t.busy += taken;
		}
		if (p->st->denied >> pool & 1)
			t.stalled = text_of("%u ready found none", p->st->denied_count[pool]);
		if (t.size && !(textbook && pool == 4))
			read_box(c, s, names[pool], "fu", t);
	}
}

static void machine_cells_check_memory_rows(struct cells *c, const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	const struct hierarchy *h = &p->mem;
	const struct hierarchy_state *st = h->st;
	const uint64_t now = p->st->cycle;
	struct told wbuf = {.counted = true, .size = (uint64_t)p->cfg->l1d_wbuf, .latency = -1},
		    mshr = {.counted = true, .size = (uint64_t)p->cfg->l1d_mshrs, .latency = -1};
	struct told bus = {.counted = true,
	                   .size = 1,
	                   .latency = p->cfg->l2_line / p->cfg->bus_bytes * p->cfg->bus_cycles},
		    memory = {.counted = true, .latency = p->cfg->mem_latency};
	uint64_t waiting = 0, to_come = 0;
	if (bus.latency < p->cfg->bus_cycles)
		bus.latency = p->cfg->bus_cycles;
	for (uint64_t i = 0; i < wbuf.size; i++)
		wbuf.held += st->wbuf.entry[i].until > now;
	wbuf.busy = wbuf.held;
	if (wbuf.held == wbuf.size)
		wbuf.stalled = "all taken";
	read_box(c, s, "write buffer", "mshr", wbuf);
	read_box(c, s, "DTLB", "tlb", tlb_told(&h->dtlb, p->cfg->tlb_penalty, now));
	read_box(c, s, "L1D", "l1d", cache_told(&h->l1d, p->cfg->l1d_latency, now));
	for (uint32_t i = 0; i < st->mshr_count; i++)
		if (st->mshr[i].ready > now) {
			const bool begun = st->mshr[i].since <= now;
			mshr.held += begun;
			waiting += !begun;
		}
	wait_for_registers += waiting;
	mshr.busy = mshr.held;
	for (uint64_t i = 0; i < (uint64_t)h->l2.sets * h->l2.ways; i++)
		memory.held += h->l2.lines[i].tag && h->l2.lines[i].ready > now;
	memory.busy = memory.held;
	mshr.stalled = waiting                  ? text_of("%llu wait for one", (ull)waiting)
	               : mshr.held == mshr.size ? "all taken"
	                                        : "";
	read_box(c, s, "miss registers", "mshr", mshr);
	read_box(c, s, "L2", "l2", cache_told(&h->l2, p->cfg->l2_latency, now));
	for (uint32_t i = 0; i < st->bus_count; i++) {
		bus.held |= st->bus[i].from <= now && now < st->bus[i].until;
		to_come += st->bus[i].from > now;
	}
	bus.busy = bus.held;
	bus.about = text_of("%d bytes", (int)p->cfg->bus_bytes);
	if (to_come)
		bus.stalled = text_of("%llu to come", (ull)to_come);
	read_box(c, s, "bus", "mshr", bus);
	read_box(c, s, "memory", "mshr", memory);
}

static void machine_cells_check_device_rows(struct cells *c, const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	const struct bdt *bdt = &p->xprof.bdt;
	struct told t;
	uint16_t late;
	if (session_uses_xprof(s)) {
		t = (struct told){.counted = true, .size = 8, .latency = -1};
		for (unsigned k = 0; k < 8; k++)
			t.held += xprof_known(p, &late) >> k & 1;
		t.stalled = !late               ? ""
		            : late & (late - 1) ? "a poppf brings some"
		                                : "a poppf brings one";
		read_box(c, s, "profile flags", "pflag", t);
		t = (struct told){.counted = true,
		                  .size = (uint64_t)(p->cfg->bdt_sets * p->cfg->bdt_ways),
		                  .latency = -1,
		                  .about = text_of("%d-way", (int)p->cfg->bdt_ways)};
		for (uint64_t i = 0; i < t.size; i++) {
			t.held += bdt->entry[i].leader != 0;
			t.busy += bdt->entry[i].leader && bdt->entry[i].locked;
		}
		read_box(c, s, "block table", "bdt", t);
	}
	if (p->cfg->firmware)
		read_box(c, s, "firmware", "firmware",
		         (struct told){.device = true,
		                       .latency = -1,
		                       .busy = p->hart->mode == MODE_M,
		                       .about = p->hart->mode == MODE_M ? "runs" : "rests"});
	if (p->cfg->sampler) {
		const struct sampler_state *st = sampler_of(p->prof)->st;
		read_box(c, s, "sampler", "compressor",
		         (struct told){.counted = true,
		                       .held = st->message_count,
		                       .size = (uint64_t)p->cfg->sampler_message_queue,
		                       .busy = st->tuple_count,
		                       .latency = -1,
		                       .about = text_of("messages; %llu/%d tuples",
		                                        (ull)st->tuple_count,
		                                        (int)p->cfg->sampler_tuple_queue)});
	}
	if (p->cfg->cop) {
		const struct cop_state *st = cop_of(p->prof)->st;
		read_box(c, s, "co-processor", "cop",
		         (struct told){.counted = true,
		                       .held = st->buffer_words,
		                       .size = (uint64_t)p->cfg->cop_buffer,
		                       .busy = st->way_count,
		                       .latency = -1,
		                       .about = "off"});
	}
	if (p->cfg->vsample) {
		const uint64_t left = vsample_distance(p->prof);
		read_box(c, s, "value sampler", "vsample",
		         (struct told){.counted = true,
		                       .held = vsample_waiting(p->prof),
		                       .size = (uint64_t)p->cfg->vsample_queue,
		                       .busy = left == 0,
		                       .latency = -1,
		                       .about = text_of("%s instructions to go", grouped(left))});
	}
	if (p->cfg->profileme) {
		const struct profileme_state *st = p->prof->profileme->st;
		const char *const phases[] = {"counts down", "follows one", "holds a record"};
		read_box(c, s, "ProfileMe", "profile",
		         (struct told){.device = true,
		                       .busy = st->phase == 1,
		                       .latency = -1,
		                       .about = phases[st->phase],
		                       .oldest = st->phase == 1 ? pipe_find(p, st->record.seq)
		                                                : NULL});
	}
	if (p->cfg->oracle)
		read_box(c, s, "oracle", "oracle",
		         (struct told){.device = true, .latency = -1, .about = "counts exactly"});
}

/* ---- the whole ---- */
static void read_machine(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	const struct pipe_state *st = p->st;
	const uint64_t last = st->cycle - 1;
	uint64_t fetched = 0, dispatched = 0, ready_to_decode = 0, executing = 0, ready = 0,
		 in_memory = 0;
	const struct uop *unissued = NULL;
	struct cells c;
	for (uint32_t i = 0; i < st->fetchq_count; i++) {
		fetched += pipe_fetchq_at(p, i)->when.fetch == last;
		ready_to_decode += pipe_fetchq_at(p, i)->when.avail <= last;
	}
	for (uint32_t i = st->rob_count; i-- > 0;) {
		const struct uop *u = pipe_rob_at(p, i);
		dispatched += u->when.dispatch == last;
		executing += u->state == UOP_EXECUTING || u->state == UOP_MEMORY;
		ready += u->state == UOP_READY;
		if (u->state == UOP_WAITING || u->state == UOP_READY)
			unissued = u;
	}
	uint64_t dropped = 0;
	for (uint32_t i = 0; i < p->pool_size; i++)
		dropped += (p->pool[i].state == UOP_DROPPED || p->pool[i].state == UOP_CONTROL) &&
		           p->pool[i].when.end == last;
	for (uint32_t i = 0; i < st->lsq_count; i++)
		in_memory += pipe_lsq_at(p, i)->state == UOP_MEMORY;
	lost_slots = pipe_slots(p->cfg) > dispatched + dropped
	                     ? pipe_slots(p->cfg) - dispatched - dropped
	                     : 0;
	lost_to_l2 += st->slot_row == SLOT_l2 ? lost_slots : 0;
	lost_told = 0;
	cells_open_in(&c, s, "machine", 0, 80);
	assert_non_null(c.g.picture);
	read_front(&c, s, fetched, false);
	const struct uop *first = st->fetchq_count ? pipe_fetchq_at(p, 0) : NULL;
	read_box(&c, s, "fetch queue", "fetchq",
	         queue(p, st->fetchq_count, (uint64_t)p->cfg->fetch_queue, ready_to_decode, first));
	struct told decode = queue(p, dispatched, (uint64_t)p->cfg->decode_width, 0, first);
	decode.oldest = NULL;
	if (!first)
		decode.stalled = "nothing fetched";
	read_box(&c, s, "decode", "rename", decode);
	read_box(&c, s, "reorder buffer", "rob",
	         queue(p, st->rob_count, (uint64_t)p->cfg->rob_size, executing,
	               st->rob_count ? pipe_rob_at(p, 0) : NULL));
	read_box(&c, s, "issue queue", "iq",
	         queue(p, st->iq_count,
	               p->cfg->issue_queue ? (uint64_t)p->cfg->issue_queue
	                                   : (uint64_t)p->cfg->rob_size,
	               ready, unissued));
	read_units(&c, s, false);
	read_box(&c, s, "load/store queue", "lsq",
	         queue(p, st->lsq_count, (uint64_t)p->cfg->lsq_size, in_memory,
	               st->lsq_count ? pipe_lsq_at(p, 0) : NULL));
	machine_cells_check_memory_rows(&c, s);
	machine_cells_check_device_rows(&c, s);
	assert_int_equal(lost_told, lost_slots > 0);
	if (lost_slots)
		says_summary(&c, "%llu of %u slots lost: %s", (ull)lost_slots, pipe_slots(p->cfg),
		             blamed[st->slot_row]);
	cells_close(&c);
}

static void machine_cells_check_cycles(const char *program, const char *settings, uint64_t from,
                                       unsigned cycles)
{
	struct session *s = open_program(program, settings);
	run_for(s, from);
	for (unsigned i = 0; i < cycles; i++) {
		struct stage_counts before = machine_stats(s->machine)->counts, after;
		run_for(s, 1);
		read_machine(s);
		/* The stages' counts in that cycle; after a misprediction the charge comes
		 * later. */
		const enum slot_row row = (enum slot_row)pipe_of(s)->st->slot_row;
		after = machine_stats(s->machine)->counts;
		if (lost_slots && row != SLOT_UNRESOLVED && row != SLOT_branch_refill)
			assert_int_equal(*pipe_slot_counter(&after, row) -
			                         *pipe_slot_counter(&before, row),
			                 lost_slots);
		run_for(s, i % 3);
	}
	session_free(s);
}

TEST(boxes_are_what_the_state_says)
{
	machine_cells_check_cycles("tests/golden/guest.elf", NULL, 1, 150);
	machine_cells_check_cycles("tests/golden/guest.elf", NULL, 4000, 300);
	machine_cells_check_cycles("tests/golden/guest.elf",
	                           "pipe.rob_size=8;lsq.size=4;l1d.mshrs=1;l1d.write_buffer=1;fu."
	                           "int=1;fu.div=1;l1d.size="
	                           "1K",
	                           3000, 300);
	machine_cells_check_cycles("tests/golden/guest.elf",
	                           "l1d.mshrs=1;l1d.size=1K;l1d.write_buffer=8", 1000, 50);
	assert_true(wait_for_registers);
	machine_cells_check_cycles("tests/golden/guest.elf",
	                           "pipe.rob_size=8;l1d.size=1K;l1d.ways=1;l2.latency=30", 20000,
	                           100);
	assert_true(lost_to_l2);
	machine_cells_check_cycles("tests/golden/profile.elf", NULL, 400, 300);
}

TEST(devices_that_are_on_have_boxes)
{
	machine_cells_check_cycles(
		"tests/golden/guest.elf",
		"sampler.enable=true;vsample.enable=true;profileme.enable=true;profileme.interval_"
	        "min="
		"20;profileme.interval_max=30;oracle.enable=true;cop.enable=true",
		4000, 100);
}

/* A picture shows each box, is at most as large as requested, and has names for its rows' text. */
TEST(pictures_fit)
{
	static const unsigned sizes[][2] = {{78, 17}, {78, 22}, {118, 34}, {198, 54},
	                                    {80, 0},  {130, 0}, {0, 0}};
	struct session *s = open_program("tests/golden/guest.elf", "oracle.enable=true;fu.div=1");
	run_for(s, 5000);
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct cells c;
		unsigned first, last;
		cells_open_in(&c, s, "machine", sizes[i][1], sizes[i][0]);
		assert_non_null(c.g.picture);
		assert_true(!sizes[i][0] || c.g.picture->width <= sizes[i][0]);
		assert_true(!sizes[i][1] || c.g.picture->height <= sizes[i][1]);
		for (unsigned r = 0; r < c.g.row_count; r++)
			if (!picture_find(c.g.picture, (int)r, &first, &last))
				fail_msg("%ux%u: no box '%s'", sizes[i][0], sizes[i][1],
				         c.g.rows[r].cells[0].text);
		grid_deinit(&c.g);
	}
	struct cells c;
	cells_open_in(&c, s, "machine", 10, 78);
	assert_null(c.g.picture);
	grid_deinit(&c.g);
	cells_open_in(&c, s, "machine", 0, 40);
	assert_null(c.g.picture);
	grid_deinit(&c.g);
	session_free(s);
}

TEST(machine_cells_are_complete)
{
	views_are_complete("machine");
}
