/* The runtime of programs that `cyclops instrument` has instrumented: it counts calls, and writes the profile at exit.
 *
 * xprof_mcount is what the paper calls _mcount (Vaswani, figure 4): the two most recent return addresses are an arc of the
 * call graph. It is called by profile instructions at the entry of a function, with the function's own return address in t0,
 * and overwrites t1, t3 to t6 and nothing else. xprof_mcount_stack finds that address at 8(sp) and overwrites nothing.
 *
 * With XPROF_PROFILE=FILE in the environment, - for stderr, the profile is written when the program exits. Fields are parted by
 * tabs; a line is one of
 *
 *     block  FILE  FUNCTION  INDEX  LABEL  LINE  COUNT     a basic block, and how often it was entered
 * call CALLER SITE CALLEE COUNT SITE: where the caller continues, from its beginning
 *     lost   COUNT                                         calls for which the table was too small
 *
 * A caller that is not instrumented is -, and SITE is its address. */
#include "xprof_profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct xprof_arc xprof_arcs[XPROF_ARCS];
uint64_t xprof_arc_count, xprof_arcs_lost;

static_assert(sizeof(struct xprof_arc) == 32, "an index is shifted by 5");
static_assert(XPROF_ARCS_LOG2 == 13, "the code below has 64 - 13 = 51 bits to shift out");

/* from: t0, to: ra. Linear probing; at most three quarters of the rows are used, so the search ends. */
__asm__(".text\n"
        ".macro xprof_update\n"
        "	srli	t3, t0, 1\n"
        "	slli	t4, ra, 4\n"
        "	xor	t3, t3, t4\n"
        "1:	slli	t3, t3, 51\n"
        "	srli	t3, t3, 51\n"
        "	lla	t1, xprof_arcs\n"
        "	slli	t4, t3, 5\n"
        "	add	t1, t1, t4\n"
        "	ld	t5, 0(t1)\n"
        "	ld	t6, 8(t1)\n"
        "	bne	t5, t0, 2f\n"
        "	beq	t6, ra, 4f\n"
        "2:	addi	t3, t3, 1\n"
        "	bnez	t6, 1b\n"
        /* a free row */
        "	lla	t3, xprof_arc_count\n"
        "	ld	t5, 0(t3)\n"
        "	li	t6, 3 << (13 - 2)\n"
        "	bltu	t5, t6, 3f\n"
        "	lla	t1, xprof_arcs_lost - 16\n"
        "	j	4f\n"
        "3:	addi	t5, t5, 1\n"
        "	sd	t5, 0(t3)\n"
        "	sd	t0, 0(t1)\n"
        "	sd	ra, 8(t1)\n"
        "4:	ld	t5, 16(t1)\n"
        "	addi	t5, t5, 1\n"
        "	sd	t5, 16(t1)\n"
        ".endm\n"
        ".globl xprof_mcount\n"
        ".type xprof_mcount, @function\n"
        "xprof_mcount:\n"
        "	xprof_update\n"
        "	ret\n"
        ".size xprof_mcount, . - xprof_mcount\n"
        ".globl xprof_mcount_stack\n"
        ".type xprof_mcount_stack, @function\n"
        "xprof_mcount_stack:\n"
        "	addi	sp, sp, -48\n"
        "	sd	t0, 0(sp)\n"
        "	sd	t1, 8(sp)\n"
        "	sd	t3, 16(sp)\n"
        "	sd	t4, 24(sp)\n"
        "	sd	t5, 32(sp)\n"
        "	sd	t6, 40(sp)\n"
        "	ld	t0, 56(sp)\n"
        "	xprof_update\n"
        "	ld	t0, 0(sp)\n"
        "	ld	t1, 8(sp)\n"
        "	ld	t3, 16(sp)\n"
        "	ld	t4, 24(sp)\n"
        "	ld	t5, 32(sp)\n"
        "	ld	t6, 40(sp)\n"
        "	addi	sp, sp, 48\n"
        "	ret\n"
        ".size xprof_mcount_stack, . - xprof_mcount_stack\n");

static int within(uint64_t address, const void *start, const void *end)
{
	return start && end && address > (uintptr_t)start && address <= (uintptr_t)end;
}

/* The function whose call returns to this address, NULL: none instrumented. The call may be the
 * function's last instruction, so that the address is the function's end. */
static const struct xprof_method *method_at(uint64_t address)
{
	for (const struct xprof_method *m = __start_xprof_methods; m < __stop_xprof_methods; m++)
		if (within(address, m->start, m->end) || within(address, m->cold_start, m->cold_end))
			return m;
	return NULL;
}

static void write_blocks(FILE *f)
{
	for (const struct xprof_method *m = __start_xprof_methods; m < __stop_xprof_methods; m++)
		for (uint32_t i = 0; m->counters && i < m->block_count; i++)
			fprintf(f, "block\t%s\t%s\t%" PRIu32 "\t%s\t%" PRIu32 "\t%" PRIu64 "\n", m->file, m->name, i,
			        *m->blocks[i].label ? m->blocks[i].label : "-", m->blocks[i].line, m->counters[i]);
}

static int by_address(const void *a, const void *b)
{
	const struct xprof_arc *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static void write_arcs(FILE *f)
{
	qsort(xprof_arcs, XPROF_ARCS, sizeof *xprof_arcs, by_address);
	for (const struct xprof_arc *a = xprof_arcs; a < xprof_arcs + XPROF_ARCS; a++) {
		const struct xprof_method *caller = method_at(a->from), *callee = method_at(a->to);
		if (!a->to)
			continue;
		fprintf(f, "call\t%s\t0x%" PRIx64 "\t%s\t%" PRIu64 "\n", caller ? caller->name : "-",
		        a->from - (caller ? (uintptr_t)caller->start : 0), callee ? callee->name : "-", a->count);
	}
	if (xprof_arcs_lost)
		fprintf(f, "lost\t%" PRIu64 "\n", xprof_arcs_lost);
}

__attribute__((destructor)) static void write_profile(void)
{
	const char *path = getenv("XPROF_PROFILE");
	if (!path || !*path)
		return;
	FILE *f = strcmp(path, "-") ? fopen(path, "w") : stderr;
	if (!f) {
		fprintf(stderr, "xprof: the profile can't be written: ");
		perror(path);
		return;
	}
	fputs("# xprof profile 1\n", f);
	write_blocks(f);
	write_arcs(f);
	if (f != stderr ? fclose(f) : fflush(f))
		fprintf(stderr, "xprof: %s: the profile could not be written in full\n", path);
}
