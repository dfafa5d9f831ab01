/* `view mshr`: misses in flight, the write buffer, and the bus. */
#include <inttypes.h>
#include <stdio.h>

#include "core/pipe/memory/cache.h"
#include "hwviews/session/view_text.h"

/* Lines are at least 8 bytes, so the low bits can hold the kind of key. */
enum { KEY_MSHR = 1, KEY_WBUF = 2, KEY_BUS = 3, KEY_L2 = 4 };

/* A line in flight, a write, or a use of the bus. */
struct row {
	const struct session *s;
	const char *what;
	bool has_address;
	uint64_t address;
	const char *state;
	enum role state_role;
	uint64_t due, since; /* cycles; NO_CYCLE: none */
	const uint32_t *targets; /* accesses; NULL: not counted */
};

FILL(fill_address, struct row, r->has_address ? grid_hex(g, ROLE_ADDRESS, r->address)
	: grid_blank(g))

static void view_mshr_fill_place(struct grid *g, const void *row)
{
	const struct row *r = row;
	char buf[96];
	if (r->has_address)
		grid_text(g, ROLE_ADDRESS, "%s", format_place(r->s, r->address, buf, sizeof buf));
	else
		grid_blank(g);
}

FILL(fill_progress, struct row, grid_text(g, r->state_role, "%s", r->state))
FILL(fill_until, struct row, cell_due(g, machine_cycle(r->s->machine), r->due))
FILL(fill_since, struct row, cell_since(g, machine_cycle(r->s->machine), r->since))
FILL(fill_targets, struct row, r->targets ? grid_uint(g, ROLE_NUMBER, *r->targets) : grid_blank(g))

static const struct grid_column columns[] = {
	{"what", "what", "", fill_text, .of = offsetof(struct row, what),
         .help = "miss, write with its number, or bus"},
	{"address", "address", "", fill_address, .help = "of the line's first byte"},
	{"place", "place", "", view_mshr_fill_place, FLEXIBLE, .help = AS_BEFORE},
	{"state", "state", "", fill_progress, FLEXIBLE,
	 .help = "the source of the line, or its wait; held bytes"},
	{"due", "until", "cycle", fill_until, .help = "when the data is there and the entry frees"},
	{"since", "since", "cycle", fill_since, .help = "when it began"},
	{"targets", "accesses", "accesses", fill_targets, AT_RIGHT,
	 .help = "accesses that wait for the line"},
};

static unsigned miss_rows(struct grid *g, const struct session *s, const struct hierarchy *h,
                          uint64_t now)
{
	unsigned held = 0;
	for (uint32_t i = 0; i < h->st->mshr_count; i++) {
		const struct mshr *m = &h->st->mshr[i];
		char from[32];
		if (m->ready <= now)
			continue;
		const bool waits = m->since > now, for_l2 = !waits && m->held > now;
		const uint32_t targets = m->targets;
		held += !waits;
		snprintf(from, sizeof from, "from %s", format_level((enum mem_level)m->level));
		grid_row(g, m->line | KEY_MSHR, ROLE_PLAIN);
		grid_cells(g, &(struct row){.s = s, .what = "miss", .has_address = true,
		                            .address = m->line,
		                            .state = waits    ? "waits for a register"
		                                     : for_l2 ? "waits for L2" : from,
		                            .state_role =
		                                    waits || for_l2 ? ROLE_WAITING : ROLE_MISS,
		                            .due = m->ready, .since = waits ? NO_CYCLE : m->since,
		                            .targets = &targets});
	}
	return held;
}

static unsigned bytes_held(const struct wbuf_entry *e)
{
	unsigned n = 0;
	for (unsigned i = 0; i < WBUF_LINE_MAX / 64; i++)
		n += (unsigned)__builtin_popcountll(e->bytes[i]);
	return n;
}

static unsigned view_mshr_append_wbuf_rows(struct grid *g, const struct session *s,
                                           const struct hierarchy *h, uint64_t now)
{
	unsigned used = 0;
	for (uint32_t i = 0; i < h->wbuf_limit; i++) {
		const struct wbuf_entry *e = &h->st->wbuf.entry[i];
		if (e->until <= now)
			continue;
		used++;
		char what[32], state[32];
		snprintf(what, sizeof what, "write %u", i);
		snprintf(state, sizeof state, "%u bytes for L1D", bytes_held(e));
		grid_row(g, (uint64_t)i << 3 | KEY_WBUF, ROLE_PLAIN);
		grid_cells(g, &(struct row){.s = s, .what = what, .has_address = true,
		                            .address = e->line << h->l1d.line_log2, .state = state,
		                            .state_role = ROLE_RUNNING, .due = e->until,
		                            .since = NO_CYCLE});
	}
	return used;
}

static void bus_rows(struct grid *g, const struct session *s, const struct hierarchy *h,
                     uint64_t now)
{
	for (uint32_t i = 0; i < h->st->bus_count; i++) {
		const struct bus_booking *b = &h->st->bus[i];
		char booked[48];
		if (b->until <= now)
			continue;
		const bool begun = b->from <= now;
		snprintf(booked, sizeof booked, "booked from %s", GROUPED(b->from));
		grid_row(g, b->from << 3 | KEY_BUS, ROLE_PLAIN);
		grid_cells(g, &(struct row){.s = s, .what = "bus",
		                            .state = begun ? "transfers" : booked,
		                            .state_role = begun ? ROLE_RUNNING : ROLE_WAITING,
		                            .due = b->until, .since = begun ? b->from : NO_CYCLE});
	}
}

/* Rows for the miss registers of L2, in machines that limit them. */
static unsigned l2_rows(struct grid *g, const struct session *s, const struct hierarchy *h,
                        uint64_t now)
{
	unsigned held = 0;
	for (uint32_t i = 0; i < h->l2_mshrs; i++) {
		const struct l2_miss *m = &h->l2_limits->miss[i];
		if (m->until <= now)
			continue;
		held += m->since <= now;
		const bool next = m->since > now;
		char what[32];
		snprintf(what, sizeof what, "L2 miss %u", i);
		grid_row(g, (uint64_t)i << 3 | KEY_L2, ROLE_PLAIN);
		grid_cells(g, &(struct row){.s = s, .what = what, .has_address = true,
		                            .address = m->line,
		                            .state = next ? "has the register next" : "from memory",
		                            .state_role = next ? ROLE_WAITING : ROLE_MISS,
		                            .due = m->until, .since = next ? NO_CYCLE : m->since});
	}
	return held;
}

/* Writes ", L1D ports 1/2, L2 ports 0/1, L2 misses 3/4": accesses that began in the cycle just
 * done, and registers held. */
static char *tell_limits(const struct hierarchy *h, unsigned held, uint64_t now, char *buf,
                         size_t n)
{
	size_t at = 0;
	buf[0] = '\0';
	if (h->l1d_ports)
		at += (size_t)snprintf(buf, n, ", L1D ports %" PRIu64 "/%u",
		                       h->st->port_cycle + 1 == now ? h->st->port_used : 0,
		                       h->l1d_ports);
	if (h->l2_ports && at < n)
		at += (size_t)snprintf(buf + at, n - at, ", L2 ports %" PRIu64 "/%u",
		                       now ? l2_ports_used(h->l2_limits, now - 1) : 0, h->l2_ports);
	if (h->l2_mshrs && at < n)
		snprintf(buf + at, n - at, ", L2 misses %u/%u", held, h->l2_mshrs);
	return buf;
}

static bool view_mshr_build_grid(const struct session *s, const struct view_args *args,
                                 struct grid *out, struct err *err)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct hierarchy *h = &p->mem;
	/* Entries that end in the next cycle are still shown. */
	uint64_t now = p->st->cycle;
	if (!arg_count(args, 0, "mshr", err))
		return false;
	grid_init(out, "Memory traffic", GRID_TABLE(columns));
	unsigned held = miss_rows(out, s, h, now);
	unsigned used = view_mshr_append_wbuf_rows(out, s, h, now);
	bus_rows(out, s, h, now);
	const unsigned l2_held = l2_rows(out, s, h, now);
	grid_empty(
		out,
		"no miss or write is on its way; %u registers for misses, %u for writes are free",
		h->mshr_limit, h->wbuf_limit);
	const struct stats *st = machine_stats(s->machine);
	grid_summary(out, "misses %u/%u, writes %u/%u%s; bus busy %.1f%% (%s cycles)", held,
	             h->mshr_limit, used, h->wbuf_limit, tell_limits(h, l2_held, now, BUFFER(96)),
	             STAT(st, cycles)
	                     ? 100.0 * (double)STAT(st, bus_busy) / (double)STAT(st, cycles)
	                     : 0,
	             GROUPED(STAT(st, bus_busy)));
	return true;
}

const struct view view_mshr = {
	.name = "mshr",
	.title = "Memory traffic",
	.args = "",
	.build = view_mshr_build_grid,
	.help.about =
		"Transfers in flight between L1D, L2 and memory.\n"
		"\n"
		"  miss    a miss status holding register: one line of L1D on its way. Several\n"
		"          accesses may wait for it (accesses); with all registers taken,\n"
		"          further misses are rejected and try again every cycle\n"
		"  write   the write buffer: lines for which bytes of committed stores are on\n"
		"          their way into L1D. A store to a line that is held joins it; a load\n"
		"          takes its value from here if all its bytes are held; an entry\n"
		"          whose line is not in L1D needs a register, too; with all entries\n"
		"          taken, commit waits\n"
		"  bus     the bus between L2 and memory: when it transfers lines, one at a\n"
		"          time, modified lines that leave L2 included",
	.help.tables = {{GRID_TABLE(columns), .indent = 10}},
	.help.hints =
		"Overlapping misses hide memory latency: a program with one miss at\n"
		"a time follows pointers. Bookings far ahead mean that the bus is the\n"
		"bottleneck. With l2.mshrs each register of L2 that is held has a row, `L2\n"
		"miss`, and with l1d.ports and l2.ports the summary says how many accesses\n"
		"began in the last cycle. Shaped by l1d.mshrs, l1d.mshr_targets,\n"
		"l1d.write_buffer, l1d.ports, l2.ports, l2.mshrs, bus.*, mem.latency.",
};
