/* `view pflag`: profile flags. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/textbuf.h"
#include "core/mem/mem.h"
#include "core/pipe/plugin.h"
#include "core/pipe/xprof/xprof.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/program/frames.h"
#include "hwviews/session/view_text.h"
#include "loader/profile_code.h"

enum {
	STACK_DEFAULT = 8,
	STACK_MAX = FRAMES_MAX + 1,
	TEXT = 320,
	SIGN = 4 /* most bytes of a sign and the blank after it */
};

static const struct grid_column columns[] = {
	{"what", "type", "", .restless = true, .help = "the row: decode, commit, ... as below"},
	{"flags", "0 1 2 3 4 5 6 7", "", .help = "the flag of each type"},
	{"says", "", "", .min_width = 24, FLEXIBLE, .help = "its contents"},
	{"address", "address", "", .help = "of the bytes that flags are saved in, of a leader"},
};
enum { ESSENTIAL = 3 };

/* Keys of fixed rows; those of the stack are addresses. */
enum row { ROW_DECODE = 1, ROW_COMMIT, ROW_FETCH, ROW_LEADER, ROW_NOW, ROW_STALL, ROW_MORE };

static void view_pflag_begin_row(struct grid *g, uint64_t key, enum role role, const char *what)
{
	grid_row(g, key, role);
	grid_text(g, ROLE_DIM, "%s", what);
}

/* Signs for eight flags; raw: their bits. */
static void cell_flags(struct grid *g, uint16_t flags, uint16_t late)
{
	char text[PROFILE_TYPES * SIGN + 1] = "";
	for (unsigned k = 0; k < PROFILE_TYPES; k++)
		strcat(strcat(text, late >> k & 1 ? "?" : flags >> k & 1 ? "●" : "○"),
		       k < PROFILE_TYPES - 1 ? " " : "");
	grid_uint_text(g, flags ? ROLE_PROFILE : ROLE_DIM, flags, "%s", text);
}

static void decode_row(struct grid *g, const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct xprof_state *st = p->xprof.st;
	uint16_t late, known = xprof_known(p, &late);
	view_pflag_begin_row(g, ROW_DECODE, ROLE_PLAIN, "decode");
	cell_flags(g, known, late);
	if (late)
		grid_text(g, ROLE_WAITING, "poppf #%" PRIu64 " brings %u",
		          st->pop_seq[__builtin_ctz(late)], (unsigned)__builtin_ctz(late));
	else if (known != xprof_committed_flags(p))
		grid_text(g, ROLE_DIM, "ahead of commit");
}

static void view_pflag_append_fetch_bit_row(struct grid *g, const struct session *s)
{
	static const char *const how[] = {"not used: xprof.bpred = ignored-update",
	                                  "not used: xprof.bpred = flag", ""};
	const struct xprof *x = &machine_pipe(s->machine)->xprof;
	view_pflag_begin_row(g, ROW_FETCH, ROLE_PLAIN, "fetch bit");
	cell_flags(g, x->st->bits, 0);
	if (x->plugins) {
		const struct plugin *p = x->plugins->at[PLUGIN_FLAGS];
		grid_text(g, ROLE_PROFILE, "%s predicts, with %" PRIu64 " bits", p->name,
		          plugin_bits(p));
	} else {
		grid_text(g, ROLE_DIM, "%s", how[x->bpred]);
	}
}

static void leader_row(struct grid *g, const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct xprof_state *st = p->xprof.st;
	const uint64_t leader = xprof_leader(p);
	char where[96];
	view_pflag_begin_row(g, ROW_LEADER, ROLE_PLAIN, "leader");
	grid_blank(g);
	if (!leader) {
		grid_text(g, ROLE_DIM, "in no block");
		return;
	}
	format_addr(s, leader, where, sizeof where);
	grid_text(g, ROLE_ADDRESS, "%s, type %u, %u instruction%s", where, st->leader_type,
	          st->leader_count, st->leader_count == 1 ? "" : "s");
	grid_hex(g, ROLE_DIM, leader);
}

/* Events of profile instructions in the cycle just done: skips, flags set, drops. */
static void now_row(struct grid *g, const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	char counted[TEXT] = "", named[TEXT] = "";
	struct textbuf counts = {counted, sizeof counted, 0}, names = {named, sizeof named, 0};
	unsigned dropped = 0, skipped = 0, acted = 0;
	char text[96];
	for (uint32_t i = 0; i < p->pool_size; i++) {
		const struct uop *u = &p->pool[i];
		bool skips = u->seq && u->prefix_len && (u->flags & UF_SKIPS) &&
		             u->when.fetch + 1 == p->st->cycle;
		bool drops = u->seq && u->state == UOP_DROPPED && u->when.end + 1 == p->st->cycle;
		bool acts = u->seq && u->state == UOP_CONTROL && u->when.end + 1 == p->st->cycle;
		if (skips)
			skipped += code_count(s, u->pc + uop_len(u), u->pred_next);
		dropped += drops;
		acted += acts;
		if (skips || drops || acts)
			textbuf_add(&names, "%s#%" PRIu64 " %s%s", names.used ? ", " : "", u->seq,
			            skips ? "skips after " : "",
			            format_uop(s, u, text, sizeof text));
	}
	if (dropped)
		textbuf_add(&counts, "drops %u", dropped);
	if (skipped)
		textbuf_add(&counts, "%sskips %u", counts.used ? ", " : "", skipped);
	if (acted)
		textbuf_add(&counts, "%scontrol %u", counts.used ? ", " : "", acted);
	view_pflag_begin_row(g, ROW_NOW, ROLE_PLAIN, "this cycle");
	grid_blank(g);
	grid_text(g, counts.used ? ROLE_DROPPED : ROLE_DIM, "%s%s%s",
	          counts.used ? counts.buf : "drops nothing", names.used ? ": " : "", names.buf);
}

static void stall_row(struct grid *g, const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct uop *first = p->st->fetchq_count ? pipe_fetchq_at(p, 0) : NULL;
	struct why w = first ? uop_why(p, first) : (struct why){.id = WHY_MOVING};
	view_pflag_begin_row(g, ROW_STALL, ROLE_PLAIN, "stall");
	grid_blank(g);
	if (w.id != WHY_FLAG) {
		grid_text(g, ROLE_DIM, "waits for no flag");
		return;
	}
	grid_text(g, ROLE_WAITING, "%s", why_line(s, first, BUFFER(256)));
	grid_last_row(g)->seq = first->seq;
}

/* ---- shadow stack ---- */
/* Finds the flags saved at stack pointer sp, and their address; false if these bytes can't be
 * read. */
static bool saved_at(const struct session *s, uint64_t sp, uint64_t *at, uint16_t *flags)
{
	uint8_t bytes[PROFILE_TYPES];
	*at = machine_pipe(s->machine)->hart->pfbase + (sp >> 1 & ~UINT64_C(7));
	*flags = 0;
	if ((mem_is_shadow(*at) && !mem_has_shadow(machine_mem_const(s->machine), *at)) ||
	    !machine_peek(s->machine, *at, bytes, sizeof bytes))
		return false;
	for (unsigned k = 0; k < PROFILE_TYPES; k++)
		*flags |= (uint16_t)((bytes[k] & 1u) << k);
	return true;
}

/* A row for the present sp, or for sp on entry of call `of`, `up` bytes above. */
static void stack_row(struct grid *g, const struct session *s, uint64_t sp, uint64_t up,
                      const struct frame *of)
{
	const struct symbol *sym = of ? program_symbol_at(s->program, of->pc) : NULL;
	uint64_t at;
	uint16_t flags;
	char what[32];
	const bool there = saved_at(s, sp, &at, &flags);
	snprintf(what, sizeof what, up ? "  +%" PRIu64 : "stack", up);
	view_pflag_begin_row(g, at, there ? ROLE_PLAIN : ROLE_MISS, what);
	if (there)
		cell_flags(g, flags, 0);
	else
		grid_blank(g);
	grid_text(g, there ? ROLE_ADDRESS : ROLE_MISS, "sp 0x%" PRIx64 "%s%s%s", sp,
	          of ? ", entry of " : "",
	          sym ? sym->name : of ? "a call" : "",
	          there ? "" : ": can't be reached");
	grid_hex(g, ROLE_DIM, at);
}

static void stack_rows(struct grid *g, const struct session *s, uint64_t most)
{
	struct frame frames[FRAMES_MAX];
	const uint64_t sp = machine_reg(s->machine, REG_SP);
	const size_t count = frames_of(s, frames, FRAMES_MAX);
	uint64_t last = sp, n = 0;
	/* A call without a frame of its own, or before its prologue, was entered with the present
	 * sp. */
	const bool entered = count && frames[0].cfa == sp;
	if (most)
		stack_row(g, s, sp, 0, entered ? frames : NULL);
	for (size_t i = entered; i < count && frames[i].cfa > last; i++) {
		last = frames[i].cfa;
		if (++n < most)
			stack_row(g, s, last, last - sp, &frames[i]);
	}
	if (n >= most) {
		view_pflag_begin_row(g, ROW_MORE, ROLE_DIM, "");
		grid_blank(g);
		grid_text(g, ROLE_DIM, "%" PRIu64 " more", n + 1 - most);
	}
}

static void view_pflag_format_summary(struct grid *g, const struct session *s)
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
	grid_summary(g, "%s", l.buf);
}

static bool view_pflag_build_grid(const struct session *s, const struct view_args *args,
                                  struct grid *out, struct err *err)
{
	uint64_t most = STACK_DEFAULT;
	if (!arg_count(args, 1, "pflag", err) ||
	    (args->argc &&
	     !arg_number(args->argv[0], "a number of entries", STACK_MAX, &most, err)))
		return false;
	grid_init(out, "Profile flags", GRID_TABLE(columns));
	out->essential = ESSENTIAL;
	if (!machine_pipe(s->machine)->xprof.enabled) {
		grid_empty(out, "this machine has none (xprof.enable = false)");
		return true;
	}
	decode_row(out, s);
	view_pflag_begin_row(out, ROW_COMMIT, ROLE_PLAIN, "commit");
	cell_flags(out, xprof_committed_flags(machine_pipe(s->machine)), 0);
	view_pflag_append_fetch_bit_row(out, s);
	leader_row(out, s);
	now_row(out, s);
	stall_row(out, s);
	stack_rows(out, s, most);
	view_pflag_format_summary(out, s);
	return true;
}

const struct view view_pflag = {
	.name = "pflag",
	.title = "Profile flags",
	.args = "[ENTRIES]",
	.build = view_pflag_build_grid,
	.help.about =
		"Profile instructions (pi.k) are executed only while the flag of their type k\n"
		"is on; with the flag off decode drops them, so that instrumentation can stay\n"
		"in a program and cost little. setpf and resetpf switch a flag, pushpf and\n"
		"poppf save it around a call.",
	.help.tables = {{GRID_TABLE(columns), .indent = 14}},
	.help.hints =
		"  ● on   ○ off   ? a poppf is still loading it, and decode can't know\n"
		"\n"
		"  decode      the flags by which decode drops now; speculative, and taken back\n"
		"              when a path was wrong\n"
		"  commit      the flags after the last committed instruction\n"
		"  fetch bit   fetch's expectation of the flags: changed by setpf and resetpf\n"
		"              as they are fetched. A profile branch whose bit is off is not\n"
		"              followed. A plug-in (`help plugins`) is shown the bit and\n"
		"              decides; the size of its tables is shown\n"
		"  leader      the leader address register: first instruction of the block of\n"
		"              profile instructions that decode is in\n"
		"  this cycle  dropped instructions, control instructions that acted,\n"
		"              skipped ones\n"
		"  stall       decode waits for a flag: the instruction, and the end\n"
		"  stack       flags saved in the shadow of the stack, by sp: as it is now, and\n"
		"              as it was when each call was entered; 8 or ENTRIES. pushpf and\n"
		"              poppf at that sp access these bytes, one for each flag\n"
		"\n"
		"Look for a fetch bit that differs from decode's flag: profile branches are\n"
		"fetched wrongly then (`catch profile_misfetch`). `bdt` shows which blocks are\n"
		"skipped.\n"
		"Shaped by xprof.enable, xprof.bpred, xprof.predictor.",
};
