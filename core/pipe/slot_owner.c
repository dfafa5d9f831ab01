#include "core/pipe/slot_owner.h"

#include "core/pipe/scoreboard.h"
#include "core/pipe/slots.h"

enum group { SPECULATION, FRONTEND_LATENCY, FRONTEND_BANDWIDTH, PROFILE, CORE, MEMORY, OTHER };

uint64_t next_decoded(const struct pipe *p)
{
	return p->st->fetchq_count ? pipe_fetchq_at(p, 0)->pc : p->st->fetch_pc;
}

static uint64_t slot_owner_youngest_pc(const struct pipe *p)
{
	return p->st->rob_count ? pipe_rob_at(p, p->st->rob_count - 1)->pc : next_decoded(p);
}

/* Pc of the next to issue in order. */
static uint64_t slot_owner_next_to_issue_pc(const struct pipe *p)
{
	return pipe_rob_at(p, p->st->rob_count - p->st->iq_count)->pc;
}

/* Pc of the oldest; in order, of the instruction that held issue when it last lost slots, as in
 * slots_held_row(). */
static uint64_t slot_owner_holder_pc(const struct pipe *p, enum slot_row row)
{
	const struct pipe_state *st = p->st;
	if (!st->rob_count)
		return next_decoded(p);
	const struct uop *holder;
	if (st->decode_stop == DECODE_SERIAL)
		return slots_serial_row(p, &holder) == row || !p->in_order || !st->iq_count
		               ? holder->pc
		               : slot_owner_next_to_issue_pc(p);
	if (p->unordered && st->iq_count)
		return slots_issue_row(p, &holder) == row ? holder->pc
		                                          : slot_owner_next_to_issue_pc(p);
	return p->in_order && st->iq_count ? st->issue_pc : pipe_rob_at(p, 0)->pc;
}

/* Pc of the oldest ready instruction of this pool, FU_POOL_COUNT: of any; in order, of the
 * instruction that held issue. */
static uint64_t oldest_ready(const struct pipe *p, unsigned pool, enum slot_row row)
{
	if (p->in_order && pool < FU_POOL_COUNT)
		return slot_owner_holder_pc(p, row);
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(p, i);
		if (u->state == UOP_READY && (pool == FU_POOL_COUNT || u->at.pool == pool))
			return u->pc;
	}
	return slot_owner_holder_pc(p, row);
}

/* Pc of the oldest ready instruction without a write port, of the register file with the longest
 * queue, as in longest_queue(). If a load's data waits for a port, that load holds the window; in
 * order, the next to issue does. */
static uint64_t oldest_without_port(const struct pipe *p)
{
	const struct pipe_state *st = p->st;
	if (p->in_order || !st->rob_count || pipe_rob_at(p, 0)->mem.wait == MEM_WAIT_PORT)
		return slot_owner_holder_pc(p, SLOT_write_port);
	const unsigned file = st->port_denied[1] && st->port_denied[1] / p->write_ports[1] >=
	                                                    st->port_denied[0] / p->write_ports[0];
	for (uint32_t i = 0; i < st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(p, i);
		if (u->state == UOP_READY && scoreboard_write_file(u) == file &&
		    issue_hold(p, u, st->issue_cycle) == HOLD_PORT)
			return u->pc;
	}
	return slot_owner_holder_pc(p, SLOT_write_port);
}

static uint64_t oldest_turned_away(const struct pipe *p, enum mem_wait reason,
                                   enum slot_row row)
{
	for (uint32_t i = 0; !p->in_order && i < p->st->lsq_count; i++) {
		const struct uop *u = pipe_lsq_at(p, i);
		if (u->state == UOP_ADDRESS && u->mem.wait == reason)
			return u->pc;
	}
	return slot_owner_holder_pc(p, row);
}

static uint64_t slot_owner_serialising_pc(const struct pipe *p)
{
	if (p->st->outcome.status != MACHINE_RUNNING)
		return p->st->commit_pc;
	return p->st->serial_slot != NO_SLOT ? pipe_uop(p, p->st->serial_slot)->pc
	                                     : next_decoded(p);
}

uint64_t slots_owner(const struct pipe *p, enum slot_row row)
{
	static const uint8_t group[SLOT_COUNT] = {
#define SLOT(field, name, of, help) [SLOT_##field] = of,
#include "core/defs/slots.def"
#undef SLOT
	};
	switch (row) {
	case SLOT_misfetch:
	case SLOT_fetch_taken:
		return slot_owner_youngest_pc(p);
	case SLOT_unit_int:
	case SLOT_unit_imuldiv:
	case SLOT_unit_fadd:
	case SLOT_unit_fmuldiv:
	case SLOT_unit_mem:
	case SLOT_unit_div:
		return oldest_ready(p, row - SLOT_unit_int, row);
	case SLOT_issue_width:
		return p->in_order && p->st->iq_count
		               ? slot_owner_next_to_issue_pc(p)
		               : oldest_ready(p, FU_POOL_COUNT, row);
	case SLOT_write_port:
		return oldest_without_port(p);
	case SLOT_mshr:
		return oldest_turned_away(p, MEM_WAIT_MSHR, row);
	case SLOT_l1d_port:
		return oldest_turned_away(p, MEM_WAIT_L1PORT, row);
	case SLOT_serial:
		return slot_owner_serialising_pc(p);
	case SLOT_fault:
		return p->st->dispatch_blocked ? slot_owner_youngest_pc(p) : next_decoded(p);
	default:
		break;
	}
	switch ((enum group)group[row]) {
	case SPECULATION:
		return p->st->squash_pc;
	case CORE:
	case MEMORY:
		return slot_owner_holder_pc(p, row);
	case OTHER:
		return p->st->commit_pc;
	case FRONTEND_LATENCY:
	case FRONTEND_BANDWIDTH:
	case PROFILE:
		break;
	}
	return next_decoded(p);
}
