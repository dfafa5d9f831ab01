/* Stages and forwarding paths of a five-stage pipeline, from the stamps of its instructions in the
 * cycle just done. */
#include "hwviews/machine/machine_box.h"

#include <string.h>

#include "core/pipe/window.h"
#include "hwviews/machine/pipe_rows.h"

bool machine_is_textbook(const struct pipe *p)
{
	return p->unordered && p->memory_stage == 1 && p->fetchq_limit == 1 &&
	       p->decode_width == 1 && p->iq_limit == 1 && p->issue_width == 1;
}

/* The stage of u in a cycle; BOX_COUNT: none. */
static enum machine_box_id stage_of(const struct pipe *p, const struct uop *u, uint64_t cycle)
{
	const bool issued = uop_dispatched(u) && u->when.issue <= cycle;
	switch (*pipe_letter(p, u, cycle)) {
	case 'F':
	case '=':
		return BOX_IF;
	case 'D':
		return BOX_ID;
	case 'X':
	case 'A':
		return BOX_EX;
	case 'M':
		return BOX_MEM;
	case 'W':
		return BOX_WB;
	case 'x': /* squashed */
	case '-':
	case ' ':
		return BOX_COUNT;
	default: /* waits: to issue, or for the memory stage */
		return issued ? BOX_MEM : BOX_ID;
	}
}

static void machine_textbook_add_uop(struct machine_box *b, const struct uop *u)
{
	b->held++;
	if (!b->oldest || u->seq < b->oldest->seq)
		b->oldest = u;
}

static uint8_t register_of(const struct uop *u, unsigned i)
{
	return i == 0 ? u->inst.rs1 : i == 1 ? u->inst.rs2 : u->inst.rs3;
}

/* An operand whose producer has not left the pipeline came from the producer's stage: results are
 * readable in the registers one cycle later. */
static void take_path(struct machine_boxes *m, const struct pipe *p, const struct uop *u,
                      unsigned i, enum machine_box_id from_mem, enum machine_box_id from_wb,
                      uint64_t cycle)
{
	const struct uop *q =
		register_of(u, i) && u->src.seq[i] ? pipe_find(p, u->src.seq[i]) : NULL;
	const enum machine_box_id stage = q ? stage_of(p, q, cycle) : BOX_COUNT;
	const enum machine_box_id path = stage == BOX_MEM  ? from_mem
	                                 : stage == BOX_WB ? from_wb : BOX_COUNT;
	if (path == BOX_COUNT)
		return;
	machine_textbook_add_uop(&m->box[path], q);
	if (m->box[path].oldest == q)
		m->box[path].operand = register_of(u, i);
}

/* A store takes its data in MEM; all other operands are taken in the first cycle of EX. */
static void take_operands(struct machine_boxes *m, const struct pipe *p, const struct uop *u,
                          uint64_t cycle)
{
	const bool store = inst_class(&u->inst) == CLASS_STORE;
	if (!uop_dispatched(u) || u->state == UOP_SQUASHED)
		return;
	for (unsigned i = 0; u->when.issue == cycle && i < 3; i++)
		if (i == 0 || !uop_is_memory(u))
			take_path(m, p, u, i, BOX_MEM_EX, BOX_WB_EX, cycle);
	if (store && u->when.done == cycle)
		take_path(m, p, u, 1, BOX_COUNT, BOX_WB_MEM, cycle);
}

void machine_textbook_read(struct machine_boxes *m, const struct pipe *p)
{
	static const uint8_t hidden[] = {BOX_FETCH, BOX_FETCHQ, BOX_DECODE, BOX_ROB,
	                                 BOX_IQ,    BOX_LSQ,    BOX_MEMPORT};
	const uint64_t now = p->st->cycle;
	for (unsigned id = BOX_IF; id <= BOX_WB_MEM; id++)
		m->box[id].there = m->box[id].counted = true;
	for (unsigned id = BOX_IF; id <= BOX_WB; id++)
		m->box[id].size = id == BOX_EX || id == BOX_WB ? 0 : 1;
	for (uint32_t i = 0; now && i < p->pool_size; i++) {
		const struct uop *u = &p->pool[i];
		const enum machine_box_id stage = u->seq ? stage_of(p, u, now - 1) : BOX_COUNT;
		if (stage != BOX_COUNT) {
			machine_textbook_add_uop(&m->box[stage], u);
			m->entered[stage - BOX_IF] += now < 2 || stage_of(p, u, now - 2) != stage;
		}
		if (u->seq)
			take_operands(m, p, u, now - 1);
	}
	/* A stage is stalled by the present wait of its oldest instruction; an empty IF, by that of
	 * fetch. */
	struct machine_box *f = &m->box[BOX_IF];
	if (!f->oldest) {
		memcpy(f->stalled, m->box[BOX_FETCH].stalled, sizeof f->stalled);
		f->waits = m->box[BOX_FETCH].waits;
	}
	for (unsigned id = BOX_IF; id <= BOX_MEM; id++) {
		struct machine_box *b = &m->box[id];
		if (!b->oldest || !uop_in_flight(b->oldest))
			continue;
		const struct why w = uop_why(p, b->oldest);
		if (w.id == WHY_WRITTEN || w.id == WHY_COMMIT_TURN || w.id == WHY_COMMIT_DELAY)
			continue;
		why_cell(p, b->oldest, &w, b->stalled, sizeof b->stalled);
		b->waits =
			*b->stalled && (why_role(&w) == ROLE_WAITING || why_role(&w) == ROLE_MISS);
	}
	for (unsigned i = 0; i < sizeof hidden; i++)
		m->box[hidden[i]].there = false;
}
