/* loader/edit: jump tables, paths entered by jumps from other functions, rejected programs. */
#include "tests/unit/loader/edit_causes.h"

/* A jump through a register with an unknown target may lead to any label of its function, and a
 * path continues there. A label that another function may jump to sets the stack pointer first;
 * there a path begins. */
TEST(paths_begin_where_other_functions_leap_to)
{
	if (!cross_available())
		skip();
	static const char text[] = START
		"f: addi sp, sp, -16\nsd ra, 8(sp)\nsd zero, 0(sp)\nlla a1, buffer\nlla a2, 2f\nsd "
	        "a2, 0(a1)\nsd sp, 8(a1)\nlla a2, 1f\nlla a3, where\nsd a2, 0(a3)\n"
		"0: lla a3, where\nld a2, 0(a3)\njr a2\n1: ld a0, 0(sp)\naddi a0, a0, 1\nsd a0, "
	        "0(sp)\ncall leap\nli a0, 99\n2: ld a0, 0(sp)\nli a1, 7\nbltu a0, a1, 0b\n"
		"ld ra, 8(sp)\naddi sp, sp, 16\nret\n.size f, . - f\n"
		".type leap, @function\nleap: lla a1, buffer\nld a2, 0(a1)\nld sp, 8(a1)\njr "
	        "a2\n.size leap, . - leap\n"
		".data\n.balign 8\nbuffer: .dword 0, 0\nwhere: .dword 0\n";
	struct cross cross;
	struct err err;
	assert_true(cross_build(&cross, "S", text, BARE));
	struct program *p = program_open(cross.program, &err);
	assert_non_null(p);
	static const enum instrument_kind kinds[] = {INSTRUMENT_EDGE, INSTRUMENT_CCT_PATH,
	                                             INSTRUMENT_PATH};
	for (unsigned k = 0; k < 3; k++) {
		const struct instrument_options o = {.what = {{kinds[k], -1}}, .count = 1};
		struct program *q = instrument_program(p, &o, NULL, NULL, NULL, &err);
		if (!q)
			fail_msg("%s", err.msg);
		struct machine *m = edit_causes_run_program(q);
		struct counters counters;
		uint64_t sum = 0, value;
		assert_int_equal(machine_status(m), MACHINE_EXITED);
		assert_int_equal(machine_exit_status(m), 7);
		assert_true(kinds[k] != INSTRUMENT_PATH || program_counters(q, 0, &counters));
		for (uint64_t c = 0; kinds[k] == INSTRUMENT_PATH && c < counters.count;
		     c++, sum += value)
			assert_true(mem_peek(machine_mem(m), counters.memory + 8 * c, &value,
			                     sizeof value));
		/* leap's seven paths, the path that begins f, and seven from leap's targets. */
		assert_int_equal(sum, kinds[k] == INSTRUMENT_PATH ? 15 : 0);
		machine_free(m);
		program_free(q);
	}
	program_free(p);
	cross_remove(&cross);
}

/* Two dispatch loops with the table in one register and the bound in another: registers known in
 * one loop's cases are unknown in the other's. */
TEST(tables_are_known_where_only_their_jumps_lead)
{
	if (!cross_available())
		skip();
	static const char text[] =
		START "f: li a3, 0\nlla a2, one\nli a4, 1\n"
		      "1: bltu a4, a3, 9f\nslli a5, a3, 2\nadd a5, a5, a2\nlw a5, 0(a5)\nadd a5, "
	              "a5, a2\njr a5\n"
		      "c0: addi a3, a3, 1\nj 1b\nc1: li a3, 0\nlla a2, two\nli a4, 2\n"
		      "2: bltu a4, a3, 9f\nslli a5, a3, 2\nadd a5, a5, a2\nlw a5, 0(a5)\nadd a5, "
	              "a5, a2\njr a5\n"
		      "c2: addi a3, a3, 1\naddi a0, a0, 8\nj 2b\nc3: addi a3, a3, 2\nj 2b\n9: "
	              "ret\n.size f, . - f\n"
		      ".section .rodata\n.balign 4\none: .word c0 - one, c1 - one\ntwo: .word c2 - "
	              "two, c3 - two, c2 - two\n";
	struct cross cross;
	struct err err;
	struct ways ways;
	assert_true(cross_build(&cross, "S", text, BARE));
	struct program *p = program_open(cross.program, &err);
	struct edit *e = p ? edit_open(p, &err) : NULL;
	assert_non_null(e);
	struct machine *m = edit_causes_run_program(p);
	assert_int_equal(machine_exit_status(m), 13);
	machine_free(m);
	assert_true(ways_of(e, &ways, &err));
	assert_int_equal(ways.count, 2);
	assert_int_equal(ways.set_count, 2);
	for (uint32_t k = 0; k < 2; k++) {
		assert_true(ways.all[k].certain && ways.all[k].resolved);
		assert_int_equal(ways.all[k].count, 2);
	}
	ways_free(&ways);
	edit_free(e);
	program_free(p);
	cross_remove(&cross);
}

/* An inner loop is a unit with a flag if it calls, or has so many instructions. */
TEST(loops_that_call_or_are_long_have_flags)
{
	if (!cross_available())
		skip();
	static const char text[] = START
		".option norvc\nf: addi sp, sp, -16\nsd ra, 8(sp)\nli s0, 3\n"
		"12: li a1, 3\n16: addi a1, a1, -1\nbnez a1, 16b\n"
		"li s1, 3\n28: jal g\naddi s1, s1, -1\nbnez s1, 28b\n"
		"li a1, 3\n44: .rept 15\naddi a1, a1, -1\n.endr\nbnez a1, 44b\n"
		"li a1, 3\n112: .rept 14\naddi a1, a1, -1\n.endr\nbnez a1, 112b\n"
		"addi s0, s0, -1\nbnez s0, 12b\nld ra, 8(sp)\naddi sp, sp, 16\nret\n"
		".size f, . - f\n.type g, @function\ng: ret\n.size g, . - g\n";
	static const struct {
		uint32_t min_loop;
		unsigned units, bytes[6]; /* labels in f */
	} cases[] = {{0, 4, {0, 12, 28, 44}},
	             {17, 3, {0, 12, 28}},
	             {15, 5, {0, 12, 28, 44, 112}},
	             {2, 6, {0, 12, 16, 28, 44, 112}}};
	struct cross cross;
	struct err err = {""};
	assert_true(cross_build(&cross, "S", text, BARE));
	struct program *p = program_open(cross.program, &err);
	assert_non_null(p);
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct instrument_options o = {
			.what = {{INSTRUMENT_BB, 1}},
			.count = 1,
			.functions = "f",
			.switches = {.units = UNITS_LOOPS, .min_loop = cases[i].min_loop}};
		struct program *q = instrument_program(p, &o, NULL, NULL, NULL, &err);
		struct flags flags;
		uint64_t units[64];
		unsigned count = 0;
		if (!q)
			fail_msg("%s", err.msg);
		assert_true(program_flags(q, &flags));
		for (uint64_t k = 0; k < flags.count; k++) {
			const uint64_t at = flags.all[k].unit - flags.all[k].function;
			unsigned n = 0;
			while (n < count && units[n] < at)
				n++;
			if (n < count && units[n] == at)
				continue;
			assert_true(count < 64);
			memmove(&units[n + 1], &units[n], (count++ - n) * sizeof *units);
			units[n] = at;
		}
		assert_int_equal(count, cases[i].units);
		for (unsigned n = 0; n < count; n++)
			assert_int_equal(units[n], cases[i].bytes[n]);
		program_free(q);
	}
	program_free(p);
	cross_remove(&cross);
}

/* The editor refuses programs that it can't prove to stay right, with the reason. */
struct refusal {
	const char *name, *flags, *text, *why;
	enum instrument_kind kind;
};

static const struct refusal refusals[] = {
	{"a byte that a difference outgrows", BARE,
         START "f: lla a1, here\nlla a2, table\nlb a3, 0(a2)\nadd a3, a3, a1\njr a3\nhere: .rept "
               "12\nbnez a0, 1f\n1: addi a0, a0, 1\n.endr\n2: ret\n"
               ".data\ntable: .byte 2b - here\n",
         "in .data has outgrown its field", INSTRUMENT_BB},
	{"two bytes that a difference outgrows", BARE,
         START "f: lla a1, here\nlla a2, table\nlh a3, 0(a2)\nadd a3, a3, a1\njr a3\nhere: .rept "
               "2000\nbnez a0, 1f\n1: addi a0, a0, 1\n.endr\n2: ret\n"
               ".data\ntable: .half 2b - here\n",
         "in .data has outgrown its field", INSTRUMENT_BB},
	{"a gp-relative address of what moves",
         BARE "-Wl,--section-start=.sdata=0x12100 -Wl,--section-start=.eh_frame=0x12200 ",
         START "f: lla a1, frames\nlw a0, 0(a1)\nret\n.section .eh_frame, \"a\"\nframes: .word "
               "0\n.section .sdata, \"aw\"\n.word 1\n",
         "a gp-relative address of what moves", INSTRUMENT_NOTHING},
};

TEST(what_may_go_wrong_is_refused)
{
	if (!cross_available())
		skip();
	for (unsigned i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		const struct refusal *r = &refusals[i];
		const struct instrument_options nothing = {.what = {{INSTRUMENT_NOTHING, -1}},
		                                           .count = 1},
						kind = {.what = {{r->kind, -1}}, .count = 1};
		struct cross cross;
		struct err err = {""};
		assert_true(cross_build(&cross, "S", r->text, r->flags));
		struct program *p = program_open(cross.program, &err);
		assert_non_null(p);
		/* The inserted code is the cause: an empty instrumentation is accepted. */
		struct program *same = instrument_program(p, &nothing, NULL, NULL, NULL, &err);
		assert_int_equal(same != NULL, r->kind != INSTRUMENT_NOTHING);
		struct program *q = instrument_program(p, &kind, NULL, NULL, NULL, &err);
		if (q || !strstr(err.msg, r->why))
			fail_msg("%s: '%s' should say '%s'", r->name, q ? "" : err.msg, r->why);
		program_free(same);
		program_free(p);
		cross_remove(&cross);
	}
}
