/* The textbooks' five-stage pipelines, letter for letter: the rows of board.txt, which were worked
 * out by hand, against a model of the books' rules that has nothing of the machine, and against
 * the diagram that `view pipe` draws.
 *
 * The model's rules (Patterson and Hennessy; long operations as in Hennessy and Patterson, appendix
 * C). Each of F, D, X and M holds one instruction; it leaves for the next stage in the first cycle
 * in which that is free and it has what it needs:
 *
 *   D to X   its operands: from the end of the stage that makes them; without forwarding, if they
 *            are written while it is in D. A branch that is resolved in D needs them there. A unit
 *            that is not pipelined takes the next when the last has left it. No older instruction
 *            writes the same register later, nor another register of its file in the same cycle.
 *   X to M   what it stores is being written
 *   F        follows a taken branch from the cycle after the stage that resolves it, which kills
 *            what was fetched meanwhile; with one memory port, not while M has a load or store */
#include "hwviews/machine/pipe_rows.h"
#include "tests/timing/bench.h"
#include "tests/timing/encode.h"

#include <stdlib.h>
#include <string.h>

enum { LEAD = 13, ROWS = 8, COLUMNS = 80, RANDOM_SEQUENCES = 150, SKIPPED = 3,
       LINE = 64 /* instructions */, MISSED = 3 /* cycles beyond a hit */ };

enum step { ADD, LOAD, MISS, AGAIN, STORE, MUL, DIV, FADD, FMUL, FLOAD, FSTORE, TAKEN, NOT, JUMP, INDIRECT,
	STEPS };
static const char *const board_words[STEPS] = {"add",  "ld",   "lm",  "ls",  "sd", "mul", "div", "fadd",
                                               "fmul", "fld", "fsd", "bt", "bn",  "j",   "jr"};

struct board_line {
	enum step step;
	bool fresh;  /* the first of a line that was never fetched */
	int d, a, b; /* registers: floating-point ones from 32 on, -1: none */
};

struct board_picture {
	char row[ROWS][COLUMNS + 1];
};

static const struct board_machine {
	const char *preset, *parameter, *options; /* options: what makes classic5 this preset */
	bool forwarding, port, pipelined;
	char resolved;
} board_machines[] = {
	{"classic5", "pipe.completion", "", true, false, true, 'X'},
	{"classic5_nofwd", "pipe.forwarding", "pipe.forwarding=false", false, false, true, 'X'},
	{"classic5_id", "bpred.resolve", "bpred.resolve=id", true, false, true, 'D'},
	{"classic5_mem", "bpred.resolve", "bpred.resolve=mem", true, false, true, 'M'},
	{"classic5_oneport", "mem.unified_port", "mem.unified_port=true", true, true, true, 'X'},
	{"classic5_multicycle", "occ.imul", "occ.imul=7 occ.fadd=4 occ.fmul=7 occ.fma=11", true,
         false, false, 'X'},
};
enum { MACHINES = sizeof board_machines / sizeof *board_machines };

/* ---- the model ---- */

/* First cycles in the stages; gone: the cycle in which the instruction is squashed. */
struct board_times {
	int room, f, d, x, m, w, gone; /* room: F was free for it */
};

enum { NEVER = 1 << 20 };

static bool board_is_load(enum step s)
{
	return s == LOAD || s == MISS || s == AGAIN || s == FLOAD;
}
static bool board_is_store(enum step s) { return s == STORE || s == FSTORE; }
static bool board_is_control(enum step s) { return s >= TAKEN; }

static int board_execution(enum step s)
{
	return s == MUL || s == FMUL ? 7 : s == FADD ? 4 : s == DIV ? 25 : 1;
}

/* The unit of a long operation, 0: the execute stage. */
static int board_unit(enum step s)
{
	return board_execution(s) > 1 ? (int)s : 0;
}

/* The youngest of the instructions before i that writes reg and is not killed; -1: none. */
static int board_producer(const struct board_line *l, const struct board_times *t, int i, int reg)
{
	for (int j = i; reg > 0 && j-- > 0;)
		if (t[j].gone == NEVER && l[j].d == reg)
			return j;
	return -1;
}

/* The first cycle after the stage that makes the result. */
static int board_made(const struct board_line *l, const struct board_times *t)
{
	return board_is_load(l->step) ? t->w : t->x + board_execution(l->step);
}

/* True if an operand keeps instruction i out of the execute stage in cycle x. */
static bool board_lacks_operand(const struct board_machine *m, const struct board_line *l,
                                const struct board_times *t, int i, int x)
{
	const bool early = m->resolved == 'D' && board_is_control(l[i].step);
	for (int operand = 0; operand < 2; operand++) {
		const int j = board_producer(l, t, i, operand ? l[i].b : l[i].a);
		const bool stored = operand == 1 && board_is_store(l[i].step);
		if (j < 0 || (stored && m->forwarding))
			continue;
		if (m->forwarding ? x < board_made(&l[j], &t[j]) + early : x <= t[j].w)
			return true;
	}
	return false;
}

/* True if an older instruction keeps instruction i out of its unit in cycle x, or would be
 * overtaken. */
static bool board_is_in_the_way(const struct board_machine *m, const struct board_line *l,
                                const struct board_times *t, int i, int x)
{
	const int unit = board_unit(l[i].step), write = x + board_execution(l[i].step) + 1;
	for (int j = 0; j < i; j++) {
		if (t[j].gone != NEVER)
			continue;
		const int theirs = board_unit(l[j].step);
		if (!unit && !theirs && x < t[j].m)
			return true;
		if (unit && unit == theirs && (unit == DIV || !m->pipelined) && x < t[j].m)
			return true;
		if (l[i].d > 0 && l[i].d == l[j].d && t[j].w >= write)
			return true;
		if (l[i].d > 0 && l[j].d > 0 && l[i].d / 32 == l[j].d / 32 && t[j].w == write)
			return true;
	}
	return false;
}

/* True if an older load or store is in the memory stage in cycle c. */
static bool board_port_is_taken(const struct board_line *l, const struct board_times *t, int i,
                                int c)
{
	for (int j = 0; j < i; j++)
		if (t[j].gone == NEVER && (board_is_load(l[j].step) || board_is_store(l[j].step)) &&
		    c >= t[j].m && c < t[j].w)
			return true;
	return false;
}

static void board_model(const struct board_machine *m, const struct board_line *l, int n,
                        struct board_times *t)
{
	int follow = 0, killer = -1, prior = -1; /* the instruction before, if it was not killed */
	for (int i = 0; i < n; i++) {
		const bool killed = killer >= 0 && i <= killer + SKIPPED;
		struct board_times *own = &t[i];
		const struct board_times *before = i && (killed || prior == i - 1) ? &t[i - 1] : NULL;
		own->gone = killed ? follow : NEVER;
		own->f = own->room = before ? before->d : follow;
		while (m->port && board_port_is_taken(l, t, i, own->f))
			own->f++;
		own->d = own->f + 1 + (l[i].fresh ? MISSED : 0);
		if (before && own->d < before->x)
			own->d = before->x;
		own->x = own->d + 1;
		while (board_lacks_operand(m, l, t, i, own->x) ||
		       board_is_in_the_way(m, l, t, i, own->x))
			own->x++;
		own->m = own->x + board_execution(l[i].step);
		/* M holds one instruction at a time, but long operations bypass M. */
		for (int j = 0; !board_unit(l[i].step) && j < i; j++)
			if (t[j].gone == NEVER && !board_unit(l[j].step) && own->m < t[j].w)
				own->m = t[j].w;
		const int data = board_is_store(l[i].step) ? board_producer(l, t, i, l[i].b) : -1;
		if (data >= 0 && own->m < t[data].w)
			own->m = t[data].w;
		own->w = own->m + 1 + (l[i].step == MISS ? MISSED : 0);
		if (killed)
			continue;
		prior = i;
		if (l[i].step == TAKEN || l[i].step == JUMP || l[i].step == INDIRECT) {
			const bool in_d = l[i].step == JUMP && m->resolved != 'M';
			killer = i;
			follow = in_d                 ? own->d + 1
			         : m->resolved == 'D' ? own->x
			         : m->resolved == 'X' ? own->m
			                              : own->w;
		}
	}
}

static void board_draw(const struct board_times *t, int n, struct board_picture *out)
{
	for (int i = 0; i < n; i++) {
		const int end = t[i].gone != NEVER ? t[i].gone : t[i].w;
		char *row = out->row[i];
		for (int c = 0; t[i].f < end && c <= end; c++)
			row[c] = c < t[i].room                        ? ' '
			         : c < t[i].f                          ? 's'
			         : t[i].gone != NEVER && c == t[i].gone ? 'x'
			         : c < t[i].d                          ? 'F'
			         : c < t[i].x                          ? 'D'
			         : c < t[i].m                          ? 'X'
			         : c < t[i].w                          ? 'M'
			                                               : 'W';
	}
}

/* ---- the machine ---- */
static uint32_t board_encode(const struct board_line *l)
{
	const unsigned d = (unsigned)l->d & 31, a = l->a < 0 ? X_DATA : (unsigned)l->a & 31,
		       b = (unsigned)l->b & 31;
	const int32_t target = 4 * (SKIPPED + 1);
	switch (l->step) {
	case ADD: return rv_add(d, a, b);
	case LOAD: return rv_ld(d, 0, a);
	case MISS: return rv_ld(d, 1024, a);
	case AGAIN: return rv_ld(d, 8, a);
	case STORE: return rv_sd(b, 8, a);
	case MUL: return rv_mul(d, a, b);
	case DIV: return rv_divu(d, a, b);
	case FADD: return rv_fadd(d, a, b);
	case FMUL: return rv_fmul(d, a, b);
	case FLOAD: return enc_i(OP_FLD, d, X_DATA, 16);
	case FSTORE: return enc_s(OP_FSD, b, X_DATA, 24);
	case TAKEN: return rv_beq(a, a, target);
	case NOT: return rv_bne(a, a, target);
	case JUMP: return rv_jal(1, target);
	case INDIRECT: return rv_jalr(1, a);
	default: return rv_nop();
	}
}

/* The first load brings the data's line; the instructions held up by it drain in the bubbles of
 * taken branches. */
static void board_run(struct bench *b, const struct board_machine *m, const struct board_line *l,
                      int n, struct board_picture *out)
{
	struct program *p = program_new();
	int lead = LEAD;
	for (int i = 0; i < n; i++)
		lead = l[i].fresh ? LINE - i : lead;
	p->x[5] = 5;
	p->x[6] = 3;
	set_word(p, DATA, DATA + 32);
	set_word(p, DATA + 32, DATA + 64);
	emit(p, rv_ld(29, 0, X_DATA));
	nops(p, lead - LEAD);
	for (int i = 0; i < LEAD / 2; i++) {
		emit(p, rv_beq(0, 0, 8));
		emit(p, rv_nop());
	}
	for (int i = 0; i < n; i++) {
		emit(p, board_encode(&l[i]));
		if (l[i].step == INDIRECT)
			p->x[30] = TEXT + 4 * (uint64_t)(lead + i + SKIPPED + 1);
	}
	nops(p, 4);
	emit_exit(p);
	/* In the self-test, whose options are dropped, a preset is made of them. */
	struct machine *machine = machine_for(b, b->ignore ? "classic5" : m->preset,
	                                      b->ignore ? m->options : "", p);
	machine_run(machine, 100000, UINT64_MAX);
	const struct pipe *pipe = machine_pipe(machine);
	const struct uop *at[ROWS] = {0};
	/* The last instruction fetched at a place counts. */
	for (uint32_t k = 0; k < pipe->pool_size; k++) {
		const struct uop *u = &pipe->pool[k];
		const uint64_t i = (u->pc - TEXT) / 4 - (uint64_t)lead;
		if (u->seq && i < (uint64_t)n && (!at[i] || at[i]->seq < u->seq))
			at[i] = u;
	}
	for (int i = 0; i < n; i++) {
		size_t used = 0;
		for (size_t c = 0; at[i] && at[0] && c < COLUMNS; c++) {
			out->row[i][c] = *pipe_letter(pipe, at[i], at[0]->when.fetch + c);
			if (out->row[i][c] != ' ')
				used = c + 1;
		}
		memset(out->row[i] + used, 0, sizeof out->row[i] - used);
	}
	machine_free(machine);
	free(p);
}

/* ---- board.txt ---- */
struct board_sequence {
	char title[100], text[ROWS][32];
	struct board_line line[ROWS];
	int rows;
	struct board_picture by_hand[MACHINES];
	bool drawn[MACHINES];
};

static _Noreturn void board_fail(const char *what, const char *line)
{
	fprintf(stderr, "tests/timing/board.txt: %s: %s\n", what, line);
	exit(2);
}

static struct board_line board_parse(const char *text)
{
	char word[16];
	int reg[3] = {-1, -1, -1}, s = 0;
	const bool fresh = *text == '*';
	const int got = sscanf(text + fresh, " %15s %d %d %d", word, &reg[0], &reg[1], &reg[2]);
	while (s < STEPS && strcmp(board_words[s], word) != 0)
		s++;
	if (got < 1 || s == STEPS)
		board_fail("no such instruction", text);
	const enum step step = (enum step)s;
	for (int r = 0; step >= FADD && step <= FSTORE && r < 3; r++)
		reg[r] += reg[r] < 0 ? 0 : 32;
	if (board_is_store(step))
		return (struct board_line){step, fresh, -1, reg[1], reg[0]};
	if (step == TAKEN || step == NOT)
		return (struct board_line){step, fresh, -1, reg[0], -1};
	if (step == JUMP || step == INDIRECT)
		return (struct board_line){step, fresh, 1, reg[0], -1};
	return (struct board_line){step, fresh, reg[0], reg[1], reg[2]};
}

static int board_machine_named(const char *name)
{
	for (int m = 0; m < MACHINES; m++)
		if (!strcmp(board_machines[m].preset, name))
			return m;
	board_fail("no such preset", name);
}

/* Reads the next sequence; false at the end. */
static bool board_read(FILE *in, struct board_sequence *s)
{
	char line[160];
	int machine = 0, row = 0;
	const long none = -1;
	long here = none;
	memset(s, 0, sizeof *s);
	while (here = ftell(in), fgets(line, sizeof line, in)) {
		line[strcspn(line, "\n")] = '\0';
		char *bar = strchr(line, '|');
		if (*line == '#' || !*line) {
			continue;
		} else if (*line == '=' && *s->title) {
			fseek(in, here, SEEK_SET);
			return true;
		} else if (*line == '=') {
			snprintf(s->title, sizeof s->title, "%s", line + 2);
		} else if (*line == '>') {
			machine = board_machine_named(line + 2);
			s->drawn[machine] = true;
			row = 0;
		} else if (bar && row < ROWS) {
			snprintf(s->by_hand[machine].row[row], COLUMNS + 1, "%s", bar + 1);
			*bar = '\0';
			if (bar != line) {
				snprintf(s->text[row], sizeof s->text[row], "%.31s", line);
				s->line[row] = board_parse(line);
				s->rows = row + 1;
			}
			row++;
		} else {
			board_fail("expected a row", line);
		}
	}
	return *s->title;
}

static void board_check(struct bench *b, const struct board_sequence *s, int machine)
{
	const struct board_machine *m = &board_machines[machine];
	const struct board_picture *right = &s->by_hand[s->drawn[machine] ? machine : 0];
	struct board_picture model = {0}, found = {0};
	struct board_times t[ROWS] = {0};
	int same = 0;
	board_model(m, s->line, s->rows, t);
	board_draw(t, s->rows, &model);
	board_run(b, m, s->line, s->rows, &found);
	printf("%s: %s\n", m->preset, s->title);
	for (int i = 0; i < s->rows; i++) {
		const bool agree = !strcmp(right->row[i], model.row[i]),
			   drawn = !strcmp(right->row[i], found.row[i]);
		same += agree && drawn;
		printf("    %s%s\n", s->text[i], found.row[i]);
		if (!drawn)
			printf("    %-16s%s\n", "by hand:", right->row[i]);
		if (!agree)
			printf("    %-16s%s\n", "by the model:", model.row[i]);
	}
	check(b, m->parameter, m->preset, s->title, s->rows, same);
}

static uint32_t board_random_below(uint32_t *state, uint32_t n)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 8) % n;
}

/* Has at most one branch or jump, early enough for its target to be in the sequence, and at most
 * one line that misses, which begins with an instruction that is executed. */
static void board_draw_sequence(uint32_t *state, struct board_line *l)
{
	static const enum step plain[] = {ADD, ADD,  LOAD, LOAD,  AGAIN, STORE,
	                                  MUL, FADD, FMUL, FLOAD, FSTORE};
	const uint32_t control = board_random_below(state, ROWS);
	for (uint32_t i = 0; i < ROWS; i++) {
		const enum step s =
			i == control && i + SKIPPED + 1 < ROWS
				? (enum step)(TAKEN + board_random_below(state, STEPS - TAKEN))
				: plain[board_random_below(state, sizeof plain / sizeof *plain)];
		const int base = s >= FADD && s <= FSTORE ? 42 : 10,
			  r[3] = {base + (int)board_random_below(state, 3),
		                  base + (int)board_random_below(state, 3),
		                  base + (int)board_random_below(state, 3)};
		l[i] = board_is_store(s)               ? (struct board_line){s, false, -1, -1, r[0]}
		       : board_is_load(s)              ? (struct board_line){s, false, r[0], -1, -1}
		       : s == TAKEN || s == NOT        ? (struct board_line){s, false, -1, r[0], -1}
		       : s == INDIRECT                 ? (struct board_line){s, false, 1, 30, -1}
		       : s == JUMP                     ? (struct board_line){s, false, 1, -1, -1}
		                                       : (struct board_line){s, false, r[0], r[1], r[2]};
	}
	const uint32_t fresh = board_random_below(state, 2 * ROWS);
	const bool taken = l[control].step == TAKEN || l[control].step >= JUMP;
	if (fresh > 1 && fresh < ROWS && !(taken && fresh > control && fresh <= control + SKIPPED))
		l[fresh].fresh = true;
}

static void board_check_random(struct bench *b, const struct board_machine *m)
{
	struct board_line l[ROWS];
	uint32_t state = 5;
	int same = 0;
	for (int k = 0; k < RANDOM_SEQUENCES; k++) {
		struct board_picture model = {0}, found = {0};
		struct board_times t[ROWS] = {0};
		board_draw_sequence(&state, l);
		board_model(m, l, ROWS, t);
		board_draw(t, ROWS, &model);
		board_run(b, m, l, ROWS, &found);
		const bool right = !memcmp(&model, &found, sizeof model);
		same += right;
		for (int i = 0; !right && i < ROWS; i++)
			printf("    %-4s %2d %2d %2d  %-32s %s\n", board_words[l[i].step], l[i].d,
			       l[i].a, l[i].b, model.row[i], found.row[i]);
	}
	check(b, m->parameter, m->preset, "random sequences as the model has them", RANDOM_SEQUENCES,
	      same);
}

void group_board(struct bench *b)
{
	FILE *in = fopen("tests/timing/board.txt", "r");
	struct board_sequence s;
	if (!in)
		board_fail("cannot be opened from here", "expected the tree's folder");
	while (board_read(in, &s))
		for (int m = 0; m < MACHINES; m++)
			if (!b->ignore || !strcmp(b->ignore, board_machines[m].parameter))
				board_check(b, &s, m);
	fclose(in);
	for (int m = 0; m < MACHINES; m++)
		if (!b->ignore || !strcmp(b->ignore, board_machines[m].parameter))
			board_check_random(b, &board_machines[m]);
}
