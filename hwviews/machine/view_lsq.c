/* `view lsq`: loads and stores in flight, their addresses, and who forwards to whom. */
#include <inttypes.h>

#include "hwviews/session/view_text.h"

static const struct grid_column columns[] = {
	{"seq", "seq", "", .help = "number in fetch order; ? = on a wrong path"},
	{"instruction", "instruction", "", .flexible = true, .help = "as assembly"},
	{"address", "address", "",
	 .help = "known once address generation has finished; place names it"},
	{"place", "place", "", .flexible = true, .help = "what lies there"},
	{"waits_for", "state", "", .min_width = 9, .flexible = true,
	 .help = "executing = computing its address; then what holds it: a load waits for "
	         "older stores whose address is unknown (unless lsq.speculate), for a store's "
	         "data, or for a cache level; done"},
	{"due", "due", "cycle", .help = "when that ends, as far as the machine knows"},
	{"data", "data", "", .flexible = true,
	 .help = "what a store will write, what a load has got"},
	{"bytes", "bytes", "bytes", .align = ALIGN_RIGHT, .help = "how many it accesses"},
	{"served_by", "served by", "",
	 .help = "where a load's value comes from: a store, L1D, L2 or memory"},
	{"state", "phase", "",
	 .help = "executing; address = known, but kept out of memory; memory = has asked the "
	         "caches; done"},
};

/* What a store brings, what a load has got. */
static void cell_data(struct grid *g, const struct session *s, const struct uop *u)
{
	bool store = inst_class(&u->inst) == CLASS_STORE;
	cell_field(g, s, u, store ? UOP_FIELD_data : UOP_FIELD_result, ROLE_NUMBER);
}

static void cell_level(struct grid *g, const struct pipe *p, const struct uop *u)
{
	uint64_t level, store, tlb_miss = 0;
	uop_field(p, u, UOP_FIELD_tlb_miss, &tlb_miss);
	if (uop_field(p, u, UOP_FIELD_forwarded, &store))
		grid_text(g, ROLE_HIT, "store #%" PRIu64, store);
	else if (uop_field(p, u, UOP_FIELD_level, &level))
		grid_text(g, level <= LEVEL_L1 ? ROLE_HIT : ROLE_MISS, "%s%s",
		          format_level((enum mem_level)level), tlb_miss ? ", TLB miss" : "");
	else
		grid_blank(g);
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct pipe_state *st = p->st;
	char place[96];
	uint64_t addr;
	if (!arg_count(args, 0, "lsq", err))
		return false;
	grid_init(out, "Load/store queue", columns, sizeof columns / sizeof *columns);
	grid_summary(out, "%u/%d", st->lsq_count, (int)CONFIG(p->cfg, lsq_size));
	grid_empty(out, "no load or store in the window: each has a row from dispatch to commit");
	for (uint32_t i = 0; i < st->lsq_count; i++) {
		const struct uop *u = pipe_lsq_at(p, i);
		struct grid_row *row = grid_row(out, u->seq, uop_row_role(s, u));
		row->seq = u->seq;
		row->pc = u->pc;
		cell_seq(out, p, u);
		cell_inst(out, s, u);
		if (uop_field(p, u, UOP_FIELD_addr, &addr)) {
			grid_hex(out, ROLE_ADDRESS, addr);
			grid_text(out, ROLE_ADDRESS, "%s",
			          format_place(s, addr, place, sizeof place));
		} else {
			grid_text(out, ROLE_DIM, "unknown");
			grid_blank(out);
		}
		cell_state(out, p, u);
		cell_data(out, s, u);
		cell_field(out, s, u, UOP_FIELD_size, ROLE_DIM);
		cell_level(out, p, u);
		grid_text(out, uop_state_role(u), "%s", format_state(u));
	}
	out->focus_row = out->row_count ? 0 : out->focus_row;
	return true;
}

const struct view view_lsq = {
	.name = "lsq",
	.title = "Load/store queue",
	.args = "",
	.help.about =
		"Loads, stores and atomics of the window in program order, oldest first. It\n"
		"keeps memory in order while instructions run out of order: a load looks here\n"
		"for an older store to the same bytes and takes its data (forwarding) instead\n"
		"of asking the cache; stores stay here until they commit.\n"
		"\n",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"\n"
		"One store with an unknown address holds back every younger load: look for its\n"
		"own wait. A partial overlap makes the load wait until the store is in the\n"
		"cache. Shaped by lsq.size, lsq.speculate, lsq.agen_latency,\n"
		"lsq.forward_latency, fu.mem.",
	.build = build,
};
