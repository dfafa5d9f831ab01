/* Hazards of Hennessy and Patterson's five-stage pipeline with floating point (appendix C):
 * classic5 against stalls that were worked out by hand, and against an independent model of the
 * rules, for those sequences and for random ones.
 *
 * A sequence is written as "fld 4 | fmul 0 4 6 | fsd 0": operation, destination, sources; a store's
 * is what it stores, a load's and store's addresses are ready. The numbers by hand are the cycles
 * that each instruction stalls in decode and, after a '+', a store in the execute stage.
 *
 * The book's rules. EX of integers takes a cycle, a load's value comes a cycle later. Addition
 * takes 4, multiplication 7, also of integers, division 25, of which there is one at a time. A
 * result can be used in the cycle after its last; it is written a cycle later than that. An
 * instruction stays in decode while an operand isn't there, its unit is taken, an older one would
 * write its register in the same cycle or later, or another writes the same register file in the
 * cycle in which it would. A store leaves EX when its data is being written, and EX takes no
 * other instruction before. */
#include "core/defs/stats_fields.h"
#include "tests/timing/bench.h"
#include "tests/timing/encode.h"

#include <stdlib.h>
#include <string.h>

enum { LEAD = 13, LONGEST = 24, UOPS = 128, RANDOM_SEQUENCES = 250 };

enum kind { ADD, LOAD, STORE, MUL, DIV, FADD, FMUL, FDIV, FLOAD, FSTORE, KINDS };

/*                                       ADD    LOAD  STORE MUL    DIV    FADD    FMUL    FDIV FLOAD
 * FSTORE */
static const char *const names[KINDS] = {"add",  "ld",   "sd",   "mul", "div",
                                         "fadd", "fmul", "fdiv", "fld", "fsd"};

struct line {
	enum kind kind;
	int d, a, b; /* registers: floating-point ones from 32 on, -1: none */
};

/* When it begins to execute and when it writes, counted from the first one's execution; a store:
 * when it is in M. */
struct moment {
	int64_t begins, writes;
};

/* ---- the model ---- */
enum rule { BY_ORDER, BY_UNIT };

static bool textbook_is_load(enum kind k)
{
	return k == LOAD || k == FLOAD;
}
static bool textbook_is_store(enum kind k)
{
	return k == STORE || k == FSTORE;
}
static bool is_division(enum kind k) { return k == DIV || k == FDIV; }
static bool needs_ex(enum kind k)
{
	return k == ADD || textbook_is_load(k) || textbook_is_store(k);
}

static int64_t textbook_latency(enum kind k)
{
	return k == FADD               ? 4
	       : k == MUL || k == FMUL ? 7
	       : is_division(k)        ? 25
	       : textbook_is_load(k)   ? 2
	                               : 1;
}

/* From the beginning of execution. A memory stage follows, which is part of a load's latency. */
static int64_t write_after(enum kind k)
{
	return textbook_latency(k) + !textbook_is_load(k);
}

/* Cycles that a register or a port alone cost. */
static struct { int64_t waw, ports; } cost;

static void follow_the_rules(const struct line *l, unsigned n, enum rule rule, unsigned int_ports,
                             unsigned fp_ports, struct moment *m)
{
	int64_t at = -1, ex_free = 0;
	for (unsigned i = 0; i < n; i++) {
		const enum kind k = l[i].kind;
		bool stalls = true;
		for (at++; stalls; at += stalls) {
			const int64_t w = at + write_after(k);
			unsigned same_file = 0;
			bool later = false, ports;
			stalls = needs_ex(k) && at < ex_free;
			for (unsigned j = 0; j < i; j++) {
				const enum kind e = l[j].kind;
				const int64_t there = m[j].begins + textbook_latency(e);
				/* Of several producers of an operand the youngest counts; the other
				 * values are ready earlier. */
				if (l[j].d >= 0 && (l[j].d == l[i].a ||
				                    (l[j].d == l[i].b && !textbook_is_store(k))))
					stalls |= at < there;
				stalls |= is_division(k) && is_division(e) && at < m[j].begins + 25;
				if (l[i].d < 0 || l[j].d < 0)
					continue;
				same_file += l[j].d / 32 == l[i].d / 32 && m[j].writes == w;
				if (l[j].d == l[i].d)
					later |= m[j].writes >= w ||
					         (rule == BY_UNIT && !needs_ex(e) && at <= there);
			}
			ports = (l[i].d >= 32 && fp_ports && same_file >= fp_ports) ||
			        (l[i].d >= 0 && l[i].d < 32 && int_ports && same_file >= int_ports);
			cost.waw += !stalls && later;
			cost.ports += !stalls && !later && ports;
			stalls |= later || ports;
		}
		m[i] = (struct moment){at, at + write_after(k)};
		if (!textbook_is_store(k))
			continue;
		m[i].writes = at + 1;
		for (unsigned j = 0; j < i; j++)
			if (l[j].d >= 0 && l[j].d == l[i].b && m[j].writes > m[i].writes)
				m[i].writes = m[j].writes;
		ex_free = m[i].writes;
	}
}

/* ---- sequences as text ---- */
static unsigned textbook_parse_sequence(const char *text, struct line *l)
{
	unsigned n = 0;
	char copy[512], *rest = copy;
	snprintf(copy, sizeof copy, "%s", text);
	for (char *part; n < LONGEST && (part = strtok_r(rest, "|", &rest)); n++) {
		char name[16];
		int reg[3] = {-1, -1, -1}, k = 0;
		const int got = sscanf(part, " %15s %d %d %d", name, &reg[0], &reg[1], &reg[2]);
		while (k < KINDS && strcmp(names[k], name))
			k++;
		if (got < 1 || k == KINDS)
			exit(2);
		for (int r = 0; k >= FADD && r < 3; r++)
			reg[r] += reg[r] < 0 ? 0 : 32;
		l[n] = textbook_is_store((enum kind)k)
		               ? (struct line){(enum kind)k, -1, -1, reg[0]}
		               : (struct line){(enum kind)k, reg[0], reg[1], reg[2]};
	}
	return n;
}

static uint32_t textbook_encode_line(const struct line *l)
{
	const unsigned d = (unsigned)l->d & 31, a = l->a < 0 ? 5 : (unsigned)l->a & 31,
		       b = l->b < 0 ? 6 : (unsigned)l->b & 31;
	switch (l->kind) {
	case ADD: return rv_add(d, a, b);
	case LOAD: return rv_ld(d, 0, X_DATA);
	case STORE: return rv_sd(b, 8, X_DATA);
	case MUL: return rv_mul(d, a, b);
	case DIV: return rv_divu(d, a, b);
	case FADD: return rv_fadd(d, l->a < 0 ? F_ONE : a, l->b < 0 ? F_ONE : b);
	case FMUL: return rv_fmul(d, l->a < 0 ? F_ONE : a, l->b < 0 ? F_ONE : b);
	case FDIV: return rv_fdiv(d, l->a < 0 ? F_ONE : a, l->b < 0 ? F_ONE : b);
	case FLOAD: return enc_i(OP_FLD, d, X_DATA, 16);
	case FSTORE: return enc_s(OP_FSD, b, X_DATA, 24);
	default: return rv_nop();
	}
}

/* ---- the machine ---- */
/* The first load brings the data's line; in the bubbles of taken branches it arrives. */
static struct program *program_of(const struct line *l, unsigned n)
{
	struct program *p = program_new();
	p->x[5] = 5;
	p->x[6] = 3;
	emit(p, rv_ld(30, 0, X_DATA));
	for (int i = 0; i < LEAD / 2; i++) {
		emit(p, rv_beq(0, 0, 8));
		emit(p, rv_nop());
	}
	for (unsigned i = 0; i < n; i++)
		emit(p, textbook_encode_line(&l[i]));
	emit_exit(p);
	return p;
}

static void textbook_measure_sequence(struct bench *b, const char *options, const struct line *l,
                                      unsigned n, struct moment *m)
{
	static struct uop uops[UOPS];
	struct program *p = program_of(l, n);
	const unsigned count = trace(b, "classic5", options, p, uops, UOPS);
	const uint64_t from = committed_at(uops, count, TEXT + 4 * LEAD)->when.issue;
	for (unsigned i = 0; i < n; i++) {
		const struct uop *u = committed_at(uops, count, TEXT + 4 * (uint64_t)(LEAD + i));
		m[i].begins = (int64_t)(u->when.issue - from);
		m[i].writes = (int64_t)(u->when.done - from) +
		              !(textbook_is_load(l[i].kind) || textbook_is_store(l[i].kind));
	}
	free(p);
}

/* ---- by hand ---- */
static const struct {
	const char *code, *stalls;
} by_hand[] = {
	/* integers */
	{"add 10 5 6 | add 11 10 5 | add 12 11 10", "0 0 0"},
	{"ld 10 | add 11 10 5", "0 1"},
	{"ld 10 | add 12 5 6 | add 11 10 5", "0 0 0"},
	{"ld 10 | sd 10", "0 0"},
	{"ld 10 | ld 11 | add 12 10 11", "0 0 1"},
	{"add 10 5 6 | sd 10", "0 0"},
	{"mul 10 5 6 | add 11 10 5", "0 6"},
	{"mul 10 5 6 | add 11 5 6 | add 12 10 5", "0 0 5"},
	{"mul 10 5 6 | mul 11 5 6 | mul 12 5 6", "0 0 0"},
	{"mul 10 5 6 | add 11 5 6 | ld 12", "0 0 0"},
	{"mul 10 5 6 | sd 10", "0 0+6"},
	{"div 10 5 6 | add 11 10 5", "0 24"},
	{"div 10 5 6 | div 11 5 6", "0 24"},
	{"div 10 5 6 | mul 11 5 6 | add 12 5 6 | ld 13", "0 0 0 0"},
	{"div 10 5 6 | add 11 5 6 | div 12 5 6", "0 0 23"},
	{"ld 10 | mul 11 10 5 | add 12 11 5", "0 1 6"},
	/* floating point: operands */
	{"fadd 2 | fadd 3 2 1", "0 3"},
	{"fadd 2 | fadd 3", "0 0"},
	{"fmul 2 | fmul 3", "0 0"},
	{"fmul 2 | fmul 3 2 1", "0 6"},
	{"fmul 2 | fadd 3 2 1", "0 6"},
	{"fadd 2 | fmul 3 2 1", "0 3"},
	{"fld 2 | fmul 3 2 1", "0 1"},
	{"fld 2 | fadd 3 1 2", "0 1"},
	{"fld 2 | add 10 5 6 | fadd 3 1 2", "0 0 0"},
	{"fdiv 2 | fadd 3 2 1", "0 24"},
	{"fdiv 2 | add 10 5 6 | add 11 5 6 | ld 12 | add 13 12 5", "0 0 0 0 1"},
	{"fdiv 2 | fdiv 3", "0 24"},
	{"fdiv 2 | div 10 5 6", "0 24"},
	{"fdiv 2 | fmul 3 | fadd 4 | fld 5", "0 0 0 0"},
	{"fdiv 2 | fadd 3 | fadd 4 3 1", "0 0 3"},
	{"fdiv 2 | fdiv 3 2 1", "0 24"},
	/* figure C.37 */
	{"fld 4 | fmul 3 4 6 | fadd 2 3 8 | fsd 2", "0 1 6 0+3"},
	/* stores: two cycles after the last write of their data */
	{"fadd 2 | fsd 2", "0 0+3"},
	{"fmul 2 | fsd 2", "0 0+6"},
	{"fld 2 | fsd 2", "0 0"},
	{"fadd 2 | fsd 2 | add 10 5 6", "0 0+3 3"},
	{"fadd 2 | fsd 2 | fmul 3", "0 0+3 0"},
	{"fadd 2 | fsd 2 | ld 10 | add 11 10 5", "0 0+3 3 1"},
	{"fadd 2 | add 10 5 6 | fsd 2", "0 0 0+2"},
	/* Figure C.38: fmul begins in cycle 0 and writes in 8. The addition would from 3 on, and so
         * it begins in 4 and writes in 9. One load would write in 9, the other in 8: both begin in
         * 8 and write in 10. */
	{"fmul 3 | add 10 5 6 | add 11 5 6 | fadd 2 | add 12 5 6 | add 13 5 6 | fld 5",
         "0 0 0 1 0 0 1"},
	{"fmul 3 | add 10 5 6 | add 11 5 6 | fadd 2 | add 12 5 6 | fld 5", "0 0 0 1 0 2"},
	{"fadd 2 | add 10 5 6 | add 11 5 6 | fld 3", "0 0 0 1"},
	{"fadd 2 | add 10 5 6 | add 11 5 6 | ld 12", "0 0 0 0"},
	{"fmul 2 | add 10 5 6 | add 11 5 6 | fadd 3", "0 0 0 1"},
	{"fmul 2 | fmul 3 | add 10 5 6 | fadd 4", "0 0 0 2"},
	{"fmul 2 | fmul 3 | fmul 4 | fadd 5", "0 0 0 3"},
	/* The multiplication begins in cycle 0 and writes in 8, as would the last instruction,
	 * which waits unless it writes no integer register. */
	{"mul 10 5 6 | add 11 5 6 | add 12 5 6 | add 13 5 6 | add 14 5 6 | add 15 5 6 | add 16 5 6",
         "0 0 0 0 0 0 1"},
	{"mul 10 5 6 | add 11 5 6 | add 12 5 6 | add 13 5 6 | add 14 5 6 | add 15 5 6 | ld 16",
         "0 0 0 0 0 0 1"},
	{"mul 10 5 6 | add 11 5 6 | add 12 5 6 | add 13 5 6 | add 14 5 6 | add 15 5 6 | fld 2",
         "0 0 0 0 0 0 0"},
	{"mul 10 5 6 | add 11 5 6 | add 12 5 6 | add 13 5 6 | add 14 5 6 | add 15 5 6 | sd 5",
         "0 0 0 0 0 0 0"},
	/* write after write */
	{"fadd 2 | fld 2", "0 3"},
	{"fadd 2 | add 10 5 6 | fld 2", "0 0 2"},
	{"fmul 2 | fadd 2", "0 3"},
	{"fmul 2 | fld 2", "0 6"},
	{"fadd 2 | fadd 2", "0 0"},
	{"fadd 2 | fmul 2", "0 0"},
	{"fdiv 2 | fadd 2", "0 21"},
	{"mul 10 5 6 | add 10 5 6", "0 6"},
	{"mul 10 5 6 | ld 10", "0 6"},
	{"mul 10 5 6 | add 11 5 6 | add 10 5 6 | add 12 10 5", "0 0 5 0"},
	{"ld 10 | add 10 5 6 | add 11 10 5", "0 0 0"},
	/* together */
	{"fld 2 | fmul 3 2 1 | fld 4 | fadd 5 3 4 | fsd 5", "0 1 0 5 0+3"},
	{"fld 2 | fadd 3 2 1 | fsd 3 | add 10 5 6 | add 11 10 5", "0 1 0+3 3 0"},
	{"div 10 5 6 | fdiv 2 | fadd 3 2 1", "0 24 24"},
};

/* Stalls of each instruction since its predecessor left decode. */
static void write_stalls(const struct line *l, const struct moment *m, unsigned n, char *out,
                         size_t room)
{
	size_t at = 0;
	for (unsigned i = 0; i < n && at < room; i++) {
		const int64_t late =
			textbook_is_store(l[i].kind) ? m[i].writes - m[i].begins - 1 : 0;
		at += (size_t)snprintf(out + at, room - at, "%s%d", i ? " " : "",
		                       (int)(m[i].begins - (i ? m[i - 1].begins + 1 : 0)));
		if (late)
			at += (size_t)snprintf(out + at, room - at, "+%d", (int)late);
	}
}

static unsigned textbook_count_same_moments(const struct moment *a, const struct moment *b,
                                            unsigned n)
{
	unsigned right = 0;
	for (unsigned i = 0; i < n; i++)
		right += a[i].begins == b[i].begins && a[i].writes == b[i].writes;
	return right;
}

static void check_by_hand(struct bench *b)
{
	struct line l[LONGEST];
	struct moment model[LONGEST], machine[LONGEST];
	char found[256], thought[256];
	for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++) {
		const unsigned n = textbook_parse_sequence(by_hand[i].code, l);
		follow_the_rules(l, n, BY_ORDER, 1, 1, model);
		textbook_measure_sequence(b, "", l, n, machine);
		write_stalls(l, machine, n, found, sizeof found);
		write_stalls(l, model, n, thought, sizeof thought);
		check(b, "classic5", with("stalls %s, model %s", found, thought), by_hand[i].code,
		      1,
		      !strcmp(found, by_hand[i].stalls) && !strcmp(thought, by_hand[i].stalls) &&
		              textbook_count_same_moments(machine, model, n) == n);
	}
}

static uint32_t textbook_random_below(uint32_t *state, uint32_t n)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 8) % n;
}

static unsigned draw_sequence(uint32_t *state, struct line *l, unsigned most)
{
	const unsigned n = 2 + textbook_random_below(state, most - 2);
	for (unsigned i = 0; i < n; i++) {
		const enum kind k = (enum kind)textbook_random_below(state, KINDS);
		const int base = k >= FADD ? 42 : 10,
			  r[3] = {base + (int)textbook_random_below(state, 4),
		                  base + (int)textbook_random_below(state, 4),
		                  base + (int)textbook_random_below(state, 4)};
		l[i] = textbook_is_store(k)  ? (struct line){k, -1, -1, r[0]}
		       : textbook_is_load(k) ? (struct line){k, r[0], -1, -1}
		                             : (struct line){k, r[0], r[1], r[2]};
	}
	return n;
}

static void check_random(struct bench *b, const char *parameter, const char *options,
                         enum rule rule, unsigned int_ports, unsigned fp_ports, unsigned sequences)
{
	struct line l[LONGEST];
	struct moment model[LONGEST], machine[LONGEST];
	unsigned right = 0;
	uint32_t state = 1;
	if (b->ignore && strcmp(b->ignore, parameter) != 0)
		return;
	for (unsigned s = 0; s < sequences; s++) {
		const unsigned n = draw_sequence(&state, l, LONGEST);
		follow_the_rules(l, n, rule, int_ports, fp_ports, model);
		textbook_measure_sequence(b, options, l, n, machine);
		right += textbook_count_same_moments(machine, model, n) == n;
	}
	check(b, parameter, options, "random sequences as the rules have them", sequences, right);
}

/* The cost of a register and a port, by statistics. */
static void textbook_check_cost(struct bench *b, const char *options, enum rule rule)
{
	struct line l[LONGEST];
	struct moment model[LONGEST];
	int64_t waw = 0, ports = 0;
	uint32_t state = 7;
	if (b->ignore)
		return;
	cost.waw = cost.ports = 0;
	for (unsigned s = 0; s < RANDOM_SEQUENCES / 5; s++) {
		const unsigned n = draw_sequence(&state, l, LONGEST - 2);
		l[n] = (struct line){ADD, 10, -1, -1}; /* the way out */
		l[n + 1] = (struct line){ADD, 17, -1, -1};
		follow_the_rules(l, n + 2, rule, 1, 1, model);
		struct program *p = program_of(l, n);
		struct machine *m = machine_for(b, "classic5", options, p);
		machine_run(m, 100000, UINT64_MAX);
		waw += (int64_t)machine_stats(m)->issue_waw;
		ports += (int64_t)machine_stats(m)->issue_ports;
		machine_free(m);
		free(p);
	}
	check(b, "issue.waw", options, "cycles that a register alone costs", cost.waw, waw);
	check(b, "issue.write_ports", options, "cycles that a port alone costs", cost.ports, ports);
}

/* The last of the sequence begins in this cycle. */
static void check_begin(struct bench *b, const char *parameter, const char *options,
                        const char *code, int64_t begins)
{
	struct line l[LONGEST];
	struct moment machine[LONGEST];
	if (b->ignore && strcmp(b->ignore, parameter) != 0)
		return;
	const unsigned n = textbook_parse_sequence(code, l);
	textbook_measure_sequence(b, options, l, n, machine);
	check(b, parameter, options, code, begins, machine[n - 1].begins);
}

void group_textbook(struct bench *b)
{
	check_by_hand(b);
	check_begin(b, "pipe.completion", "pipe.completion=in-order", "fadd 2 | fld 2", 1);
	check_begin(b, "fu.div", "fu.div=0", "fdiv 2 | fmul 3", 25);
	check_begin(b, "fu.div", "fu.div=2", "fdiv 2 | fdiv 3", 1);
	textbook_check_cost(b, "", BY_ORDER);
	textbook_check_cost(b, "pipe.waw=unit", BY_UNIT);
	check_random(b, "classic5", "", BY_ORDER, 1, 1, RANDOM_SEQUENCES);
	check_random(b, "pipe.waw", "pipe.waw=unit", BY_UNIT, 1, 1, RANDOM_SEQUENCES);
	check_random(b, "pipe.fp_writes", "pipe.fp_writes=0", BY_ORDER, 1, 0, RANDOM_SEQUENCES / 5);
	check_random(b, "pipe.fp_writes", "pipe.fp_writes=2", BY_ORDER, 1, 2, RANDOM_SEQUENCES / 5);
	check_random(b, "pipe.int_writes", "pipe.int_writes=0", BY_ORDER, 0, 1,
	             RANDOM_SEQUENCES / 5);
	check_random(b, "pipe.int_writes", "pipe.int_writes=2", BY_ORDER, 2, 1,
	             RANDOM_SEQUENCES / 5);
}
