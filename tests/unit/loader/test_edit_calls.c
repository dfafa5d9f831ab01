/* loader/edit: inserted calls, names and sizes of functions, functions that can't be edited. */
#include "tests/unit/loader/edit_fixture.h"

/* Prologues with a call before they lower the stack pointer would lose the return address: such
 * functions are not edited. */
TEST(calls_in_prologues_are_left_alone)
{
	if (!*state)
		skip();
	struct cross c;
	struct err err;
	assert_true(cross_build(&c, "c", guest_text, "-O2 -msave-restore " LINK));
	const struct instrument_options o = {.what = {{INSTRUMENT_PATH, -1}}, .count = 1};
	struct instrument_summary plain, sum;
	struct fixture f = {.p = program_open(((const struct cross *)*state)->program, &err)};
	program_free(instrument_program(f.p, &o, &plain, NULL, NULL, &err));
	program_free(f.p);
	f.p = program_open(c.program, &err);
	assert_non_null(f.p);
	struct program *q = instrument_program(f.p, &o, &sum, NULL, NULL, &err);
	if (!q)
		fail_msg("%s", err.msg);
	/* at least main and depth */
	assert_true(sum.left_by[LEFT_CALLS_EARLY] >= plain.left_by[LEFT_CALLS_EARLY] + 2);
	machine_free(edit_fixture_compare_runs(&f, q));
	program_free(q);
	program_free(f.p);
	cross_remove(&c);
}

/* t1 keeps its value over a call whose callee doesn't use it, as in code of compilers that see both
 * functions: it is live before the call and in the callee; also in a function that returns to
 * another call's place, as longjmp does. */
TEST(what_matters_behind_a_call_matters_in_it)
{
	static const char text[] =
		".globl _start, f, jumps, returns\n"
		"_start: li t1, 5\n jal ra, f\n add a0, a0, t1\n li a7, 93\n ecall\n"
		".size _start, . - _start\n"
		".type f, @function\n"
		"f: li a0, 2\n ret\n"
		".size f, . - f\n"
		".type jumps, @function\n"
		"jumps: ld sp, 0(a0)\n ld ra, 8(a0)\n ret\n"
		".size jumps, . - jumps\n"
		".type returns, @function\n"
		"returns: ld ra, 0(sp)\n addi sp, sp, 16\n ret\n"
		".size returns, . - returns\n";
	enum { ARGUMENTS = 0xff << 10 /* a0 to a7 */ };
	struct cross c;
	struct fixture f;
	if (!*state)
		skip();
	assert_true(cross_build(&c, "S", text, "-nostdlib " LINK));
	open_editor(&f, &c);
	uint32_t *live = edit_liveness(f.e);
	assert_non_null(live);
	const uint32_t start = edit_inst_at(f.e, program_entry(f.p)),
		       callee = edit_inst_at(f.e, program_symbol_by_name(f.p, "f")->addr);
	assert_false(live[start] >> T1 & 1);
	assert_true(live[start + 1] >> T1 & 1);
	assert_true(live[callee] >> T1 & 1);
	assert_false(live[callee] >> 10 & 1); /* a0, which it writes */
	assert_true(live[callee + 1] >> 10 & 1);
	assert_false(live[callee] >> 17 & 1); /* a7 */
	assert_true(live[callee] >> 1 & 1);   /* ra */
	assert_int_equal(live[start + 4] & ARGUMENTS, ARGUMENTS);
	assert_true(live[edit_inst_at(f.e, program_symbol_by_name(f.p, "jumps")->addr)] >> T1 & 1);
	assert_false(live[edit_inst_at(f.e, program_symbol_by_name(f.p, "returns")->addr)] >> T1 &
	             1);
	free(live);
	close_editor(&f);
	cross_remove(&c);
}

TEST(functions_have_their_names_and_sizes)
{
	if (!*state)
		skip();
	struct fixture f;
	open_editor(&f, *state);
	struct program *q = edit_fixture_finish_edit(&f);
	static const char *const names[] = {"main", "choose", "qsort", "memcpy"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		const struct symbol *before = program_symbol_by_name(f.p, names[i]),
				    *after = program_symbol_by_name(q, names[i]);
		struct source_line old, new;
		assert_true(before && after);
		assert_int_not_equal(before->addr, after->addr);
		assert_int_equal(after->addr, edit_new_address(f.e, before->addr));
		assert_true(after->size >= before->size && after->size < 2 * before->size + 64);
		if (program_line_at(f.p, before->addr, &old)) {
			assert_true(program_line_at(q, after->addr, &new));
			assert_int_equal(old.line, new.line);
			assert_string_equal(old.file, new.file);
		}
	}
	program_free(q);
	close_editor(&f);
}

static void edit_calls_expect_refusal(const char *flags, const char *why)
{
	struct cross c;
	struct err err = {""};
	assert_true(cross_build(&c, "c", "int main(void) { return 3; }\n", flags));
	struct program *p = program_open(c.program, &err);
	assert_non_null(p);
	assert_null(edit_open(p, &err));
	if (!strstr(err.msg, why))
		fail_msg("'%s' should say '%s'", err.msg, why);
	program_free(p);
	cross_remove(&c);
}

TEST(what_it_cant_edit_it_says)
{
	if (!*state)
		skip();
	edit_calls_expect_refusal("-static", "link it with -Wl,--emit-relocs");
	edit_calls_expect_refusal("-static -s", "stripped");
	edit_calls_expect_refusal(
		"-nostdlib -static -fPIE -Wl,-pie,--no-dynamic-linker,--emit-relocs -e main",
		"position-independent");
}

TEST_GROUP(edit_fixture_setup_guest, edit_fixture_teardown_guest)
