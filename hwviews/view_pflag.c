#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hwviews/frames.h"
#include "hwviews/tell.h"
#include "loader/profile_code.h"

enum { STACK_DEFAULT = 8, STACK_MAX = 4096, ENTRY = 8, TEXT = 320 };

enum column { COL_WHAT, COL_TYPES, COL_SAYS = COL_TYPES + PROFILE_TYPES, COL_ADDRESS };

static const struct grid_column columns[] = {
	{"what", "type", "", ALIGN_LEFT, 0, false, false},
	{"type0", "0", "", ALIGN_CENTRE, 0, false, false},
	{"type1", "1", "", ALIGN_CENTRE, 0, false, false},
	{"type2", "2", "", ALIGN_CENTRE, 0, false, false},
	{"type3", "3", "", ALIGN_CENTRE, 0, false, false},
	{"type4", "4", "", ALIGN_CENTRE, 0, false, false},
	{"type5", "5", "", ALIGN_CENTRE, 0, false, false},
	{"type6", "6", "", ALIGN_CENTRE, 0, false, false},
	{"type7", "7", "", ALIGN_CENTRE, 0, false, false},
	{"says", "", "", ALIGN_LEFT, 0, true, false},
	{"address", "address", "", ALIGN_LEFT, 0, false, false},
};

/* Rows of their own, which stay where they are; entries of the stack come behind. */
enum row { ROW_DECODE = 1, ROW_COMMIT, ROW_FETCH, ROW_LEADER, ROW_NOW, ROW_STALL, ROW_STACK };

/* A line that is put together from parts. */
struct line {
	char text[TEXT];
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct line *l, const char *fmt, ...)
{
	va_list ap;
	if (l->used >= sizeof l->text)
		return;
	va_start(ap, fmt);
	int n = vsnprintf(l->text + l->used, sizeof l->text - l->used, fmt, ap);
	va_end(ap);
	l->used += n > 0 ? (size_t)n : 0;
}

static void flag_row(struct grid *g, enum row key, const char *what, uint16_t flags, uint16_t late)
{
	grid_row(g, key, ROLE_PLAIN);
	grid_text(g, ROLE_DIM, "%s", what);
	for (unsigned k = 0; k < PROFILE_TYPES; k++) {
		bool on = flags >> k & 1;
		if (late >> k & 1)
			grid_text(g, ROLE_WAITING, "?");
		else
			grid_uint_text(g, on ? ROLE_PROFILE : ROLE_DIM, on, "%s", on ? "●" : "○");
	}
}

static void no_flags(struct grid *g, enum row key, const char *what)
{
	grid_row(g, key, ROLE_PLAIN);
	grid_text(g, ROLE_DIM, "%s", what);
	for (unsigned k = 0; k < PROFILE_TYPES; k++)
		grid_blank(g);
}

static void decode_row(struct grid *g, const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct xprof_state *st = p->xprof.st;
	struct line l = {{0}, 0};
	uint16_t late, known = xprof_known(p, &late);
	flag_row(g, ROW_DECODE, "decode", known, late);
	for (unsigned k = 0; k < PROFILE_TYPES; k++)
		if ((late >> k & 1) && !strstr(l.text, "poppf"))
			add(&l, "comes with poppf #%" PRIu64, st->pop_seq[k]);
	if (known != xprof_committed_flags(p) && !late)
		add(&l, "ahead of commit");
	grid_text(g, ROLE_DIM, "%s", l.text);
}

static void fetch_row(struct grid *g, const struct session *s)
{
	static const char *const how[] = {"not used: xprof.bpred = ignored-update", "not used: xprof.bpred = flag",
	                                  "expected by fetch"};
	const struct xprof *x = &machine_pipe(s->machine)->xprof;
	flag_row(g, ROW_FETCH, "fetch bit", x->st->bits, 0);
	grid_text(g, ROLE_DIM, "%s", how[x->bpred]);
}

static void leader_row(struct grid *g, const struct session *s)
{
	const struct xprof_state *st = machine_pipe(s->machine)->xprof.st;
	const uint64_t leader = xprof_leader(machine_pipe(s->machine));
	char where[96];
	no_flags(g, ROW_LEADER, "leader");
	if (!leader) {
		grid_text(g, ROLE_DIM, "decode is in no block");
		return;
	}
	grid_text(g, ROLE_ADDRESS, "%s, a block of type %u, %u instruction%s so far",
	          tell_addr(s, leader, where, sizeof where), st->leader_type, st->leader_count,
	          st->leader_count == 1 ? "" : "s");
	grid_hex(g, ROLE_DIM, leader);
}

static void tell_drop(struct line *l, const struct session *s, const struct uop *u)
{
	char text[96];
	tell_uop(s, u, text, sizeof text);
	add(l, "%s#%" PRIu64 " %s", l->used ? ", " : "drops ", u->seq, text);
}

/* What the cycle just done did to profile instructions: drops, flags set, blocks skipped. */
static void now_row(struct grid *g, const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	const uint64_t last = p->st->cycle - 1;
	struct line drops = {{0}, 0}, acts = {{0}, 0}, skips = {{0}, 0};
	char where[96], text[96];
	no_flags(g, ROW_NOW, "this cycle");
	for (uint32_t i = 0; p->st->cycle && i < p->pool_size; i++) {
		const struct uop *u = &p->pool[i];
		if (u->seq && u->state == UOP_DROPPED && u->when.end == last)
			tell_drop(&drops, s, u);
		else if (u->seq && u->state == UOP_CONTROL && u->when.end == last)
			add(&acts, "%s%s #%" PRIu64, acts.used ? ", " : "", tell_uop(s, u, text, sizeof text), u->seq);
		if (u->seq && u->prefix_len && (u->flags & UF_SKIPS) && u->when.fetch == last)
			add(&skips, "%sskips to %s behind #%" PRIu64, skips.used ? ", " : "",
			    tell_addr(s, u->pred_next, where, sizeof where), u->seq);
	}
	const char *a = drops.used && (acts.used || skips.used) ? "; " : "", *b = acts.used && skips.used ? "; " : "";
	if (drops.used || acts.used || skips.used)
		grid_text(g, ROLE_DROPPED, "%s%s%s%s%s", skips.text, *b || (*a && skips.used) ? "; " : "", acts.text,
		          *a && acts.used ? "; " : "", drops.text);
	else
		grid_text(g, ROLE_DIM, "nothing dropped or skipped");
}

static void stall_row(struct grid *g, const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct uop *first = p->st->fetchq_count ? pipe_fetchq_at(p, 0) : NULL;
	char line[256];
	no_flags(g, ROW_STALL, "stall");
	struct why w = first ? uop_why(p, first) : (struct why){.id = WHY_MOVING};
	if (w.id == WHY_FLAG || w.id == WHY_FLAG_DISCARD)
		grid_text(g, ROLE_WAITING, "%s", why_line(p, first, line, sizeof line));
	else
		grid_text(g, ROLE_DIM, "decode waits for no flag");
}

/* ---- the profile stack ---- */
/* Bytes of it that are in use, from top on; false if it lies elsewhere than the machine's own. */
static bool stack_in_use(const struct session *s, uint64_t top, uint64_t *bytes)
{
	size_t count;
	const struct mem_region *r = mem_regions(machine_mem_const(s->machine), &count);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(r[i].name, "profile stack") && top >= r[i].start && top <= r[i].end) {
			*bytes = r[i].end - top;
			return true;
		}
	*bytes = 0;
	return false;
}

/* The call whose frame an sp belongs to: the innermost that ends above it. */
static const struct frame *frame_of(const struct frame *frames, size_t count, uint64_t sp)
{
	for (size_t i = 0; i < count; i++)
		if (sp < frames[i].cfa)
			return &frames[i];
	return NULL;
}

static void stack_row(struct grid *g, const struct session *s, const struct frame *frames, size_t count, uint64_t at,
                      uint64_t depth)
{
	uint64_t entry, sp = machine_reg(s->machine, REG_SP);
	char what[24], where[96];
	if (!machine_peek(s->machine, at, &entry, sizeof entry))
		return;
	uint64_t of = entry >> PFSP_FLAGS;
	bool gone = of < (sp << PFSP_FLAGS >> PFSP_FLAGS);
	snprintf(what, sizeof what, depth ? "  +%" PRIu64 : "stack", depth * ENTRY);
	flag_row(g, (enum row)(ROW_STACK + depth), what, (uint16_t)(entry & 0xff), 0);
	g->rows[g->row_count - 1].role = gone ? ROLE_STALE : ROLE_PLAIN;
	const struct frame *f = gone ? NULL : frame_of(frames, count, of);
	const struct symbol *sym = f ? program_symbol_at(s->program, f->pc) : NULL;
	tell_addr(s, of, where, sizeof where);
	if (gone)
		grid_hex_text(g, ROLE_STALE, of, "%s: a call that is gone; the next poppf discards it", where);
	else if (sym)
		grid_hex_text(g, ROLE_ADDRESS, of, "%s, in %s", where, sym->name);
	else
		grid_hex_text(g, ROLE_ADDRESS, of, "%s", where);
	grid_hex(g, ROLE_DIM, at);
}

static uint64_t stack_rows(struct grid *g, const struct session *s, uint64_t most)
{
	struct frame frames[FRAMES_MAX];
	uint64_t top = machine_pipe(s->machine)->xprof.st->committed_pfsp, bytes;
	bool own = stack_in_use(s, top, &bytes);
	uint64_t n = bytes / ENTRY;
	size_t count = n ? frames_of(s, frames, FRAMES_MAX) : 0;
	for (uint64_t i = 0; i < n && i < most; i++)
		stack_row(g, s, frames, count, top + i * ENTRY, i);
	if (n > most) {
		no_flags(g, (enum row)(ROW_STACK + n), "");
		grid_text(g, ROLE_DIM, "%" PRIu64 " more", n - most);
	}
	if (n)
		return n;
	no_flags(g, ROW_STACK, "stack");
	grid_text(g, ROLE_DIM, "%s", own ? "empty" : "pfsp points outside the profile stack");
	grid_hex(g, ROLE_DIM, top);
	return n;
}

static void summary(struct grid *g, const struct session *s, uint64_t depth)
{
	const struct profile_code *code = program_profile_code(s->program);
	struct line l = {{0}, 0};
	unsigned types = 0;
	for (unsigned k = 0; k < PROFILE_TYPES; k++)
		types += code->insts[k] != 0;
	if (types)
		add(&l, "type%s", types == 1 ? "" : "s");
	for (unsigned k = 0; k < PROFILE_TYPES; k++)
		if (code->insts[k])
			add(&l, " %u", k);
	add(&l, types ? " in use" : "no profile instructions in the program");
	if (depth)
		add(&l, ", %" PRIu64 " on the stack", depth);
	grid_summary(g, "%s", l.text);
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out, struct err *err)
{
	uint64_t most = STACK_DEFAULT;
	if (!arg_count(args, 1, "pflag", err) ||
	    (args->argc && !arg_number(args->argv[0], "a number of entries", STACK_MAX, &most, err)))
		return false;
	grid_init(out, "Profile flags", columns, sizeof columns / sizeof *columns);
	out->essential = COL_SAYS + 1;
	if (!machine_pipe(s->machine)->xprof.enabled) {
		grid_empty(out, "this machine has none (xprof.enable = false)");
		return true;
	}
	decode_row(out, s);
	flag_row(out, ROW_COMMIT, "commit", xprof_committed_flags(machine_pipe(s->machine)), 0);
	fetch_row(out, s);
	leader_row(out, s);
	now_row(out, s);
	stall_row(out, s);
	summary(out, s, stack_rows(out, s, most));
	return true;
}

const struct view view_pflag = {
	.name = "pflag",
	.title = "Profile flags",
	.args = "[ENTRIES]",
	.help = "Profile instructions (pi.k) are executed only while the flag of their type k\n"
		"is on; with the flag off decode drops them, so that instrumentation can stay\n"
		"in a program and cost little. setpf and resetpf switch a flag, pushpf and\n"
		"poppf save it around a call.\n"
		"\n"
		"  ● on   ○ off   ? a poppf is still loading it, and decode can't know\n"
		"\n"
		"  decode      the flags by which decode drops now; speculative, and taken back\n"
		"              when a path was wrong\n"
		"  commit      the flags behind the last instruction that committed\n"
		"  fetch bit   what fetch expects the flags to be: changed by setpf and resetpf\n"
		"              as they are fetched. A profile branch whose bit is off is not\n"
		"              followed\n"
		"  leader      the leader address register: first instruction of the block of\n"
		"              profile instructions that decode is in\n"
		"  this cycle  what was dropped, which control instructions acted, what was\n"
		"              skipped\n"
		"  stall       decode waits for a flag: whose, and until when\n"
		"  stack       the committed profile stack, newest first, 8 or ENTRIES:\n"
		"              the flags saved, and sp when they were. Entries below today's sp\n"
		"              belong to calls that longjmp left\n"
		"\n"
		"Look for a fetch bit that differs from decode's flag: profile branches are\n"
		"fetched wrongly then (`catch misfetch`). `bdt` shows which blocks are skipped.\n"
		"Shaped by xprof.enable, xprof.bpred, xprof.stack.",
	.build = build,
};
