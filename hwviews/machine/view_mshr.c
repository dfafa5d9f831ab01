/* `view mshr`: misses that are on their way, the write buffer, and the bus. */
#include <inttypes.h>
#include <stdio.h>

#include "core/pipe/memory/cache.h"
#include "hwviews/session/view_text.h"

static const struct grid_column columns[] = {
	{"what", "what", "", .help = "miss, write with its number, or bus"},
	{"address", "address", "", .help = "of the line's first byte"},
	{"place", "place", "", .flexible = true, .help = AS_BEFORE},
	{"state", "state", "", .flexible = true,
	 .help = "from where the line comes, or what it waits for; bytes that are held"},
	{"due", "until", "cycle", .help = "when the data is there and the entry frees"},
	{"since", "since", "cycle", .help = "when it began"},
	{"targets", "accesses", "accesses", .align = ALIGN_RIGHT,
	 .help = "how many wait for the line"},
};

/* Lines are 8 bytes at least: the low bits tell keys of different kinds apart. */
enum { KEY_MSHR = 1, KEY_WBUF = 2, KEY_BUS = 3, KEY_L2 = 4 };

static void cells_address(struct grid *g, const struct session *s, uint64_t addr)
{
	char buf[96];
	grid_hex(g, ROLE_ADDRESS, addr);
	grid_text(g, ROLE_ADDRESS, "%s", format_place(s, addr, buf, sizeof buf));
}

static unsigned miss_rows(struct grid *g, const struct session *s, const struct hierarchy *h,
                          uint64_t now)
{
	unsigned held = 0;
	for (uint32_t i = 0; i < h->st->mshr_count; i++) {
		const struct mshr *m = &h->st->mshr[i];
		if (m->ready <= now)
			continue;
		bool waits = m->since > now;
		held += !waits;
		grid_row(g, m->line | KEY_MSHR, ROLE_PLAIN);
		grid_text(g, ROLE_PLAIN, "miss");
		cells_address(g, s, m->line);
		if (waits)
			grid_text(g, ROLE_WAITING, "waits for a register");
		else if (m->held > now)
			grid_text(g, ROLE_WAITING, "waits for L2");
		else
			grid_text(g, ROLE_MISS, "from %s", format_level((enum mem_level)m->level));
		cell_due(g, now, m->ready);
		cell_since(g, now, waits ? NO_CYCLE : m->since);
		grid_uint(g, ROLE_NUMBER, m->targets);
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

static unsigned write_rows(struct grid *g, const struct session *s, const struct hierarchy *h,
                           uint64_t now)
{
	unsigned used = 0;
	for (uint32_t i = 0; i < h->wbuf_limit; i++) {
		const struct wbuf_entry *e = &h->st->wbuf.entry[i];
		if (e->until <= now)
			continue;
		used++;
		grid_row(g, (uint64_t)i << 3 | KEY_WBUF, ROLE_PLAIN);
		grid_text(g, ROLE_PLAIN, "write %u", i);
		cells_address(g, s, e->line << h->l1d.line_log2);
		grid_text(g, ROLE_RUNNING, "%u bytes for L1D", bytes_held(e));
		cell_due(g, now, e->until);
	}
	return used;
}

static void bus_rows(struct grid *g, const struct hierarchy *h, uint64_t now)
{
	for (uint32_t i = 0; i < h->st->bus_count; i++) {
		const struct bus_booking *b = &h->st->bus[i];
		char digits[32];
		if (b->until <= now)
			continue;
		grid_row(g, b->from << 3 | KEY_BUS, ROLE_PLAIN);
		grid_text(g, ROLE_PLAIN, "bus");
		grid_blank(g);
		grid_blank(g);
		if (b->from > now)
			grid_text(g, ROLE_WAITING, "booked from %s", group_digits(b->from, digits));
		else
			grid_text(g, ROLE_RUNNING, "transfers");
		cell_due(g, now, b->until);
		cell_since(g, now, b->from <= now ? b->from : NO_CYCLE);
	}
}

/* Registers of L2, of machines in which they are limited. */
static unsigned l2_rows(struct grid *g, const struct session *s, const struct hierarchy *h,
                        uint64_t now)
{
	unsigned held = 0;
	for (uint32_t i = 0; i < h->l2_mshrs; i++) {
		const struct l2_miss *m = &h->l2_limits->miss[i];
		if (m->until <= now)
			continue;
		held += m->since <= now;
		grid_row(g, (uint64_t)i << 3 | KEY_L2, ROLE_PLAIN);
		grid_text(g, ROLE_PLAIN, "L2 miss %u", i);
		cells_address(g, s, m->line);
		if (m->since > now)
			grid_text(g, ROLE_WAITING, "has the register next");
		else
			grid_text(g, ROLE_MISS, "from memory");
		cell_due(g, now, m->until);
		cell_since(g, now, m->since > now ? NO_CYCLE : m->since);
	}
	return held;
}

/* ", L1D ports 1/2, L2 ports 0/1, L2 misses 3/4": accesses that began in the cycle just done, and
 * registers held. */
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

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct hierarchy *h = &p->mem;
	/* What ends in the cycle to come has still to end. */
	uint64_t now = p->st->cycle;
	char busy[32], limits[96];
	if (!arg_count(args, 0, "mshr", err))
		return false;
	grid_init(out, "Memory traffic", columns, sizeof columns / sizeof *columns);
	unsigned held = miss_rows(out, s, h, now);
	unsigned used = write_rows(out, s, h, now);
	bus_rows(out, h, now);
	const unsigned l2_held = l2_rows(out, s, h, now);
	grid_empty(
		out,
		"no miss or write is on its way; %u registers for misses, %u for writes are free",
		h->mshr_limit, h->wbuf_limit);
	const struct stats *st = machine_stats(s->machine);
	grid_summary(out, "misses %u/%u, writes %u/%u%s; bus busy %.1f%% (%s cycles)", held,
	             h->mshr_limit, used, h->wbuf_limit,
	             tell_limits(h, l2_held, now, limits, sizeof limits),
	             STAT(st, cycles)
	                     ? 100.0 * (double)STAT(st, bus_busy) / (double)STAT(st, cycles)
	                     : 0,
	             group_digits(STAT(st, bus_busy), busy));
	return true;
}

const struct view view_mshr = {
	.name = "mshr",
	.title = "Memory traffic",
	.args = "",
	.help.about =
		"What is under way between L1D, L2 and memory.\n"
		"\n"
		"  miss    a miss status holding register: one line of L1D on its way. Several\n"
		"          accesses may wait for it (accesses); with all registers taken,\n"
		"          further misses are turned away and try again every cycle\n"
		"  write   the write buffer: lines for which bytes of committed stores are on\n"
		"          their way into L1D. A store to a line that is held joins it; a load\n"
		"          takes its value from here if all its bytes are held; an entry\n"
		"          whose line is not in L1D needs a register, too; with all entries\n"
		"          taken, commit waits\n"
		"  bus     the bus between L2 and memory: when it transfers lines, one at a\n"
		"          time, modified lines that leave L2 included\n"
		"\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 10}},
	.help.hints =
		"\n"
		"Misses side by side are what hides memory latency: a program with one miss at\n"
		"a time follows pointers. Bookings far ahead are a bus that is the bottleneck.\n"
		"With l2.mshrs each register of L2 that is held has a row, `L2 miss`, and with\n"
		"l1d.ports and l2.ports the summary says how many accesses began in the last\n"
		"cycle. Shaped by l1d.mshrs, l1d.mshr_targets, l1d.write_buffer, l1d.ports,\n"
		"l2.ports, l2.mshrs, bus.*, mem.latency.",
	.build = build,
};
