/* loader/edit, cause by cause: small programs, each with one kind of dependence of code on its own
 * address. */
#include "core/isa/op.h"
#include "tests/unit/loader/edit_causes.h"

struct cause {
	const char *name, *suffix, *flags, *text;
	int status;
};

static const struct cause causes[] = {
	{"a branch over more than 4 KB", "S", BARE,
         START "f: li a1, 3\n1: beqz a0, 2f\n.rept 600\naddi a0, a0, 1\nbnez a0, 3f\naddi a0, a0, "
               "9\n3: addi a0, a0, -1\n.endr\n"
               "addi a1, a1, -1\nbnez a1, 1b\nj 4f\n2: li a0, 99\n4: ret\n.size f, . - f\n",
         5},
	{"compressed branches and jumps", "S", BARE,
         START "f: li a1, 3\n1: c.beqz a0, 2f\n.rept 25\naddi a0, a0, 1\nbnez a0, 3f\n3: addi a0, "
               "a0, -1\n.endr\n"
               "addi a1, a1, -1\nc.bnez a1, 4f\nc.j 5f\n.rept 160\nbnez a0, 3f\naddi a0, a0, "
               "3\n3:\n.endr\n4: j 1b\n2: li a0, 99\n5: ret\n.size f, . - f\n",
         5},
	{"calls that reach 1 MB no longer", "S", BARE,
         START "f: addi sp, sp, -16\nsd ra, 8(sp)\njal h\nld ra, 8(sp)\naddi sp, sp, "
               "16\nret\n.size f, . - f\n"
               ".rept 30000\nbeqz a0, 1f\n.balign 4\n1:\n.endr\n.globl h\n.type h, @function\nh: "
               "addi a0, a0, 8\nret\n.size h, . - h\n",
         13},
	{"a jump over more than 1 MB, with jumps between", "S", BARE,
         START "f: li t0, 2\n1: addi a0, a0, 1\naddi t0, t0, -1\nj 2f\n.rept 30000\nbeqz a1, 9f\nj "
               "9f\n9:\n.endr\n2: bnez t0, 1b\nret\n.size f, . - f\n",
         7},
	{"a branch over more than 1 MB without jumps, also for who doesn't take it", "S", BARE,
         START "f: li t0, 2\nli a1, 1\n1: addi t0, t0, -1\nbeqz t0, 2f\n.rept 30000\nbeqz a1, "
               "9f\naddi a0, a0, 1\n9:\n.endr\n"
               "2: bnez t0, 1b\nli t1, 29996\nsub a0, a0, t1\nret\n.size f, . - f\n",
         9},
	{"a high part that several low parts share", "S", BARE,
         START "f:\n.option push\n.option norelax\n1: auipc a1, %pcrel_hi(here)\nld a2, "
               "%pcrel_lo(1b)(a1)\nbeqz a2, 2f\naddi a2, a2, 4\nsd a2, %pcrel_lo(1b)(a1)\n"
               "2: lw a0, %pcrel_lo(1b)(a1)\n5: auipc a3, %pcrel_hi(g)\n3: bnez a0, 4f\nret\n4: "
               "addi a3, a3, %pcrel_lo(5b)\njr a3\n.option pop\n.size f, . - f\n"
               ".globl g\n.type g, @function\ng: addi a0, a0, 1\nret\n.size g, . - "
               "g\n.data\n.balign 8\nhere: .dword 37\n",
         42},
	{"gp-relative data", "S", BARE,
         START "f: la a1, small\nlw a0, 0(a1)\nlw a2, small + 4\nadd a0, a0, a2\nsw a0, small, "
               "a3\nlw a0, small\nret\n.size f, . - f\n"
               ".section .sdata, \"aw\"\n.balign 4\nsmall: .word 30, 4\n",
         34},
	{"thread-local data", "S", BARE,
         START
         "f: la tp, block\nlui a1, %tprel_hi(x)\nadd a1, a1, tp, %tprel_add(x)\nlw a0, "
         "%tprel_lo(x)(a1)\nret\n.size f, . - f\n"
         ".section .tdata, \"awT\"\n.balign 4\n.word 0\nx: .word 19\n.data\nblock: .word 7, 21\n",
         21},
	{"thread-local data behind the global offset table", "S", BARE,
         START
         "f: la tp, block\nla.tls.ie a1, x\nadd a1, a1, tp\nlw a0, 0(a1)\nret\n.size f, . - f\n"
         ".section .tdata, \"awT\"\n.balign 4\n.word 0\nx: .word 19\n.data\nblock: .word 7, 22\n",
         22},
	{"words of 8 and of 4 bytes with addresses of code", "S", BARE,
         START "f: mv s0, ra\nlla a1, table\nld a2, 0(a1)\njalr a2\nlwu a2, 8(a1)\njalr a2\nlwu "
               "a2, 12(a1)\nmv ra, s0\njr a2\n.size f, . - f\n"
               "g: addi a0, a0, 3\nret\nh: slli a0, a0, 1\nret\n2: addi a0, a0, "
               "1\nret\n.data\n.balign 8\ntable: .dword g\n.word h, 2b\n",
         17},
	{"differences of code in 8, 4 and 2 bytes", "S", BARE,
         START "f: lla a1, here\nlla a2, table\nld a3, 0(a2)\nlw a4, 8(a2)\nlh a5, 12(a2)\nadd a3, "
               "a3, a1\nadd a4, a4, a1\nadd a5, a5, a1\nmv s0, ra\n"
               "jalr a3\njalr a4\nmv ra, s0\njr a5\n.size f, . - f\nhere: addi a0, a0, "
               "100\nret\n1: bnez a0, 9f\n9: addi a0, a0, 1\nret\n"
               "2: bnez a0, 9f\n9: addi a0, a0, 2\nret\n3: bnez a0, 9f\n9: addi a0, a0, 4\nret\n"
               ".data\n.balign 8\ntable: .dword 1b - here\n.word 2b - here\n.half 3b - here\n",
         12},
	{"differences in bytes", "S", BARE,
         START "f: lla a1, here\nlla a2, table\nlbu a3, 1(a2)\nadd a3, a3, a1\njr a3\n.size f, . - "
               "f\nhere: ret\n"
               "1: addi a0, a0, 1\nret\n2: addi a0, a0, 30\nret\n.data\ntable: .byte 1b - here, 2b "
               "- here\n",
         35},
	{"tables of distances beside the code that reads them", "S", BARE,
         START "f: lla a1, 9f\nslli a0, a0, 2\nadd a0, a0, a1\nlw a0, -16(a0)\nadd a0, a0, a1\njr "
               "a0\n.balign 4\n9: .word 1f - 9b, 2f - 9b, 3f - 9b\n"
               "1: li a0, 1\nret\n2: li a0, 12\nret\n3: j 1b\n.size f, . - f\n",
         12},
	{"aligned code and data between code", "S", BARE,
         START "f: lla a1, 1f\nandi a2, a1, 63\nbnez a2, 3f\nld a0, 8(a1)\nbeqz a0, 3f\nj "
               "2f\n.balign 64\n1: .dword 7, 51\n2: ret\n.balign 16\n3: li a0, 1\nret\n"
               ".size f, . - f\n",
         51},
	{"code that the linker didn't relax", "S", BARE "-Wl,--no-relax ",
         START "f: addi sp, sp, -16\nsd ra, 8(sp)\ncall g\nla a1, here\nlw a1, 0(a1)\nadd a0, a0, "
               "a1\nld ra, 8(sp)\naddi sp, sp, 16\nret\n.size f, . - f\n"
               ".type g, @function\ng: bnez a0, 1f\n1: addi a0, a0, 1\ntail h\n.size g, . - g\nh: "
               "addi a0, a0, 2\nret\n.data\nhere: .word 40\n",
         48},
	{"code that the linker relaxed", "S", BARE,
         START "f: addi sp, sp, -16\nsd ra, 8(sp)\ncall g\nla a1, here\nlw a1, 0(a1)\nadd a0, a0, "
               "a1\nld ra, 8(sp)\naddi sp, sp, 16\nret\n.size f, . - f\n"
               ".type g, @function\ng: bnez a0, 1f\n1: addi a0, a0, 1\ntail h\n.size g, . - g\nh: "
               "addi a0, a0, 2\nret\n.data\nhere: .word 40\n",
         48},
	{"absolute addresses of code", "S", BARE,
         START "f: mv s0, ra\nlui a1, %hi(g)\nlui a2, %hi(h)\naddi a2, a2, %lo(h)\naddi a1, a1, "
               "%lo(g)\njalr a1\njalr a2\nlui a1, %hi(g)\njalr %lo(g)(a1)\nmv ra, s0\nret\n"
               ".size f, . - f\n"
               "g: bnez a0, 1f\n1: addi a0, a0, 1\nret\nh: addi a0, a0, 2\nret\n",
         9},
	{"slots of the global offset table", "c", "-O1 -fPIC" LINK,
         "int g(int x) { return x + 2; }\nint (*volatile p)(int);\nint main(void) { p = g; return "
         "p(3); }\n",
         5},
	{"jump tables and constants", "c", "-O2" LINK,
         "int main(int n, char **v) { (void)v; int s = 0; for (int i = 0; i < 9; i++) switch (i * "
         "n) { case 0: s += 3; break; case 1: s ^= 9; break; "
         "case 2: s *= 2; break; case 3: s -= 4; break; case 4: s += n; break; case 5: s |= 16; "
         "break; case 6: s += 7; } return s; }\n",
         24},
	{"indirect functions", "c", "-O1" LINK,
         "static int one(int x) { return x + 1; }\nstatic int (*choose(void))(int) { return one; "
         "}\nint f(int) __attribute__((ifunc(\"choose\")));\n"
         "int (*volatile p)(int) = f;\nint main(void) { return f(3) + p(4); }\n",
         9},
	{"setjmp and longjmp", "c", "-O2" LINK,
         "#include <setjmp.h>\nstatic jmp_buf b;\n__attribute__((noinline)) static int deep(int n) "
         "{ if (n > 9) longjmp(b, n); return deep(n + 1) + n; }\n"
         "int main(void) { volatile int times = 0; int n = setjmp(b); if (times++ < 3) deep(n); "
         "return n + times; }\n",
         14},
	{"tail calls", "S", BARE,
         START "f: beqz a0, 1f\nli a1, 3\ntail g\n1: li a0, 1\nret\n.size f, . - f\n.type g, "
               "@function\ng: addi a0, a0, -1\nbnez a0, f\nlla a2, h\njr a2\n.size g, . - g\n"
               ".type h, @function\nh: mv a0, a1\nret\n.size h, . - h\n",
         3},
	{"what matters behind a call of who calls another at its end", "S", BARE,
         START "f: mv s0, ra\nli t0, 1\nli t1, 2\nli t2, 3\nli t3, 4\nli t4, 5\nli t5, 6\nli t6, "
               "7\nli a1, 8\nli a2, 9\nli a3, 1\nli a4, 2\nli a5, 3\nli a6, 4\nli a7, 5\n"
               "call g\nadd a0, a0, t0\nadd a0, a0, t1\nadd a0, a0, t2\nadd a0, a0, t3\nadd a0, "
               "a0, t4\nadd a0, a0, t5\nadd a0, a0, t6\nadd a0, a0, a1\n"
               "add a0, a0, a2\nadd a0, a0, a3\nadd a0, a0, a4\nadd a0, a0, a5\nadd a0, a0, "
               "a6\nadd a0, a0, a7\njr s0\n.size f, . - f\n"
               ".type g, @function\ng: bnez a0, h\nli a0, 0\nret\n.size g, . - g\n.type h, "
               "@function\nh: bltz a0, 1f\naddi a0, a0, 1\n1: tail k\n.size h, . - h\n"
               ".type k, @function\nk: beqz a0, 1f\naddi a0, a0, 1\n1: ret\n.size k, . - k\n",
         67},
	{"a function that never returns", "S", BARE,
         START "f: li t0, 77\nbeqz a0, 1f\nmv a0, t0\nj 2f\n1: ret\n2: call end\n.size f, . - f\n"
               ".type other, @function\nother: li t0, 3\nret\n.size other, . - other\n.type end, "
               "@function\nend: bnez a0, 1f\n1: li a7, 93\necall\n.size end, . - end\n",
         77},
	{"a function that goes on into the next one", "S", BARE,
         START "f: li t0, 3\n1: addi t0, t0, -1\nbeqz a0, 2f\naddi a0, a0, 1\nbnez t0, 1b\nj "
               "3f\n2: li a0, 99\nret\n3: addi a0, a0, 2\n.size f, . - f\n"
               ".type g, @function\ng: addi a0, a0, 4\nbltz a0, g\nret\n.size g, . - g\n",
         14},
	{"calls through other registers, and into the middle", "S", BARE,
         START "f: jal t0, g\njal t1, 1f\nret\n.size f, . - f\n.type g, @function\ng: addi a0, a0, "
               "1\nbnez a0, 2f\n1: addi a0, a0, 2\njr t1\n2: jr t0\n.size g, . - g\n",
         8},
	{"what matters behind a call through another register", "S", BARE,
         START
         "f: li t0, 7\nli t2, 9\njal t1, g\nadd a0, a0, t0\nadd a0, a0, t2\nret\n.size f, . - f\n"
         ".type g, @function\ng: bnez a0, 1f\nli a0, 1\n1: addi a0, a0, 1\njr t1\n.size g, . - g\n",
         22},
	{"what matters where a jump out of functions leads", "S", BARE,
         START "f: mv s0, ra\nlla a0, buffer\nli t0, 30\nli t2, 4\ncall set\nbnez a1, 1f\nlla a0, "
               "buffer\nli a1, 1\ncall leap\nli a0, 99\njr s0\n"
               "1: add a0, t0, t2\njr s0\n.size f, . - f\n.type set, @function\nset: sd ra, "
               "0(a0)\nsd t0, 8(a0)\nsd t2, 16(a0)\nli a1, 0\nret\n.size set, . - set\n"
               ".type leap, @function\nleap: ld ra, 0(a0)\nld t0, 8(a0)\nld t2, 16(a0)\nbnez a1, "
               "1f\nli a1, 1\n1: ret\n.size leap, . - leap\n"
               ".data\n.balign 8\nbuffer: .zero 24\n",
         34},
	{"address pairs that no relocation explains", "S", BARE,
         START
         "f: .option norelax\n.option norvc\naddi sp, sp, -16\nsd ra, 8(sp)\nauipc a1, 0\naddi a1, "
         "a1, 52\njalr a1\nauipc ra, 0\njalr ra, 40(ra)\n"
         "auipc t1, 0\njr 12(t1)\nnop\nld ra, 8(sp)\naddi sp, sp, 16\nret\n.word 0\nnop\n.size f, "
         ". - f\n.type h, @function\nh: bnez a0, 1f\n1: addi a0, a0, 4\nret\n.size h, . - h\n",
         13},
	{"constants beside the code that reads them by a pair without a relocation", "S", BARE,
         START "f: .option norelax\n.option norvc\nauipc a1, 0\nlw a1, 16(a1)\nadd a0, a0, "
               "a1\nret\n.word 37\n.size f, . - f\n",
         42},
	{"a place found by a call", "S", BARE,
         START
         "f: mv t6, ra\njal 1f\n.word 0x2f\n1: lw a0, 0(ra)\nmv ra, t6\nret\n.size f, . - f\n",
         47},
};

enum { CAUSES = sizeof causes / sizeof *causes };

/* The old code is data now, whose words a handler may read. */
static void check_old_code(const struct program *p, struct machine *m, const struct cause *c,
                           const char *kind)
{
	struct err err;
	uint32_t count;
	struct edit *e = edit_open(p, &err);
	const struct edit_inst *insts = edit_insts(e, &count);
	for (uint32_t i = 0; i < count; i++)
		if (oracle_count(machine_pipe(m)->prof, insts[i].addr))
			fail_msg("%s, %s: the old code at 0x%llx was executed", c->name, kind,
			         (unsigned long long)insts[i].addr);
	edit_free(e);
}

static void edit_causes_check_counts(const struct program *q, struct machine *m,
                                     const struct cause *c)
{
	struct counters counters;
	struct moved_code moved;
	uint64_t ran = 0;
	assert_true(program_counters(q, 0, &counters));
	assert_true(program_moved_code(q, &moved));
	for (uint64_t k = 0; k < counters.count; k++) {
		uint64_t value = 0;
		assert_true(mem_peek(machine_mem(m), counters.memory + 8 * counters.words * k,
		                     &value, sizeof value));
		const uint64_t right = oracle_count(machine_pipe(m)->prof,
		                                    moved_code_to(&moved, counters.all[k].at));
		if (value != right)
			fail_msg("%s: block 0x%llx is counted %llu times, by the oracle %llu times",
			         c->name, (unsigned long long)counters.all[k].at,
			         (unsigned long long)value, (unsigned long long)right);
		ran += value > 0;
	}
	assert_true(ran >= 3);
}

static void try_kind(const struct program *p, const struct cause *c, enum instrument_kind kind)
{
	struct err err;
	const struct instrument_options o = {.what = {{kind, -1}}, .count = 1};
	struct program *q = instrument_program(p, &o, NULL, NULL, NULL, &err);
	if (!q)
		fail_msg("%s, %s: %s", c->name, instrument_name[kind], err.msg);
	struct machine *m = edit_causes_run_program(q);
	if (machine_status(m) != MACHINE_EXITED || machine_exit_status(m) != c->status)
		fail_msg("%s, %s: %s %d", c->name, instrument_name[kind],
		         machine_status(m) == MACHINE_EXITED ? "ends with" : "doesn't exit:",
		         machine_exit_status(m));
	check_old_code(p, m, c, instrument_name[kind]);
	if (kind == INSTRUMENT_BB)
		edit_causes_check_counts(q, m, c);
	machine_free(m);
	program_free(q);
}

static void try_cause(const struct cause *c)
{
	struct cross cross;
	struct err err;
	if (!cross_build(&cross, c->suffix, c->text, c->flags))
		fail_msg("%s: can't be compiled", c->name);
	struct program *p = program_open(cross.program, &err);
	if (!p)
		fail_msg("%s: %s", c->name, err.msg);
	struct machine *m = edit_causes_run_program(p);
	if (machine_exit_status(m) != c->status)
		fail_msg("%s: ends with %d as it is", c->name, machine_exit_status(m));
	machine_free(m);
	static const enum instrument_kind kinds[] = {INSTRUMENT_NOTHING, INSTRUMENT_BB,
	                                             INSTRUMENT_EDGE, INSTRUMENT_PATH};
	for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
		try_kind(p, c, kinds[k]);
	program_free(p);
	cross_remove(&cross);
}

TEST(all_causes)
{
	if (!cross_available())
		skip();
	for (unsigned i = 0; i < CAUSES; i++)
		try_cause(&causes[i]);
}

/* A call's target begins a function, for calls of one and of two instructions, with or without a
 * symbol. */
TEST(calls_lead_to_functions)
{
	if (!cross_available())
		skip();
	static const char *const ways[] = {"jal 1f", ".option norelax\ncall 1f"};
	for (unsigned k = 0; k < 2; k++) {
		char text[1024];
		struct cross cross;
		struct err err;
		uint32_t count, found = 0;
		snprintf(text, sizeof text,
		         "%sf: mv s0, ra\n%s\njr s0\naddi a0, a0, 2\n1: addi a0, a0, "
		         "1234\nret\n.size f, . - f\n",
		         START, ways[k]);
		assert_true(cross_build(&cross, "S", text, BARE));
		struct program *p = program_open(cross.program, &err);
		struct edit *e = p ? edit_open(p, &err) : NULL;
		if (!e)
			fail_msg("%s", err.msg);
		const struct edit_inst *insts = edit_insts(e, &count);
		for (uint32_t i = 0; i < count; i++) {
			if (insts[i].in.op != OP_ADDI || insts[i].in.imm != 1234)
				continue;
			assert_true(insts[i].flags & EDIT_ENTRY);
			assert_false(insts[i - 1].flags & EDIT_ENTRY);
			assert_int_not_equal(insts[i].function, insts[i - 1].function);
			found++;
		}
		assert_int_equal(found, 1);
		edit_free(e);
		program_free(p);
		cross_remove(&cross);
	}
}

/* An address of unknown use keeps its value. Its function is left alone, since it may continue in
 * its old code; other functions are edited. */
TEST(untold_addresses_stay)
{
	if (!cross_available())
		skip();
	static const char *const ways[] = {
		"auipc a1, 0\nli a2, 16\nadd a1, a1, a2\njr a1\n",       /* no low part */
		"auipc a1, 0\nbeqz a0, 1f\naddi a1, a1, 16\n1: jr a1\n", /* a branch between the two
	                                                                  */
		"auipc a1, 0\nmv a2, a1\naddi a1, a1, 16\njr a1\n", /* read otherwise, too, and of
	                                                               another address than its low
	                                                               part has */
		"auipc a1, 0\nli a2, 1\n1: addi a1, a1, 20\nbeqz a2, 1b\njr a1\n", /* its low part
	                                                                              has two ways
	                                                                              to it */
		"auipc a1, 0\nsw a0, 12(sp)\naddi a2, a1, 16\njr a2\n", /* the high part is never
	                                                                   overwritten */
	};
	for (unsigned k = 0; k < sizeof ways / sizeof *ways; k++) {
		char text[2048];
		struct cross cross;
		struct err err;
		snprintf(text, sizeof text,
		         "%sf: addi sp, sp, -16\nsd ra, 0(sp)\n.option norelax\n.option "
		         "norvc\n%saddi a0, a0, 3\nld ra, 0(sp)\naddi sp, sp, 16\nret\n.size f, . "
		         "- f\n",
		         START, ways[k]);
		assert_true(cross_build(&cross, "S", text, BARE));
		struct program *p = program_open(cross.program, &err);
		assert_non_null(p);
		struct machine *m = edit_causes_run_program(p);
		assert_int_equal(machine_exit_status(m), 8);
		machine_free(m);
		for (unsigned kind = INSTRUMENT_NOTHING; kind < INSTRUMENT_KIND_COUNT; kind++) {
			const struct instrument_options o = {
				.what = {{(enum instrument_kind)kind, -1}}, .count = 1};
			struct instrument_summary sum;
			struct program *q = instrument_program(p, &o, &sum, NULL, NULL, &err);
			if (!q)
				fail_msg("%u, %s: %s", k, instrument_name[kind], err.msg);
			m = edit_causes_run_program(q);
			if (machine_status(m) != MACHINE_EXITED || machine_exit_status(m) != 8)
				fail_msg("%u, %s: ends with %d", k, instrument_name[kind],
				         machine_exit_status(m));
			machine_free(m);
			assert_int_equal(sum.left_by[LEFT_FIXED], 1);
			if (kind == INSTRUMENT_BB)
				assert_true(sum.counters >= 1);
			program_free(q);
		}
		program_free(p);
		cross_remove(&cross);
	}
}
