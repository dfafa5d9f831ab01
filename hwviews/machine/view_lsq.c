/* `view lsq`: loads and stores in flight, their addresses, and forwarding between them. */
#include <inttypes.h>

#include "hwviews/session/view_text.h"

/* Known once address generation has finished. */
static void fill_address(struct grid *g, const void *row)
{
	const struct uop_row *r = row;
	uint64_t addr;
	if (uop_field(machine_pipe(r->s->machine), r->u, UOP_FIELD_addr, &addr))
		grid_hex(g, ROLE_ADDRESS, addr);
	else
		grid_text(g, ROLE_DIM, "unknown");
}

static void view_lsq_fill_place(struct grid *g, const void *row)
{
	const struct uop_row *r = row;
	char place[96];
	uint64_t addr;
	if (uop_field(machine_pipe(r->s->machine), r->u, UOP_FIELD_addr, &addr))
		grid_text(g, ROLE_ADDRESS, "%s", format_place(r->s, addr, place, sizeof place));
	else
		grid_blank(g);
}

/* A store's data, a load's result. */
FILL(fill_data, struct uop_row, const bool store = inst_class(&r->u->inst) == CLASS_STORE;
	cell_field(g, r->s, r->u, store ? UOP_FIELD_data : UOP_FIELD_result, ROLE_NUMBER))
FILL(fill_bytes, struct uop_row, cell_field(g, r->s, r->u, UOP_FIELD_size, ROLE_DIM))

static void fill_served_by(struct grid *g, const void *row)
{
	const struct uop_row *r = row;
	const struct uop *u = r->u;
	const struct pipe *p = machine_pipe(r->s->machine);
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

static const struct grid_column columns[] = {
	{"seq", "seq", "", fill_seq, .help = "number in fetch order; ? = on a wrong path"},
	{"instruction", "instruction", "", fill_inst, FLEXIBLE, .help = "as assembly"},
	{"address", "address", "", fill_address,
         .help = "known once address generation has finished; place names it"},
	{"place", "place", "", view_lsq_fill_place, FLEXIBLE, .help = "what lies there"},
	{"waits_for", "state", "", fill_wait_or_state, .min_width = 9, FLEXIBLE,
	 .help = "executing = computing its address; then its wait: a load waits for older "
                 "stores whose address is unknown (unless lsq.speculate), for a store's data, or "
                 "for a cache level; done"},
	{"due", "due", "cycle", fill_due,
	 .help = "the end of that, as far as the machine can know"},
	{"data", "data", "", fill_data, FLEXIBLE, .help = "a store's data, a load's result"},
	{"bytes", "bytes", "bytes", fill_bytes, AT_RIGHT, .help = "how many it accesses"},
	{"served_by", "served by", "", fill_served_by,
         .help = "where a load's value comes from: a store, L1D, L2 or memory"},
	{"state", "phase", "", fill_state,
	 .help = "executing; address = known, but kept out of memory; memory = in the caches; "
		 "done"},
};

static bool view_lsq_build_grid(const struct session *s, const struct view_args *args,
                                struct grid *out, struct err *err)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct pipe_state *st = p->st;
	if (!arg_count(args, 0, "lsq", err))
		return false;
	grid_init(out, "Load/store queue", GRID_TABLE(columns));
	grid_summary(out, "%u/%d", st->lsq_count, (int)CONFIG(p->cfg, lsq_size));
	grid_empty(out, "no load or store in the window: each has a row from dispatch to commit");
	for (uint32_t i = 0; i < st->lsq_count; i++) {
		const struct uop *u = pipe_lsq_at(p, i);
		uop_grid_row(out, s, u);
		grid_cells(out, &(struct uop_row){s, u});
	}
	out->focus_row = out->row_count ? 0 : out->focus_row;
	return true;
}

const struct view view_lsq = {
	.name = "lsq",
	.title = "Load/store queue",
	.args = "",
	.build = view_lsq_build_grid,
	.help.about =
		"Loads, stores and atomics of the window in program order, oldest first. It\n"
		"keeps memory in order while instructions run out of order: a load looks here\n"
		"for an older store to the same bytes and takes its data (forwarding), not\n"
		"the cache's; stores stay here until they commit.",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"One store with an unknown address holds back every younger load: look for its\n"
		"own wait. A partial overlap makes the load wait until the store is in the\n"
		"cache. Shaped by lsq.size, lsq.speculate, lsq.agen_latency,\n"
		"lsq.forward_latency, fu.mem.",
};
