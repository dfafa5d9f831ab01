/* Unwinding is checked against a shadow call stack at every single instruction of small programs.
 */
#include <stdint.h>

#include <string.h>

#include "core/isa/exec.h"
#include "loader/program.h"
#include "tests/cases.h"
#include "tests/unit/loader/cross.h"

enum { DEPTH_MAX = 64, STEPS_MAX = 200000 };

/* Recursion, early returns, large and variable frames, leaf and tail calls, a call that ends a
 * function. */
static const char c_source[] =
	"static volatile int sink;\n"
	"__attribute__((noinline)) static long leaf(long x) { return x ^ 3; }\n"
	"__attribute__((noinline)) static long recurse(long n)\n"
	"{\n"
	"	if (n <= 0)\n"
	"		return leaf(n) + 1;\n"
	"	if (n == 5) {\n"
	"		sink = (int)leaf(n);\n"
	"		return recurse(n - 1) * 2;\n"
	"	}\n"
	"	return recurse(n - 1) + leaf(n);\n"
	"}\n"
	"__attribute__((noinline)) static long large(long n)\n"
	"{\n"
	"	volatile char room[6000];\n"
	"	for (int i = 0; i < 6000; i += 1000)\n"
	"		room[i] = (char)leaf(n + i);\n"
	"	return room[3000] + recurse(2);\n"
	"}\n"
	"__attribute__((noinline)) static long variable(long n)\n"
	"{\n"
	"	volatile char *room = __builtin_alloca((unsigned long)n);\n"
	"	room[n - 1] = 1;\n"
	"	return room[n - 1] + recurse(3);\n"
	"}\n"
	"__attribute__((noinline)) static long many(long a, long b, long c, long d, long e, long "
        "f)\n"
	"{\n"
	"	long x = leaf(a), y = leaf(b), z = leaf(c), w = leaf(d), v = leaf(e), u = "
        "leaf(f);\n"
	"	if (x == y)\n"
	"		return z;\n"
	"	return leaf(x + y) + z + w + v + u + leaf(y + a + b + c + d + e + f);\n"
	"}\n"
	"__attribute__((noreturn, noinline)) static void quit(long status)\n"
	"{\n"
	"	leaf(status);\n"
	"	register long a0 __asm__(\"a0\") = status;\n"
	"	register long a7 __asm__(\"a7\") = 93;\n"
	"	for (;;)\n"
	"		__asm__ volatile(\"ecall\" : : \"r\"(a0), \"r\"(a7));\n"
	"}\n"
	"__attribute__((noinline, noreturn)) static void finish(long x) { sink = (int)leaf(x); "
        "quit(x); }\n"
	"__attribute__((used)) void guest_main(void)\n"
	"{\n"
	"	long total = recurse(8) + large(3) + variable(300);\n"
	"	total += many(1, 2, 3, 4, 5, 6) + many(1, 1, 1, 1, 1, 1);\n"
	"	finish(total & 127);\n"
	"}\n"
	"__asm__(\".globl _start\\n.type _start, @function\\n_start:\\n"
	"\t.cfi_startproc\\n\t.cfi_undefined ra\\n"
	"\tandi sp, sp, -16\\n\tcall guest_main\\n\tebreak\\n\t.cfi_endproc\\n"
	"\t.size _start, . - _start\\n\");\n";

/* Hand-written code: no sizes, no types, no rules; labels inside functions; two ways out of one
 * function. */
static const char asm_source[] =
	"	.text\n"
	"	.globl _start\n"
	"_start:\n"
	"	li a0, 6\n"
	"	call work\n"
	"	li a7, 93\n"
	"	ecall\n"
	"	ebreak\n"
	"	.globl work\n"
	"work:\n"
	"	addi sp, sp, -32\n"
	"	sd ra, 24(sp)\n"
	"	sd s1, 16(sp)\n"
	"	mv s1, a0\n"
	"again:\n"
	"	mv a0, s1\n"
	"	call half\n"
	"	addi s1, s1, -1\n"
	"	bnez s1, again\n"
	"	call table\n"
	"	call large\n"
	"	call measured\n"
	"	li t0, 7\n"
	"	bnez t0, out\n"
	"	ld s1, 16(sp)\n"
	"	ld ra, 24(sp)\n"
	"	addi sp, sp, 32\n"
	"	ret\n"
	"out:\n"
	"	li a0, 0\n"
	"	ld s1, 16(sp)\n"
	"	ld ra, 24(sp)\n"
	"	addi sp, sp, 32\n"
	"	ret\n"
	"	.globl half\n"
	"half:\n"
	"	andi t0, a0, 1\n"
	"	bnez t0, odd\n"
	"	srai a0, a0, 1\n"
	"	ret\n"
	"odd:\n"
	"	addi sp, sp, -16\n"
	"	sd ra, 8(sp)\n"
	"	call leaf\n"
	"	ld ra, 8(sp)\n"
	"	sd zero, 8(sp)\n" /* the return address is in ra alone again */
	"	addi sp, sp, 16\n"
	"	ret\n"
	"	.globl leaf\n"
	"leaf:\n"
	"	addi a0, a0, 1\n"
	"	ret\n"
	/* Its cases are reached through a register alone. */
	"	.globl table\n"
	"table:\n"
	"	addi sp, sp, -16\n"
	"	sd ra, 8(sp)\n"
	"	la t1, case1\n"
	"	jr t1\n"
	"case0:\n"
	"	nop\n"
	"case1:\n"
	"	call leaf\n"
	"	ld ra, 8(sp)\n"
	"	addi sp, sp, 16\n"
	"	ret\n"
	/* A frame too large for one addi, made by a subtraction. */
	"	.globl large\n"
	"large:\n"
	"	li t0, 4096\n"
	"	sub sp, sp, t0\n"
	"	sd ra, 8(sp)\n"
	"	call leaf\n"
	"	ld ra, 8(sp)\n"
	"	li t0, 4096\n"
	"	add sp, sp, t0\n"
	"	ret\n"
	/* A frame whose size is an expression: sp + ((-64 >> 2) arithmetically, negated) = sp
           + 16. */
	"	.globl measured\n"
	"measured:\n"
	"	.cfi_startproc\n"
	"	addi sp, sp, -16\n"
	"	.cfi_def_cfa_offset 16\n"
	"	sd ra, 8(sp)\n"
	"	.cfi_offset ra, -8\n"
	"	.cfi_escape 0x0f, 0x08, 0x72, 0x00, 0x09, 0xc0, 0x32, 0x26, 0x1f, 0x22\n"
	"	call leaf\n"
	"	ld ra, 8(sp)\n"
	"	.cfi_def_cfa sp, 16\n"
	"	addi sp, sp, 16\n"
	"	.cfi_def_cfa sp, 0\n"
	"	.cfi_restore ra\n"
	"	ret\n"
	"	.cfi_endproc\n";

struct shadow {
	uint64_t ret[DEPTH_MAX]; /* return addresses, outermost first */
	uint64_t sp[DEPTH_MAX];  /* sp at the function's entry: its frame's cfa */
	size_t depth;
};

struct guest {
	struct program *p;
	struct mem *mem;
	struct hart h;
};

static void unwind_compare_backtrace(const struct guest *g, const struct shadow *s,
                                     const char *what)
{
	struct frame frames[DEPTH_MAX];
	size_t n = program_backtrace(g->p, g->mem, g->h.r, g->h.pc, frames, DEPTH_MAX);
	char at[64];
	program_addr_text(g->p, g->h.pc, at, sizeof at);
	if (n != s->depth + 1)
		fail_msg("%s: %s: %zu frames, %zu expected", what, at, n, s->depth + 1);
	assert_int_equal(frames[0].pc, g->h.pc);
	for (size_t i = 0; i < s->depth; i++) {
		uint64_t ret = s->ret[s->depth - 1 - i], cfa = s->sp[s->depth - 1 - i];
		if (frames[i + 1].pc != ret || frames[i].cfa != cfa)
			fail_msg("%s: %s: frame %zu has cfa %#jx and caller %#jx, expected %#jx "
			         "and %#jx",
			         what, at, i, (uintmax_t)frames[i].cfa, (uintmax_t)frames[i + 1].pc,
			         (uintmax_t)cfa, (uintmax_t)ret);
	}
}

/* Executes the program to its first system call; returns the number of instructions. */
static size_t unwind_run_in_lockstep(struct guest *g, const char *what)
{
	struct shadow s = { .depth = 0 };
	size_t steps = 0;
	for (; steps < STEPS_MAX; steps++) {
		unwind_compare_backtrace(g, &s, what);
		const struct inst *fetched = mem_fetch(g->mem, g->h.pc);
		assert_non_null(fetched);
		struct inst in = *fetched;
		struct exec done;
		uint64_t next = g->h.pc + in.len;
		enum trap trap = isa_exec(&g->h, g->mem, &in, &done);
		if (trap == TRAP_ECALL)
			return steps;
		assert_int_equal(trap, TRAP_NONE);
		if (inst_pushes_ras(&in)) {
			assert_true(s.depth < DEPTH_MAX);
			s.ret[s.depth] = next;
			s.sp[s.depth++] = g->h.r[REG_SP];
		} else if (inst_pops_ras(&in) && in.rs1 == REG_RA) {
			assert_true(s.depth > 0);
			s.depth--;
		}
	}
	fail_msg("%s: does not end", what);
	return 0;
}

/* Returns the program's first free page. */
static uint64_t unwind_open_guest(struct guest *g, struct cross *c, const char *suffix,
                                  const char *text, const char *flags)
{
	assert_true(cross_build(c, suffix, text, flags));
	struct err err = { "" };
	*g = (struct guest){ .p = program_open(c->program, &err) };
	if (!g->p)
		fail_msg("%s", err.msg);
	g->mem = mem_new();
	uint64_t brk;
	assert_true(program_load(g->p, g->mem, &g->h, &brk, 0, NULL, NULL, 1 << 20, 1, &err));
	return brk;
}

static void unwind_close_guest(struct guest *g, struct cross *c)
{
	mem_free(g->mem);
	program_free(g->p);
	cross_remove(c);
}

static void check_c(const char *flags)
{
	if (!cross_available())
		skip();
	struct guest g;
	struct cross c;
	unwind_open_guest(&g, &c, "c", c_source, flags);
	assert_true(unwind_run_in_lockstep(&g, flags) > 300);
	unwind_close_guest(&g, &c);
}

#define BASE "-static -nostdlib -fno-stack-protector -fno-builtin "

TEST(by_eh_frame)
{
	check_c(BASE "-O0 -fasynchronous-unwind-tables");
	check_c(BASE "-O2 -fasynchronous-unwind-tables");
	check_c(BASE "-Os -fasynchronous-unwind-tables");
	check_c(BASE "-O2 -fasynchronous-unwind-tables -fno-omit-frame-pointer -mno-relax");
	check_c(BASE "-O2 -fasynchronous-unwind-tables -march=rv64g -s");
}

TEST(by_debug_frame)
{
	check_c(BASE "-O2 -g -fno-asynchronous-unwind-tables -Wa,--gdwarf-5");
	check_c(BASE "-O0 -g -fno-asynchronous-unwind-tables");
}

TEST(by_prologue)
{
	check_c(BASE "-O0 -fno-asynchronous-unwind-tables");
	check_c(BASE "-O1 -fno-asynchronous-unwind-tables");
	check_c(BASE "-O2 -fno-asynchronous-unwind-tables");
	check_c(BASE "-O2 -fno-asynchronous-unwind-tables -fno-omit-frame-pointer");
	check_c(BASE "-O2 -fno-asynchronous-unwind-tables -march=rv64g");
}

TEST(in_a_static_pie)
{
	check_c("-static-pie -Wl,--no-dynamic-linker -nostdlib -fPIE -fno-stack-protector -O2 "
	        "-fasynchronous-unwind-tables");
}

TEST(in_hand_written_code)
{
	if (!cross_available())
		skip();
	struct guest g;
	struct cross c;
	unwind_open_guest(&g, &c, "S", asm_source, "-static -nostdlib");
	assert_true(unwind_run_in_lockstep(&g, "assembly") > 50);
	unwind_close_guest(&g, &c);
}

/* A call through a null pointer: the caller is still found. */
TEST(after_a_jump_to_nowhere)
{
	if (!cross_available())
		skip();
	struct guest g;
	struct cross c;
	unwind_open_guest(&g, &c, "c", c_source, BASE "-O2 -fasynchronous-unwind-tables");
	const struct symbol *start = program_symbol_by_name(g.p, "_start");
	assert_non_null(start);
	g.h.r[REG_RA] = start->addr + 8;
	g.h.pc = 0;
	struct frame frames[4];
	assert_int_equal(program_backtrace(g.p, g.mem, g.h.r, g.h.pc, frames, 4), 2);
	assert_int_equal(frames[0].pc, 0);
	assert_int_equal(frames[0].cfa, g.h.r[REG_SP]);
	assert_int_equal(frames[1].pc, start->addr + 8);
	unwind_close_guest(&g, &c);
}

/* An unknown register's value taken from sp can't be put back: no saved register is read from
 * there. */
TEST(without_a_known_sp)
{
	static const char text[] =
		"	.globl _start\n_start:\n	li a0, 32\n	call outer\n	li a7, "
	        "93\n	ecall\n"
		"	.globl outer\nouter:\n	addi sp, sp, -16\n	sd ra, 8(sp)\n	call "
	        "inner\n	ld ra, 8(sp)\n	addi sp, sp, 16\n	ret\n"
		"	.globl inner\ninner:\n	addi sp, sp, -16\n	sd ra, 8(sp)\n	sub sp, "
	        "sp, a0\n"
		"	.globl below\nbelow:\n	sd zero, 0(sp)\n	add sp, sp, a0\n	ld "
	        "ra, 8(sp)\n	addi sp, sp, 16\n	ret\n";
	if (!cross_available())
		skip();
	struct guest g;
	struct cross c;
	struct frame frames[4];
	unwind_open_guest(&g, &c, "S", text, "-static -nostdlib -Wl,--no-relax");
	const uint64_t below = program_symbol_by_name(g.p, "below")->addr;
	size_t before = 0;
	while (g.h.pc != below) {
		struct inst in = *mem_fetch(g.mem, g.h.pc);
		struct exec done;
		before = program_backtrace(g.p, g.mem, g.h.r, g.h.pc, frames, 4);
		assert_int_equal(isa_exec(&g.h, g.mem, &in, &done), TRAP_NONE);
	}
	assert_int_equal(before, 3);
	/* ra is untouched; the place of outer's saved ra is unknown. */
	assert_int_equal(program_backtrace(g.p, g.mem, g.h.r, g.h.pc, frames, 4), 2);
	assert_int_equal(frames[1].pc, g.h.r[REG_RA]);
	unwind_close_guest(&g, &c);
}

/* Whatever registers hold, at least one frame and never more than requested. */
TEST(with_senseless_registers)
{
	if (!cross_available())
		skip();
	struct guest g;
	struct cross c;
	unwind_open_guest(&g, &c, "c", c_source, BASE "-O2 -fasynchronous-unwind-tables");
	const struct symbol *at = program_symbol_by_name(g.p, "recurse");
	assert_non_null(at);
	uint64_t random = 1;
	for (unsigned round = 0; round < 2000; round++) {
		for (unsigned i = 1; i < 32; i++) {
			random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
			g.h.r[i] = random >> (random >> 58);
		}
		g.h.r[REG_RA] = at->addr + (random >> 33) % 64;
		if (round & 1)
			g.h.r[REG_SP] = MEM_TOP - (random >> 40) % 65536;
		struct frame frames[3] = {[2] = {.pc = 4711, .cfa = 4711, .kind = FRAME_CALLER}};
		size_t n = program_backtrace(g.p, g.mem, g.h.r, at->addr + round % 64, frames, 2);
		assert_true(n == 1 || n == 2);
		assert_int_equal(frames[2].pc, 4711);
	}
	unwind_close_guest(&g, &c);
}

/* The real thing: static glibc, from its start code to a leaf of the program. */
TEST(through_glibc)
{
	if (!cross_available())
		skip();
	struct guest g;
	struct cross c;
	uint64_t heap = unwind_open_guest(
		&g, &c, "c",
		"#include <stdlib.h>\n"
		"int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n"
		"int main(void) { int v[] = { 3, 1, 2 }; qsort(v, 3, 4, compare); return v[0]; }\n",
		"-O1 -g -static");
	assert_true(mem_map(g.mem, heap, 1 << 20, PROT_R | PROT_W, "heap"));
	const struct symbol *compare_sym = program_symbol_by_name(g.p, "compare");
	assert_non_null(compare_sym);
	for (size_t i = 0; i < 10 * STEPS_MAX && g.h.pc != compare_sym->addr; i++) {
		const struct inst *fetched = mem_fetch(g.mem, g.h.pc);
		assert_non_null(fetched);
		struct inst in = *fetched;
		struct exec done;
		enum trap trap = isa_exec(&g.h, g.mem, &in, &done);
		if (trap == TRAP_ECALL) {
			/* A heap, and success for all other calls, suffice up to main. */
			bool brk = g.h.r[REG_A7] == 214;
			g.h.r[REG_A0] = !brk ? 0 : g.h.r[REG_A0] ? g.h.r[REG_A0] : heap;
			g.h.pc += 4;
		} else {
			assert_int_equal(trap, TRAP_NONE);
		}
	}
	assert_int_equal(g.h.pc, compare_sym->addr);
	struct frame frames[32];
	size_t n = program_backtrace(g.p, g.mem, g.h.r, g.h.pc, frames, 32);
	bool seen_main = false;
	for (size_t i = 0; i < n; i++) {
		const struct symbol *s = program_symbol_at(g.p, frames[i].pc - (i > 0));
		assert_non_null(s);
		seen_main |= strcmp(s->name, "main") == 0;
	}
	assert_true(seen_main);
	assert_string_equal(program_symbol_at(g.p, frames[n - 1].pc - 1)->name, "_start");
	unwind_close_guest(&g, &c);
}
