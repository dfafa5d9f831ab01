/* Limits of fetch in a cycle, read from its results: code of random blocks of short and long
 * instructions, linked by jumps to anywhere, straight into the middle of lines, to their ends and
 * across them. Each cycle's instructions are followed by the rule's own words: up to fetch_lines
 * lines in a row, on after a taken jump only if its target begins in the line that is there, and
 * an instruction across two lines only if the former was read before it. And nothing that may be
 * taken is left. */
#include "tests/timing/bench.h"
#include "tests/timing/encode.h"

#include "core/pipe/pipe.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 40, AREA = 1024, WIDTH = 16, LAPS = 12 };

struct taken {
	uint64_t pc, next;
	unsigned len;
};

struct reader {
	uint64_t line_bytes, held; /* the line that is there */
	/* the next pc unless fetch is redirected, which drops the line */
	uint64_t next;
	unsigned lines;
	bool past_taken, holds, nothing_before;
	unsigned wrong, cycles, jumps_followed;
};

static uint32_t timing_fetch_random_below(uint32_t *state, uint32_t n)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 8) % n;
}

static void timing_fetch_write16(struct program *p, uint64_t at, uint32_t bits)
{
	const uint16_t half = (uint16_t)bits;
	memcpy(p->text + (at - TEXT), &half, 2);
}

static void timing_fetch_write32(struct program *p, uint64_t at, uint32_t bits)
{
	timing_fetch_write16(p, at, bits);
	timing_fetch_write16(p, at + 2, bits >> 16);
}

static unsigned length_at(const struct program *p, uint64_t pc)
{
	return (p->text[pc - TEXT] & 3) == 3 ? 4 : 2;
}

/* Blocks at random places, each ending in a jump to the next in a random order; the last counts and
 * goes back to the first. */
static struct program *random_code(uint32_t seed)
{
	enum { ROOM = 24 };
	struct program *p = program_new();
	uint32_t state = seed;
	uint64_t begin[BLOCKS + 1], exit_at = TEXT + AREA + 160;
	unsigned order[BLOCKS];
	for (unsigned i = 0; i < BLOCKS; i++) {
		begin[i] = TEXT + 32 + i * ROOM + 2 * timing_fetch_random_below(&state, 3);
		order[i] = i;
	}
	for (unsigned i = BLOCKS - 1; i; i--) {
		const unsigned near = i < 2 ? 0 : i - 2,
			       j = timing_fetch_random_below(&state, 2)
		                           ? timing_fetch_random_below(&state, i + 1)
		                           : near + timing_fetch_random_below(&state, i + 1 - near),
			       was = order[i];
		order[i] = order[j];
		order[j] = was;
	}
	begin[order[BLOCKS - 1]] =
		TEXT + AREA + 64 + 2 * timing_fetch_random_below(&state, 16); /* it is longer */
	p->size = AREA + 256;
	p->x[X_COUNT] = LAPS;
	timing_fetch_write32(p, TEXT, rv_jal(0, (int32_t)(begin[order[0]] - TEXT)));
	for (unsigned i = 0; i < BLOCKS; i++) {
		uint64_t at = begin[order[i]];
		const uint64_t to = i + 1 < BLOCKS ? begin[order[i + 1]] : begin[order[0]];
		for (unsigned n = timing_fetch_random_below(&state, 4); n; n--) {
			const bool is_short = timing_fetch_random_below(&state, 2);
			if (is_short)
				timing_fetch_write16(p, at, 0x0001); /* c.nop */
			else
				timing_fetch_write32(p, at, rv_nop());
			at += is_short ? 2 : 4;
		}
		if (i + 1 == BLOCKS) {
			timing_fetch_write32(p, at, rv_addi(X_COUNT, X_COUNT, -1));
			timing_fetch_write32(p, at + 4,
			                     rv_bne(X_COUNT, 0, (int32_t)(to - (at + 4))));
			timing_fetch_write32(p, at + 8, rv_jal(0, (int32_t)(exit_at - (at + 8))));
		} else if (timing_fetch_random_below(&state, 2)) {
			timing_fetch_write16(p, at, rv_c_j((int32_t)(to - at)));
		} else {
			timing_fetch_write32(p, at, rv_jal(0, (int32_t)(to - at)));
		}
	}
	p->size = (uint32_t)(exit_at - TEXT);
	emit_exit(p);
	return p;
}

static uint64_t timing_fetch_line_number(const struct reader *r, uint64_t pc, unsigned len)
{
	return (pc + len - 1) / r->line_bytes;
}

/* True if the instruction at pc may follow, with the line `cur` present and `count` instructions
 * read. */
static bool may_follow(const struct reader *r, uint64_t pc, unsigned len, bool taken, uint64_t *cur,
                       unsigned *count)
{
	const uint64_t line = timing_fetch_line_number(r, pc, len);
	if (taken && (!r->past_taken || (pc / r->line_bytes != *cur && *count == r->lines)))
		return false;
	if (taken && pc / r->line_bytes != *cur) {
		*cur = pc / r->line_bytes;
		++*count;
	}
	if (line == *cur)
		return true;
	if (line != *cur + 1 || *count == r->lines)
		return false;
	*cur = line;
	++*count;
	return true;
}

static void read_cycle(struct reader *r, const struct program *p, const struct taken *t, unsigned n)
{
	if (!n) {
		r->nothing_before = true;
		return;
	}
	uint64_t cur = timing_fetch_line_number(r, t->pc, t->len);
	unsigned count = 1;
	r->cycles++;
	const bool held = r->holds && r->next == t->pc && r->held == t->pc / r->line_bytes;
	if (t->pc / r->line_bytes != cur && !held && !(r->nothing_before && r->lines == 1))
		count = 2;
	r->wrong += count > r->lines;
	for (unsigned i = 1; i < n; i++) {
		const bool taken = t[i].pc != t[i - 1].pc + t[i - 1].len;
		r->wrong += t[i].pc != t[i - 1].next ||
		            !may_follow(r, t[i].pc, t[i].len, taken, &cur, &count);
		r->jumps_followed += taken;
	}
	const struct taken *last = &t[n - 1];
	uint64_t there = cur;
	const bool taken = last->next != last->pc + last->len;
	/* `next` may lie outside of all code when fetch runs past a jump that it does not know yet.
	 */
	if (n < WIDTH && last->next - TEXT < p->size)
		r->wrong +=
			may_follow(r, last->next, length_at(p, last->next), taken, &there, &count);
	/* the line in which a taken branch's target begins, if the next one holds the rest */
	r->held = there;
	r->next = last->next;
	r->holds = true;
	r->nothing_before = false;
}

static void timing_fetch_check_program(struct bench *b, const char *options, struct reader *r,
                                       uint32_t seed)
{
	struct program *p = random_code(seed);
	struct machine *m = machine_for(
		b, "wide", with("l1i.perfect=true bpred.kind=taken btb.sets=1024 %s", options), p);
	const struct pipe *pipe = machine_pipe(m);
	r->holds = r->nothing_before = false;
	uint64_t seq = 1;
	while (machine_step(m)) {
		struct taken t[WIDTH];
		unsigned n = 0;
		for (; seq < pipe->st->next_seq; seq++) {
			const struct uop *u = pipe_find(pipe, seq);
			if (u && n < WIDTH)
				t[n++] = (struct taken){u->pc, u->pred_next, u->inst.len};
		}
		read_cycle(r, p, t, n);
	}
	r->wrong += machine_status(m) != MACHINE_EXITED;
	machine_free(m);
	free(p);
}

static void check_lines(struct bench *b, const char *parameter, unsigned line_bytes, unsigned lines,
                        bool past_taken)
{
	enum { PROGRAMS = 20 };
	struct reader r = {.line_bytes = line_bytes, .lines = lines, .past_taken = past_taken};
	if (b->ignore && strcmp(b->ignore, parameter) != 0)
		return;
	char options[128];
	snprintf(options, sizeof options,
	         "pipe.fetch_lines=%u pipe.fetch_past_taken=%s l1i.line=%u", lines,
	         past_taken ? "true" : "false", line_bytes);
	for (uint32_t seed = 1; seed <= PROGRAMS; seed++)
		timing_fetch_check_program(b, options, &r, seed);
	check(b, parameter, options, "instructions fetched against the rule", 0, r.wrong);
	check(b, parameter, options, "cycles and jumps are many", 1,
	      r.cycles > 1000 && (!past_taken || line_bytes == 16 || r.jumps_followed > 20));
}

void group_fetch(struct bench *b)
{
	for (unsigned past = 0; past < 2; past++) {
		check_lines(b, "pipe.fetch_past_taken", 16, 1, past);
		check_lines(b, "pipe.fetch_past_taken", 64, 2, past);
		check_lines(b, "pipe.fetch_lines", 16, 2, past);
		check_lines(b, "pipe.fetch_lines", 32, 4, past);
		check_lines(b, "pipe.fetch_lines", 16, 16, past);
	}
}
