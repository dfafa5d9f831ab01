#include <inttypes.h>

#include "hwviews/tell.h"

static const struct grid_column columns[] = {
	{"seq", "seq", "", ALIGN_LEFT, 0, false, false},
	{"instruction", "instruction", "", ALIGN_LEFT, 0, true, false},
	{"address", "address", "", ALIGN_LEFT, 0, false, false},
	{"place", "place", "", ALIGN_LEFT, 0, true, false},
	{"state", "state", "", ALIGN_LEFT, 9, false, false},
	{"waits_for", "waits for", "", ALIGN_LEFT, 0, true, false},
	{"due", "due", "cycle", ALIGN_LEFT, 0, false, false},
	{"data", "data", "", ALIGN_LEFT, 0, true, false},
	{"bytes", "bytes", "bytes", ALIGN_RIGHT, 0, false, false},
	{"served_by", "served by", "", ALIGN_LEFT, 0, false, false},
};

static uint64_t low_bytes(uint64_t v, unsigned bytes)
{
	return bytes < 8 ? v & ((UINT64_C(1) << 8 * bytes) - 1) : v;
}

/* What a store brings, what a load has got. */
static void cell_data(struct grid *g, const struct uop *u)
{
	enum op_class klass = inst_class(&u->inst);
	if (klass == CLASS_STORE && u->exec.stored && (u->flags & UF_DATA_READY))
		grid_hex(g, ROLE_NUMBER, low_bytes(u->exec.store_new, u->exec.size));
	else if (klass == CLASS_STORE)
		grid_blank(g);
	else if (u->state == UOP_DONE && u->trap == TRAP_NONE && u->inst.rd != REG_SINK)
		grid_hex(g, ROLE_NUMBER, u->result);
	else
		grid_blank(g);
}

static void cell_level(struct grid *g, const struct uop *u)
{
	if (u->state < UOP_MEMORY || u->mem.level == LEVEL_NONE)
		grid_blank(g);
	else if (u->mem.level == LEVEL_FORWARD)
		grid_text(g, ROLE_HIT, "store #%" PRIu64, u->mem.wait_seq);
	else
		grid_text(g, u->mem.level <= LEVEL_L1 ? ROLE_HIT : ROLE_MISS, "%s%s", tell_level(u->mem.level),
		          u->flags & UF_TLB_MISS ? ", TLB miss" : "");
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out, struct err *err)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct pipe_state *st = p->st;
	char place[96];
	if (!arg_count(args, 0, "lsq", err))
		return false;
	grid_init(out, "Load/store queue", columns, sizeof columns / sizeof *columns);
	grid_summary(out, "%u/%d", st->lsq_count, (int)p->cfg->lsq_size);
	grid_empty(out, "no load or store in the window");
	for (uint32_t i = 0; i < st->lsq_count; i++) {
		const struct uop *u = pipe_lsq_at(p, i);
		struct grid_row *row = grid_row(out, u->seq, uop_row_role(s, u));
		row->seq = u->seq;
		row->pc = u->pc;
		cell_seq(out, p, u);
		cell_inst(out, s, u);
		if (u->flags & UF_ADDR_KNOWN) {
			grid_hex(out, ROLE_ADDRESS, u->exec.addr);
			grid_text(out, ROLE_ADDRESS, "%s", tell_place(s, u->exec.addr, place, sizeof place));
		} else {
			grid_text(out, ROLE_DIM, "unknown");
			grid_blank(out);
		}
		grid_text(out, uop_state_role(u), "%s", tell_state(u));
		cell_why(out, p, u);
		cell_data(out, u);
		grid_uint(out, ROLE_DIM, op_info[u->inst.op].mem_bytes);
		cell_level(out, u);
	}
	out->focus_row = out->row_count ? 0 : out->focus_row;
	return true;
}

const struct view view_lsq = {
	.name = "lsq",
	.title = "Load/store queue",
	.args = "",
	.help = "Loads, stores and atomics of the window in program order, oldest first. It\n"
		"keeps memory in order while instructions run out of order: a load looks here\n"
		"for an older store to the same bytes and takes its data (forwarding) instead\n"
		"of asking the cache; stores stay here until they commit.\n"
		"\n"
		"  address    known once address generation has finished; place names it\n"
		"  state      executing = computing its address; address = known, but kept out\n"
		"             of memory; memory = asked the caches; done\n"
		"  waits for  a load waits for older stores whose address is unknown (unless\n"
		"             lsq.speculate), for a store's data, or for a cache level\n"
		"  data       what a store will write, what a load has got\n"
		"  served by  where a load's value comes from: a store, L1D, L2 or memory\n"
		"\n"
		"One store with an unknown address holds back every younger load: look for its\n"
		"own wait. A partial overlap makes the load wait until the store is in the\n"
		"cache. Shaped by lsq.size, lsq.speculate, lsq.agen_latency,\n"
		"lsq.forward_latency, fu.mem.",
	.build = build,
};
