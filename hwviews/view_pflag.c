#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/textbuf.h"
#include "hwviews/code_lines.h"
#include "hwviews/frames.h"
#include "hwviews/tell.h"
#include "loader/profile_code.h"

enum { STACK_DEFAULT = 8, STACK_MAX = 4096, ENTRY = 8, TEXT = 320, SIGN = 4 /* bytes of a sign and the blank behind it, at most */ };

static const struct grid_column columns[] = {
	{"what", "type", "", ALIGN_LEFT, 0, false, true},
	{"flags", "0 1 2 3 4 5 6 7", "", ALIGN_LEFT, 0, false, false},
	{"says", "", "", ALIGN_LEFT, 0, true, false},
	{"address", "address", "", ALIGN_LEFT, 0, false, false},
};
enum { ESSENTIAL = 3 };

/* Keys of rows that stay where they are; those of entries of the stack are their addresses. */
enum row { ROW_DECODE = 1, ROW_COMMIT, ROW_FETCH, ROW_LEADER, ROW_NOW, ROW_STALL, ROW_STACK, ROW_MORE };

static void begin_row(struct grid *g, uint64_t key, enum role role, const char *what)
{
	grid_row(g, key, role);
	grid_text(g, ROLE_DIM, "%s", what);
}

/* Signs for eight flags; raw: their bits. */
static void cell_flags(struct grid *g, uint16_t flags, uint16_t late)
{
	char text[PROFILE_TYPES * SIGN + 1] = "";
	for (unsigned k = 0; k < PROFILE_TYPES; k++)
		strcat(strcat(text, late >> k & 1 ? "?" : flags >> k & 1 ? "●" : "○"), k < PROFILE_TYPES - 1 ? " " : "");
	grid_uint_text(g, flags ? ROLE_PROFILE : ROLE_DIM, flags, "%s", text);
}

static void decode_row(struct grid *g, const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct xprof_state *st = p->xprof.st;
	uint16_t late, known = xprof_known(p, &late);
	begin_row(g, ROW_DECODE, ROLE_PLAIN, "decode");
	cell_flags(g, known, late);
	if (late)
		grid_text(g, ROLE_WAITING, "poppf #%" PRIu64 " brings %u", st->pop_seq[__builtin_ctz(late)], (unsigned)__builtin_ctz(late));
	else if (known != xprof_committed_flags(p))
		grid_text(g, ROLE_DIM, "ahead of commit");
}

static void fetch_row(struct grid *g, const struct session *s)
{
	static const char *const how[] = {"not used: xprof.bpred = ignored-update", "not used: xprof.bpred = flag", ""};
	const struct xprof *x = &machine_pipe(s->machine)->xprof;
	begin_row(g, ROW_FETCH, ROLE_PLAIN, "fetch bit");
	cell_flags(g, x->st->bits, 0);
	grid_text(g, ROLE_DIM, "%s", how[x->bpred]);
}

static void leader_row(struct grid *g, const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct xprof_state *st = p->xprof.st;
	const uint64_t leader = xprof_leader(p);
	begin_row(g, ROW_LEADER, ROLE_PLAIN, "leader");
	if (!leader) {
		grid_text(g, ROLE_DIM, "in no block");
		return;
	}
	cell_addr(g, s, ROLE_ADDRESS, leader);
	grid_text(g, ROLE_DIM, "type %u, %u instruction%s", st->leader_type, st->leader_count, st->leader_count == 1 ? "" : "s");
	grid_hex(g, ROLE_DIM, leader);
}

/* What the cycle just done did to profile instructions: skips, flags set, drops. */
static void now_row(struct grid *g, const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	char counted[TEXT] = "", named[TEXT] = "";
	struct textbuf counts = {counted, sizeof counted, 0}, names = {named, sizeof named, 0};
	unsigned dropped = 0, skipped = 0, acted = 0;
	char text[96];
	for (uint32_t i = 0; i < p->pool_size; i++) {
		const struct uop *u = &p->pool[i];
		bool skips = u->seq && u->prefix_len && (u->flags & UF_SKIPS) && u->when.fetch + 1 == p->st->cycle;
		bool drops = u->seq && u->state == UOP_DROPPED && u->when.end + 1 == p->st->cycle;
		bool acts = u->seq && u->state == UOP_CONTROL && u->when.end + 1 == p->st->cycle;
		if (skips)
			skipped += code_count(s, u->pc + uop_len(u), u->pred_next);
		dropped += drops;
		acted += acts;
		if (skips || drops || acts)
			textbuf_add(&names, "%s#%" PRIu64 " %s%s", names.used ? ", " : "", u->seq, skips ? "skips behind " : "", tell_uop(s, u, text, sizeof text));
	}
	if (dropped)
		textbuf_add(&counts, "drops %u", dropped);
	if (skipped)
		textbuf_add(&counts, "%sskips %u", counts.used ? ", " : "", skipped);
	if (acted)
		textbuf_add(&counts, "%scontrol %u", counts.used ? ", " : "", acted);
	begin_row(g, ROW_NOW, ROLE_PLAIN, "this cycle");
	grid_text(g, counts.used ? ROLE_DROPPED : ROLE_DIM, "%s", counts.used ? counts.buf : "drops nothing");
	grid_text(g, ROLE_DIM, "%s", names.buf);
}

static void stall_row(struct grid *g, const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct uop *first = p->st->fetchq_count ? pipe_fetchq_at(p, 0) : NULL;
	char line[256];
	struct why w = first ? uop_why(p, first) : (struct why){.id = WHY_MOVING};
	begin_row(g, ROW_STALL, ROLE_PLAIN, "stall");
	if (w.id != WHY_FLAG && w.id != WHY_FLAG_DISCARD) {
		grid_text(g, ROLE_DIM, "waits for no flag");
		return;
	}
	grid_text(g, ROLE_WAITING, "#%" PRIu64 ": %s", first->seq, why_cell(p, first, &w, line, sizeof line));
	grid_text(g, ROLE_WAITING, "%s", why_line(s, first, line, sizeof line));
	grid_last_row(g)->seq = first->seq;
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
	begin_row(g, at, gone ? ROLE_STALE : ROLE_PLAIN, what);
	cell_flags(g, (uint16_t)(entry & 0xff), 0);
	/* A function without a frame of its own has just saved its flag at its caller's sp. */
	bool leaf = !depth && of == sp && count && frames[0].cfa == sp;
	const struct frame *f = gone ? NULL : leaf ? frames : frame_of(frames, count, of);
	const struct symbol *sym = f ? program_symbol_at(s->program, f->pc) : NULL;
	tell_addr(s, of, where, sizeof where);
	if (gone)
		grid_hex_text(g, ROLE_STALE, of, "%s, gone: discarded by the next poppf", where);
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
		begin_row(g, ROW_MORE, ROLE_DIM, "");
		grid_text(g, ROLE_DIM, "%" PRIu64 " more", n - most);
	}
	if (n)
		return n;
	begin_row(g, ROW_STACK, ROLE_PLAIN, "stack");
	grid_text(g, ROLE_DIM, "%s", own ? "empty" : "elsewhere");
	grid_text(g, ROLE_MISS, "%s", own ? "" : "pfsp points outside the machine's own");
	grid_hex(g, ROLE_DIM, top);
	return n;
}

static void summary(struct grid *g, const struct session *s, uint64_t depth)
{
	const struct profile_code *code = program_profile_code(s->program);
	char text[TEXT] = "";
	struct textbuf l = {text, sizeof text, 0};
	unsigned types = 0;
	for (unsigned k = 0; k < PROFILE_TYPES; k++)
		types += code->insts[k] != 0;
	if (types)
		textbuf_add(&l, "type%s", types == 1 ? "" : "s");
	for (unsigned k = 0; k < PROFILE_TYPES; k++)
		if (code->insts[k])
			textbuf_add(&l, " %u", k);
	textbuf_add(&l, types ? " in use" : "no profile instructions in the program");
	if (depth)
		textbuf_add(&l, ", %" PRIu64 " on the stack", depth);
	grid_summary(g, "%s", l.buf);
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out, struct err *err)
{
	uint64_t most = STACK_DEFAULT;
	if (!arg_count(args, 1, "pflag", err) ||
	    (args->argc && !arg_number(args->argv[0], "a number of entries", STACK_MAX, &most, err)))
		return false;
	grid_init(out, "Profile flags", columns, sizeof columns / sizeof *columns);
	out->essential = ESSENTIAL;
	if (!machine_pipe(s->machine)->xprof.enabled) {
		grid_empty(out, "this machine has none (xprof.enable = false)");
		return true;
	}
	decode_row(out, s);
	begin_row(out, ROW_COMMIT, ROLE_PLAIN, "commit");
	cell_flags(out, xprof_committed_flags(machine_pipe(s->machine)), 0);
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
		"  type        the row: decode, commit, ... as below\n"
		"  0 1 2 3 4 5 6 7  the flag of each type\n"
		"  says        what there is to say of it\n"
		"  address     of an entry of the stack, of a leader\n"
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
		"fetched wrongly then (`catch profile_misfetch`). `bdt` shows which blocks are\n"
		"skipped.\n"
		"Shaped by xprof.enable, xprof.bpred, xprof.stack.",
	.build = build,
};
