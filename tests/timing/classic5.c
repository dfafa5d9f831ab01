/* The five-stage pipeline as a textbook draws it (Patterson and Hennessy's, with forwarding and
 * branches resolved in the execute stage; long operations as in Hennessy and Patterson's extension
 * of it, appendix C). A row is an instruction, a column a cycle; a letter again is a stall in that
 * stage; a row that ends early was fetched on the wrong path. The pictures are the tests. */
#include "tests/timing/encode.h"
#include "tests/timing/harness.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 10, COLUMNS = 64, LEAD = 13, UOPS = 64 };

struct row {
	const char *text, *stages;
	uint32_t word;
};

struct table {
	const char *title;
	struct row rows[ROWS];
};


#define ROW(text, stages, word) {text, stages, word}

static size_t classic5_build_tables(struct table *t)
{
	size_t n = 0;
	t[n++] = (struct table){"independent: one a cycle", {
		ROW("add x11,x5,x6", "FDXMW", rv_add(11, 5, 6)),
		ROW("sub x12,x5,x6", " FDXMW", rv_sub(12, 5, 6)),
		ROW("and x13,x5,x6", "  FDXMW", rv_and(13, 5, 6)),
		ROW("ld  x14,0(x9)", "   FDXMW", rv_ld(14, 0, 9)),
		ROW("sd  x5,8(x9)", "    FDXMW", rv_sd(5, 8, 9))}};
	t[n++] = (struct table){"forwarding between ALU operations: no stall", {
		ROW("add x11,x5,x6", "FDXMW", rv_add(11, 5, 6)),
		ROW("sub x12,x11,x5", " FDXMW", rv_sub(12, 11, 5)),
		ROW("and x13,x11,x12", "  FDXMW", rv_and(13, 11, 12)),
		ROW("xor x14,x13,x11", "   FDXMW", rv_xor(14, 13, 11))}};
	t[n++] = (struct table){"load and use: one bubble", {
		ROW("ld  x11,0(x9)", "FDXMW", rv_ld(11, 0, 9)),
		ROW("sub x12,x11,x5", " FDDXMW", rv_sub(12, 11, 5)),
		ROW("and x13,x11,x5", "  FFDXMW", rv_and(13, 11, 5)),
		ROW("xor x14,x11,x5", "    FDXMW", rv_xor(14, 11, 5))}};
	t[n++] = (struct table){"load, another, use: no bubble", {
		ROW("ld  x11,0(x9)", "FDXMW", rv_ld(11, 0, 9)),
		ROW("add x12,x5,x6", " FDXMW", rv_add(12, 5, 6)),
		ROW("sub x13,x11,x5", "  FDXMW", rv_sub(13, 11, 5))}};
	t[n++] = (struct table){"a loaded address: one bubble", {
		ROW("ld  x11,0(x9)", "FDXMW", rv_ld(11, 0, 9)),
		ROW("ld  x12,0(x11)", " FDDXMW", rv_ld(12, 0, 11)),
		ROW("sd  x5,8(x12)", "  FFDDXMW", rv_sd(5, 8, 12)),
		ROW("add x13,x5,x6", "    FFDXMW", rv_add(13, 5, 6))}};
	t[n++] = (struct table){"a loaded value stored: forwarded to the memory stage", {
		ROW("ld  x11,0(x9)", "FDXMW", rv_ld(11, 0, 9)),
		ROW("sd  x11,8(x9)", " FDXMW", rv_sd(11, 8, 9)),
		ROW("add x12,x5,x6", "  FDXMW", rv_add(12, 5, 6))}};
	t[n++] = (struct table){"a stored value loaded: no stall", {
		ROW("add x11,x5,x6", "FDXMW", rv_add(11, 5, 6)),
		ROW("sd  x11,8(x9)", " FDXMW", rv_sd(11, 8, 9)),
		ROW("ld  x12,8(x9)", "  FDXMW", rv_ld(12, 8, 9)),
		ROW("add x13,x12,x5", "   FDDXMW", rv_add(13, 12, 5))}};
	t[n++] = (struct table){"branch not taken: no bubble", {
		ROW("add x11,x5,x6", "FDXMW", rv_add(11, 5, 6)),
		ROW("beq x11,x0,+12", " FDXMW", rv_beq(11, 0, 12)),
		ROW("sub x12,x5,x6", "  FDXMW", rv_sub(12, 5, 6))}};
	t[n++] = (struct table){"branch taken: two bubbles", {
		ROW("beq x0,x0,+12", "FDXMW", rv_beq(0, 0, 12)),
		ROW("sub x12,x5,x6", " FD", rv_sub(12, 5, 6)),
		ROW("and x13,x5,x6", "  F", rv_and(13, 5, 6)),
		ROW("add x11,x5,x6", "   FDXMW", rv_add(11, 5, 6))}};
	t[n++] = (struct table){"branch taken on a loaded value: three", {
		ROW("ld  x11,16(x9)", "FDXMW", rv_ld(11, 16, 9)),
		ROW("beq x11,x0,+12", " FDDXMW", rv_beq(11, 0, 12)),
		ROW("sub x12,x5,x6", "  FFD", rv_sub(12, 5, 6)),
		ROW("and x13,x5,x6", "    F", rv_and(13, 5, 6)),
		ROW("add x14,x5,x6", "     FDXMW", rv_add(14, 5, 6))}};
	t[n++] = (struct table){"jump to a register: two bubbles", {
		ROW("jalr x1,x31", "FDXMW", rv_jalr(1, 31)),
		ROW("sub x12,x5,x6", " FD", rv_sub(12, 5, 6)),
		ROW("and x13,x5,x6", "  F", rv_and(13, 5, 6)),
		ROW("add x11,x5,x6", "   FDXMW", rv_add(11, 5, 6))}};
	t[n++] = (struct table){"jump: one bubble, decode knows the target", {
		ROW("jal x1,+8", "FDXMW", rv_jal(1, 8)),
		ROW("sub x12,x5,x6", "", rv_sub(12, 5, 6)),
		ROW("add x11,x5,x6", "  FDXMW", rv_add(11, 5, 6))}};
	return n;
}

static size_t long_operations(struct table *t)
{
	size_t n = 0;
	t[n++] = (struct table){"multiplication and use: 7 cycles", {
		ROW("mul x11,x5,x6", "FDXXXXXXXMW", rv_mul(11, 5, 6)),
		ROW("add x12,x11,x5", " FDDDDDDDXMW", rv_add(12, 11, 5)),
		ROW("sub x13,x5,x6", "  FFFFFFFDXMW", rv_sub(13, 5, 6))}};
	t[n++] = (struct table){"multiplications: one a cycle, written back in turn", {
		ROW("mul x11,x5,x6", "FDXXXXXXXMW", rv_mul(11, 5, 6)),
		ROW("mul x12,x5,x6", " FDXXXXXXXMW", rv_mul(12, 5, 6)),
		ROW("mul x13,x5,x6", "  FDXXXXXXXMW", rv_mul(13, 5, 6))}};
	t[n++] = (struct table){"behind a multiplication: what needs nothing of it goes past", {
		ROW("mul x11,x5,x6", "FDXXXXXXXMW", rv_mul(11, 5, 6)),
		ROW("add x12,x5,x6", " FDXMW", rv_add(12, 5, 6)),
		ROW("ld  x13,0(x9)", "  FDXMW", rv_ld(13, 0, 9))}};
	t[n++] = (struct table){
		"division: its unit takes no other division",
		{ROW("divu x11,x5,x6", "FDXXXXXXXXXXXXXXXXXXXXXXXXXMW", rv_divu(11, 5, 6)),
	         ROW("mul x12,x5,x6", " FDXXXXXXXMW", rv_mul(12, 5, 6)),
	         ROW("divu x13,x5,x6", "  FDDDDDDDDDDDDDDDDDDDDDDDDXXXXXXXXXXXXXXXXXXXXXXXXXMW",
	             rv_divu(13, 5, 6))}};
	/* Hennessy and Patterson, figure C.37. The store's M is not that of the addition: it gets
	 * its value when that is written. */
	t[n++] = (struct table){"floating point: a chain from load to store", {
		ROW("fld f4,0(x9)", "FDXMW", enc_i(OP_FLD, 4, 9, 0)),
		ROW("fmul.d f3,f4,f6", " FDDXXXXXXXMW", rv_fmul(3, 4, 6)),
		ROW("fadd.d f2,f3,f8", "  FFDDDDDDDXXXXMW", rv_fadd(2, 3, 8)),
		ROW("fsd f2,0(x9)", "    FFFFFFFDXXXXMW", enc_s(OP_FSD, 2, 9, 0))}};
	/* Figure C.38: without the rule for write ports the three would write in the same cycle,
	 * the eleventh. */
	t[n++] = (struct table){"one write port: later ones stay in decode", {
		ROW("fmul.d f3,f4,f6", "FDXXXXXXXMW", rv_fmul(3, 4, 6)),
		ROW("add x11,x5,x6", " FDXMW", rv_add(11, 5, 6)),
		ROW("add x12,x5,x6", "  FDXMW", rv_add(12, 5, 6)),
		ROW("fadd.d f2,f4,f6", "   FDDXXXXMW", rv_fadd(2, 4, 6)),
		ROW("add x13,x5,x6", "    FFDXMW", rv_add(13, 5, 6)),
		ROW("fld f5,0(x9)", "      FDDDXMW", enc_i(OP_FLD, 5, 9, 0)),
		ROW("add x14,x5,x6", "       FFFDXMW", rv_add(14, 5, 6))}};
	/* The book's rule for it: the load would write f2 before the addition does. */
	t[n++] = (struct table){"write after write: the later one stays in decode", {
		ROW("fadd.d f2,f4,f6", "FDXXXXMW", rv_fadd(2, 4, 6)),
		ROW("add x13,x5,x6", " FDXMW", rv_add(13, 5, 6)),
		ROW("fld f2,0(x9)", "  FDDDXMW", enc_i(OP_FLD, 2, 9, 0))}};
	return n;
}

/* The stage of u in each cycle from `first` on, as a picture. */
static void classic5_draw_stages(const struct uop *u, uint64_t first, char *out)
{
	bool memory = u->at.lsq != NO_SLOT;
	bool gone = u->state == UOP_SQUASHED, dispatched = u->flags & UF_EXECUTED;
	uint64_t executed;
	/* A store is in its memory stage when it has address and data, a load when it has gone to
	 * the cache. */
	if (memory)
		executed = u->when.mem != NO_CYCLE ? u->when.mem : u->when.issue + 1;
	else
		executed = u->when.done;
	const uint64_t written = u->when.done + !(u->op_flags & OPF_LOAD),
		       end = gone ? u->when.end : written + 1;
	memset(out, 0, COLUMNS + 1);
	for (uint64_t c = first; c < end && c < first + COLUMNS; c++) {
		char *cell = &out[c - first];
		if (c < u->when.fetch)
			*cell = ' ';
		else if (!dispatched || c < u->when.dispatch)
			*cell = 'F';
		else if (c < u->when.issue)
			*cell = 'D';
		else if (c < executed)
			*cell = 'X';
		else if (gone || c < written)
			*cell = 'M';
		else
			*cell = 'W';
	}
}

static void classic5_check_table(struct bench *b, const struct table *t, struct uop *uops)
{
	/* The first load brings the data's line; the instructions held up by it drain in the
	 * bubbles of taken branches. */
	struct program *p = program_new();
	p->x[5] = 5;
	p->x[6] = 3;
	p->x[31] = TEXT + 4 * (LEAD + 3);
	set_word(p, DATA, DATA + 32);
	set_word(p, DATA + 32, DATA + 64);
	emit(p, rv_ld(30, 0, X_DATA));
	for (int i = 0; i < LEAD / 2; i++) {
		emit(p, rv_beq(0, 0, 8));
		emit(p, rv_nop());
	}
	unsigned rows = 0;
	for (; rows < ROWS && t->rows[rows].text; rows++)
		emit(p, t->rows[rows].word);
	nops(p, 3);
	emit_exit(p);
	unsigned n = trace(b, "classic5", "", p, uops, UOPS);
	uint64_t first = committed_at(uops, n, TEXT + 4 * LEAD)->when.fetch;
	unsigned right = 0;
	printf("%s\n", t->title);
	for (unsigned i = 0; i < rows; i++) {
		/* The last one fetched at this place is the one that counts. */
		char picture[COLUMNS + 1] = "";
		for (unsigned k = 0; k < n; k++)
			if (uops[k].pc == TEXT + 4 * (uint64_t)(LEAD + i))
				classic5_draw_stages(&uops[k], first, picture);
		bool same = !strcmp(picture, t->rows[i].stages);
		right += same;
		printf("    %-16s %s\n", t->rows[i].text, picture);
		if (!same)
			printf("    %-16s %s\n", "  expected", t->rows[i].stages);
	}
	check(b, "classic5", t->title, "rows as drawn", rows, right);
	free(p);
}

void group_classic5(struct bench *b)
{
	struct table *t = calloc(32, sizeof *t);
	struct uop *uops = calloc(UOPS, sizeof *uops);
	size_t n = classic5_build_tables(t);
	n += long_operations(t + n);
	for (size_t i = 0; i < n; i++)
		classic5_check_table(b, &t[i], uops);
	free(uops);
	free(t);
}
