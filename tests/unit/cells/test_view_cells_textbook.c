/* The stages and forwarding paths of a textbook's pipeline, as `view machine` draws them. */
#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/pipe/memory/cache.h"
#include "core/prof/cop/cop.h"
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/values/vsample.h"
#include "hwviews/grid/picture.h"
#include "tests/unit/cells/machine_boxes.h"

/* ---- a textbook's pipeline: the settings of classic5, without its caches ---- */
#define TEXTBOOK                                                                                   \
	"pipe.fetch_width=1;pipe.fetch_queue=1;pipe.decode_width=1;pipe.issue_width=1;pipe."       \
	"commit_width=1;pipe.issue_queue=1;"                                                       \
	"pipe.in_order=true;pipe.completion=out-of-order;pipe.commit_delay=0;pipe.memory_stage=1;" \
	"lsq.speculate=false;lsq.agen_latency=1;"                                                  \
	"fu.div=1;bpred.kind=nottaken;bpred.penalty=0;btb.sets=0;ras.size=0;l1d.latency=1"

enum { COLUMN_OLDEST = 4, COLUMN_INST = 7 };

enum stage { IF, ID, EX, MEM, WB, NOWHERE };

/* The first cycle in which a load older than u, which misses, stands in MEM while `cycle` passes;
 * NO_CYCLE: none does. */
static uint64_t missed_since(const struct pipe *p, const struct uop *u, uint64_t cycle)
{
	for (uint32_t i = 0; i < p->pool_size; i++) {
		const struct uop *q = &p->pool[i];
		if (q->seq && q->seq < u->seq && (q->flags & UF_EXECUTED) &&
		    (q->op_flags & OPF_LOAD) && q->mem.level >= LEVEL_L1 && q->when.mem <= cycle &&
		    q->when.done - p->mem.l1d_latency > cycle)
			return q->when.mem;
	}
	return NO_CYCLE;
}

/* True if the textbook shows u in EX although the machine holds it in ID: it moved when the miss
 * began. */
static bool textbook_has_it_in_ex(const struct pipe *p, const struct uop *u, uint64_t cycle)
{
	return (u->flags & UF_EXECUTED) && u->when.dispatch < cycle && u->when.issue > cycle &&
	       u->when.ready <= cycle && missed_since(p, u, cycle) != NO_CYCLE;
}

/* The stage of an instruction in that cycle, by its stamps. A result done in cycle t is in MEM in t
 * and is written in t + 1, a load's in t. */
static enum stage stage_in(const struct pipe *p, const struct uop *u, uint64_t cycle)
{
	const bool dispatched = u->flags & UF_EXECUTED, load = u->op_flags & OPF_LOAD;
	if (cycle < u->when.fetch || (u->state >= UOP_RETIRED && cycle > u->when.end))
		return NOWHERE;
	if (u->state == UOP_SQUASHED && cycle >= u->when.end)
		return NOWHERE;
	if (!dispatched || cycle < u->when.dispatch) {
		const struct uop *before = pipe_find(p, u->seq - 1);
		return before && textbook_has_it_in_ex(p, before, cycle) &&
		                       u->when.fetch < cycle
		               ? ID
		               : IF;
	}
	if (cycle < u->when.issue)
		return textbook_has_it_in_ex(p, u, cycle) ? EX : ID;
	const uint64_t written =
		u->when.done == NO_CYCLE ? NO_CYCLE : u->when.done + (load ? 0 : 1);
	if (cycle >= written)
		return cycle == written ? WB : NOWHERE;
	if (u->op_flags & (OPF_LOAD | OPF_STORE))
		return cycle == u->when.issue || (cycle < u->when.mem && cycle != u->when.done)
		               ? EX
		               : MEM;
	return cycle == u->when.done ? MEM : EX;
}

static unsigned lit[3], stages_seen[5];

static void read_textbook(const struct session *s)
{
	static const char *const name[] = {"IF", "ID", "EX", "MEM", "WB"},
				 *const view[] = {"fetchq", "iq", "fu", "lsq", "regs"},
				 *const path[] = {"MEM to EX", "WB to EX", "WB to MEM"};
	const struct pipe *p = pipe_of(s);
	const uint64_t last = p->st->cycle - 1;
	struct told at[5], along[3];
	struct cells c;
	memset(at, 0, sizeof at);
	memset(along, 0, sizeof along);
	for (uint32_t i = 0; i < p->pool_size; i++) {
		const struct uop *u = &p->pool[i];
		const enum stage stage = u->seq ? stage_in(p, u, last) : NOWHERE;
		if (stage == NOWHERE)
			continue;
		at[stage].held++;
		stages_seen[stage]++;
		if (!at[stage].oldest || at[stage].oldest->seq > u->seq)
			at[stage].oldest = u;
		const uint8_t reg[3] = {u->inst.rs1, u->inst.rs2, u->inst.rs3};
		for (unsigned k = 0; k < 3; k++) {
			const bool memory = u->op_flags & (OPF_LOAD | OPF_STORE),
				   data = (u->op_flags & OPF_STORE) && k == 1;
			const struct uop *q = (u->flags & UF_EXECUTED) && reg[k] && u->src.seq[k]
			                              ? pipe_find(p, u->src.seq[k])
			                              : NULL;
			const enum stage from = q ? stage_in(p, q, last) : NOWHERE;
			int which = -1;
			if (data && u->when.done == last && from == WB)
				which = 2;
			else if (!data && (k == 0 || !memory) && u->when.issue == last)
				which = from == MEM ? 0 : from == WB ? 1 : -1;
			if (which < 0)
				continue;
			along[which].held++;
			lit[which]++;
			if (!along[which].oldest || along[which].oldest->seq > q->seq)
				along[which].oldest = q;
		}
	}
	lost_slots = 0;
	cells_open_in(&c, s, "machine", 0, 80);
	assert_non_null(c.g.picture);
	/* There are no rows for queues that the textbook lacks; the owners of lost slots are read
	 * above. */
	for (unsigned i = 0; i < c.g.row_count; i++) {
		bool stage = false;
		for (unsigned k = 0; k < 5; k++)
			if (!strcmp(c.g.rows[i].cells[0].text, name[k])) {
				const struct cell *cells = c.g.rows[i].cells;
				assert_int_equal(cells[1].raw.u, at[k].held);
				assert_string_equal(cells[COLUMN_OLDEST].text,
				                    at[k].oldest ? number_of(p, at[k].oldest) : "");
				assert_string_equal(cells[COLUMN_INST].text,
				                    at[k].oldest ? assembly_of(s, at[k].oldest)
				                                 : "");
				assert_string_equal(c.g.rows[i].opens, view[k]);
				stage = true;
			}
		for (unsigned k = 0; k < 3; k++)
			if (!strcmp(c.g.rows[i].cells[0].text, path[k])) {
				if (c.g.rows[i].cells[1].raw.u != along[k].held)
					fail_msg("cycle %llu, %s: %llu operands, not %llu",
					         (ull)last, path[k],
					         (ull)c.g.rows[i].cells[1].raw.u,
					         (ull)along[k].held);
				assert_string_equal(c.g.rows[i].cells[COLUMN_OLDEST].text,
				                    along[k].oldest ? number_of(p, along[k].oldest)
				                                    : "");
				stage = true;
			}
		if (!stage)
			for (unsigned k = 0; k < 4; k++)
				assert_string_not_equal(
					c.g.rows[i].cells[0].text,
					((const char *const[]){"fetch", "decode", "reorder buffer",
				                               "issue queue"})[k]);
	}
	grid_deinit(&c.g);
}

TEST(stages_and_paths_are_the_textbooks)
{
	struct session *s = open_program("tests/golden/guest.elf", TEXTBOOK);
	run_for(s, 2);
	for (unsigned i = 0; i < 3000; i++) {
		read_textbook(s);
		run_for(s, 1 + (i % 16 == 0) * 40);
	}
	for (unsigned k = 0; k < 5; k++)
		assert_true(stages_seen[k] > 100);
	for (unsigned k = 0; k < 3; k++)
		if (lit[k] < 20)
			fail_msg("path %u was lit %u times only", k, lit[k]);
	session_free(s);
}
