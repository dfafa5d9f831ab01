/* pflag, cell by cell, against events (tests/unit/cells/view_cells.h). */
#include "core/isa/op.h"
#include "core/pipe/xprof/xprof.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/sampler/sampler_exact.h"
#include "hwviews/program/frames.h"
#include "tests/unit/cells/view_cells.h"

enum { STACK = 256, IN_CYCLE = 64, SHOWN = 8 };

struct told {
	uint64_t dropped[IN_CYCLE], acted[IN_CYCLE], skipped[IN_CYCLE]; /* seqs of this cycle */
	unsigned drops, acts, skips, skipped_insts;
	struct {
		uint64_t at;
		unsigned flag;
	} saved[STACK]; /* bytes that flags were saved in */
	unsigned depth;
};

static void pflag_cells_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct told *w = ctx;
	const struct uop *u =
		ev->slot == EVENT_NO_SLOT ? NULL : pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	assert_true(w->drops < IN_CYCLE && w->acts < IN_CYCLE && w->skips < IN_CYCLE &&
	            w->depth < STACK);
	if (ev->id == EV_DROP)
		w->dropped[w->drops++] = ev->seq;
	if (ev->id == EV_CONTROL)
		w->acted[w->acts++] = ev->seq;
	if (ev->id == EV_SKIP) {
		w->skipped[w->skips++] = ev->seq;
		w->skipped_insts += (unsigned)ev->skip.count;
	}
	if (ev->id != EV_COMMIT)
		return;
	if (u->inst.op == OP_PUSHPF) {
		unsigned i = 0;
		while (i < w->depth && w->saved[i].at != u->exec.addr)
			i++;
		w->depth += i == w->depth;
		w->saved[i].at = u->exec.addr;
		w->saved[i].flag = u->flags_around >> u->inst.imm & 1;
	}
}

static bool pflag_cells_has_seq(const uint64_t *seqs, unsigned n, uint64_t seq)
{
	while (n && seqs[n - 1] != seq)
		n--;
	return n > 0;
}

static void says_flags(struct cells *c, uint64_t flags, uint64_t late)
{
	char text[64] = "";
	for (unsigned k = 0; k < 8; k++)
		strcat(strcat(text, k ? " " : ""), late >> k & 1    ? "?"
		                                   : flags >> k & 1 ? "●"
		                                                    : "○");
	says_word(c, "flags", RAW_UINT, flags, "%s", text);
}

static void pflag_cells_check_row(struct cells *c, const char *what)
{
	cells_row(c);
	says(c, "what", "%s", what);
}

static void read_this_cycle(struct cells *c, const struct session *s, const struct told *w)
{
	const struct pipe *p = machine_pipe(s->machine);
	char counts[96] = "", names[512] = "";
	if (w->drops)
		snprintf(counts, sizeof counts, "drops %u", w->drops);
	if (w->skipped_insts)
		snprintf(counts + strlen(counts), sizeof counts - strlen(counts), "%sskips %u",
		         *counts ? ", " : "", w->skipped_insts);
	if (w->acts)
		snprintf(counts + strlen(counts), sizeof counts - strlen(counts), "%scontrol %u",
		         *counts ? ", " : "", w->acts);
	for (uint32_t i = 0; i < p->pool_size; i++) {
		const struct uop *u = &p->pool[i];
		const bool skips = pflag_cells_has_seq(w->skipped, w->skips, u->seq);
		if (skips || pflag_cells_has_seq(w->dropped, w->drops, u->seq) ||
		    pflag_cells_has_seq(w->acted, w->acts, u->seq))
			snprintf(names + strlen(names), sizeof names - strlen(names),
			         "%s#%llu %s%s", *names ? ", " : "", (ull)u->seq,
			         skips ? "skips after " : "", assembly_of(s, u));
	}
	pflag_cells_check_row(c, "this cycle");
	says_nothing(c, "flags");
	says(c, "says", "%s%s%s", *counts ? counts : "drops nothing", *names ? ": " : "", names);
	says_nothing(c, "address");
}

static bool read_stall(struct cells *c, const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct uop *first = p->st->fetchq_count ? pipe_fetchq_at(p, 0) : NULL;
	const struct why y = first ? uop_why(p, first) : (struct why){.id = WHY_MOVING};
	char begins[64];
	pflag_cells_check_row(c, "stall");
	says_nothing(c, "address");
	says_nothing(c, "flags");
	if (y.id != WHY_FLAG) {
		says(c, "says", "waits for no flag");
		return false;
	}
	const struct uop *pop = xprof_awaited(p, first);
	assert_non_null(pop);
	snprintf(begins, sizeof begins, "waits for profile flag %u from",
	         first->prefix_len ? first->profile_type : pop->profile_type);
	assert_non_null(strstr(cells_at(c, "says")->text, begins));
	assert_int_equal(c->g.rows[c->rows - 1].seq, first->seq);
	return true;
}

static unsigned pflag_cells_saved_flags(const struct told *w, uint64_t sp)
{
	unsigned flags = 0;
	for (unsigned i = 0; i < w->depth; i++)
		if (w->saved[i].at / 8 == (SHADOW_BASE + sp / 16 * 8) / 8)
			flags |= w->saved[i].flag << w->saved[i].at % 8;
	return flags;
}

static void pflag_cells_check_shadow_stack(struct cells *c, const struct session *s,
                                           const struct told *w)
{
	struct frame f[64];
	const uint64_t sp = machine_reg(s->machine, REG_SP);
	const size_t n = frames_of(s, f, 64);
	uint64_t last = sp;
	for (size_t i = 0; i <= n; i++) {
		const bool entered = n && f[0].cfa == sp;
		const struct frame *of = i ? &f[i - 1] : entered ? &f[0] : NULL;
		const uint64_t at = i ? of->cfa : sp;
		char what[24] = "stack", in[80] = "";
		if (i && at == sp)
			continue;
		if (i && at <= last)
			break;
		last = at;
		if (i)
			snprintf(what, sizeof what, "  +%llu", (ull)(at - sp));
		if (of) {
			const struct symbol *sym = program_symbol_at(s->program, of->pc);
			snprintf(in, sizeof in, ", entry of %s", sym ? sym->name : "a call");
		}
		pflag_cells_check_row(c, what);
		says_flags(c, pflag_cells_saved_flags(w, at), 0);
		says(c, "says", "sp 0x%llx%s", (ull)at, in);
		says_hex(c, "address", SHADOW_BASE + at / 16 * 8);
	}
}

static bool read_pflag(const struct session *s, const struct told *w, const char *bits)
{
	const struct pipe *p = machine_pipe(s->machine);
	struct cells c;
	uint16_t late;
	const uint16_t known = xprof_known(p, &late), committed = xprof_committed_flags(p);
	const uint64_t leader = xprof_leader(p);
	cells_open(&c, s, "pflag");
	pflag_cells_check_row(&c, "decode");
	says_flags(&c, known, late);
	if (late)
		says(&c, "says", "poppf #%llu brings %u",
		     (ull)p->xprof.st->pop_seq[__builtin_ctz(late)], (unsigned)__builtin_ctz(late));
	else
		says(&c, "says", "%s", known != committed ? "ahead of commit" : "");
	says_nothing(&c, "address");
	pflag_cells_check_row(&c, "commit");
	says_flags(&c, committed, 0);
	says_nothing(&c, "says");
	says_nothing(&c, "address");
	pflag_cells_check_row(&c, "fetch bit");
	says_flags(&c, p->xprof.st->bits, 0);
	says(&c, "says", "%s", bits);
	says_nothing(&c, "address");
	pflag_cells_check_row(&c, "leader");
	if (leader) {
		says_nothing(&c, "flags");
		says(&c, "says", "%s, type %u, %u instruction%s", addr_of(s, leader),
		     p->xprof.st->leader_type, p->xprof.st->leader_count,
		     p->xprof.st->leader_count == 1 ? "" : "s");
		says_hex(&c, "address", leader);
	} else {
		says_nothing(&c, "flags");
		says(&c, "says", "in no block");
		says_nothing(&c, "address");
	}
	read_this_cycle(&c, s, w);
	const bool stalls = read_stall(&c, s);
	pflag_cells_check_shadow_stack(&c, s, w);
	cells_close(&c);
	return stalls;
}

TEST(flags_are_those_of_events)
{
	static const char *const runs[][2] = {{NULL, ""},
	                                      {"xprof.bpred=flag", "not used: xprof.bpred = flag"}};
	for (size_t i = 0; i < 2; i++) {
		struct session *s = open_program("tests/golden/profile.elf", runs[i][0]);
		const struct event_filter filter = {.mask = EV_BIT(DROP) | EV_BIT(CONTROL) |
		                                            EV_BIT(SKIP) | EV_BIT(COMMIT)};
		struct told w = {.drops = 0};
		unsigned met[3] = {0}; /* stalls, skips, more than fit on the stack's rows */
		assert_true(machine_listen(s->machine, &filter, pflag_cells_on_event, &w) > 0);
		while (machine_status(s->machine) == MACHINE_RUNNING &&
		       machine_cycle(s->machine) < 12000) {
			w.drops = w.acts = w.skips = w.skipped_insts = 0;
			machine_step(s->machine);
			met[0] += read_pflag(s, &w, runs[i][1]);
			met[1] += w.skips;
			met[2] += w.depth > 1;
		}
		assert_true(met[0] && met[1] && met[2]);
		session_free(s);
	}
}

TEST(pflag_cells_are_complete)
{
	views_are_complete("pflag");
}
