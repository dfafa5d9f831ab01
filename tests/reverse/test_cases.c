/* Back over everything that is hard to undo, and forward again: same state, output once, input
 * once. */
#include "tests/reverse/rig.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/machine/machine_priv.h"
#include "core/os/os.h"

static const char expected[] = "one\nThe quick brown fox jumps over the lazy two\n";

static void same_place(const struct rig *g, uint64_t cycle, uint64_t hash)
{
	assert_int_equal(rig_cycle(g), cycle);
	assert_int_equal(rig_hash(g), hash);
}

/* From one place to another, back by each kind of motion, and on to the end. */
static void cases_check_there_and_back(const char *from, const char *to)
{
	struct rig *g = rig_open(&guest);
	uint64_t c0 = rig_run_to(g, from), h0 = rig_hash(g), i0 = machine_insts(g->s->machine);
	uint64_t c1 = rig_run_to(g, to), h1 = rig_hash(g), i1 = machine_insts(g->s->machine);
	char out[sizeof expected] = "";
	assert_true(c1 > c0 && g->out_n < sizeof out);
	memcpy(out, g->out, g->out_n);

	int id = rig_break(g, from, STAGE_COMMIT);
	assert_int_equal(rig_back_continue(g), STOPPED_BREAK);
	assert_int_equal(rig_info.stop_id, id);
	same_place(g, c0, h0);
	assert_true(run_delete_stop(g->r, id));
	assert_int_equal(rig_run_to(g, to), c1);
	same_place(g, c1, h1);

	assert_int_equal(rig_back_insts(g, i1 - i0), STOPPED_DONE);
	assert_true(machine_insts(g->s->machine) <= i0);
	assert_int_equal(rig_goto(g, c1), STOPPED_DONE);
	same_place(g, c1, h1);

	while (rig_cycle(g) > c0)
		assert_int_equal(rig_back_cycles(g, 1), STOPPED_DONE);
	same_place(g, c0, h0);
	while (rig_cycle(g) < c1)
		assert_int_equal(rig_cycles(g, 1), STOPPED_DONE);
	same_place(g, c1, h1);
	assert_string_equal(g->out, out);

	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	assert_int_equal(machine_exit_status(g->s->machine), 7);
	assert_string_equal(g->out, expected);
	rig_close(g);
}

TEST(over_a_jump)
{
	cases_check_there_and_back("before_jump", "after_jump");
}

TEST(over_output)
{
	cases_check_there_and_back("after_jump", "after_one");
}

TEST(over_a_system_call)
{
	cases_check_there_and_back("after_one", "before_read");
}

TEST(over_a_file_read)
{
	cases_check_there_and_back("before_read", "after_read");
}

TEST(over_a_code_patch)
{
	cases_check_there_and_back("before_patch", "after_patch");
}

TEST(over_longjmp)
{
	cases_check_there_and_back("before_longjmp", "after_longjmp");
}

TEST(over_everything)
{
	struct rig *g = rig_open(&guest);
	uint64_t h0 = rig_hash(g);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	uint64_t c1 = rig_cycle(g), h1 = rig_hash(g);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(rig_back_continue(g), STOPPED_BEGIN);
		same_place(g, 0, h0);
		assert_int_equal(rig_continue(g), STOPPED_EXIT);
		same_place(g, c1, h1);
	}
	assert_string_equal(g->out, expected);
	rig_close(g);
}

/* The file has changed by the time of the repeated read. */
TEST(a_file_is_read_once)
{
	struct rig *g = rig_open(&guest);
	uint64_t c = rig_run_to(g, "after_read"), h = rig_hash(g);
	rig_write_data("something else altogether, and longer than it was\n");
	assert_int_equal(rig_goto(g, 0), STOPPED_DONE);
	assert_int_equal(rig_goto(g, c), STOPPED_DONE);
	same_place(g, c, h);
	assert_int_equal(rename("data.txt", "elsewhere"), 0);
	assert_int_equal(rig_goto(g, 0), STOPPED_DONE);
	assert_int_equal(rig_run_to(g, "after_read"), c);
	same_place(g, c, h);
	assert_int_equal(rename("elsewhere", "data.txt"), 0);
	rig_write_data("The quick brown fox jumps over the lazy dog.\n");
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	assert_string_equal(g->out, expected);
	rig_close(g);
}

TEST(the_patched_code_is_what_it_was)
{
	struct rig *g = rig_open(&guest);
	uint64_t before = rig_run_to(g, "before_patch"), sum = rig_peek(g, "checksum");
	assert_int_equal(rig_run_to(g, "before_longjmp") > before, true);
	uint64_t patched = rig_peek(g, "checksum");
	assert_int_equal(patched, sum + 109);
	assert_int_equal(rig_goto(g, before), STOPPED_DONE);
	assert_int_equal(rig_peek(g, "checksum"), sum);
	rig_run_to(g, "before_longjmp");
	assert_int_equal(rig_peek(g, "checksum"), patched);
	rig_close(g);
}

TEST(from_the_end)
{
	struct rig *g = rig_open(&guest);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	uint64_t end = rig_cycle(g), hash = rig_hash(g);
	assert_int_equal(machine_status(g->s->machine), MACHINE_EXITED);
	assert_int_equal(rig_cycles(g, 1), STOPPED_EXIT); /* nothing more happens */
	same_place(g, end, hash);
	assert_int_equal(rig_back_cycles(g, 1), STOPPED_DONE);
	assert_int_equal(rig_cycle(g), end - 1);
	assert_int_equal(machine_status(g->s->machine), MACHINE_RUNNING);
	assert_int_equal(rig_cycles(g, 5), STOPPED_EXIT);
	same_place(g, end, hash);
	assert_int_equal(rig_back_insts(g, 1), STOPPED_DONE);
	assert_int_equal(machine_status(g->s->machine), MACHINE_RUNNING);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	same_place(g, end, hash);
	assert_int_equal(rig_goto(g, end + 1000000), STOPPED_EXIT);
	same_place(g, end, hash);
	assert_string_equal(g->out, expected);
	rig_close(g);
}

TEST(from_a_fault)
{
	struct subject faulty = guest;
	faulty.arguments = "fault";
	struct rig *g = rig_open(&faulty);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	uint64_t end = rig_cycle(g), hash = rig_hash(g);
	assert_int_equal(machine_status(g->s->machine), MACHINE_FAULTED);
	assert_int_equal(machine_fault(g->s->machine)->addr, 8);
	int id = rig_break(g, "after_two", STAGE_COMMIT);
	assert_int_equal(rig_back_continue(g), STOPPED_BREAK);
	assert_int_equal(machine_status(g->s->machine), MACHINE_RUNNING);
	assert_true(run_delete_stop(g->r, id));
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	same_place(g, end, hash);
	assert_int_equal(machine_fault(g->s->machine)->addr, 8);
	rig_close(g);
}

TEST(from_an_endless_wait)
{
	char text[256];
	struct subject stuck = guest;
	stuck.arguments = "no input wait";
	stuck.stdin_fd = -1;
	struct rig *g = rig_open(&stuck);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	uint64_t end = rig_cycle(g), hash = rig_hash(g);
	assert_int_equal(machine_status(g->s->machine), MACHINE_STUCK);
	assert_int_equal(machine_exit_status(g->s->machine), 125);
	os_wait_text(machine_os_const(g->s->machine), machine_mem_const(g->s->machine), text,
	             sizeof text);
	assert_non_null(strstr(text, "to change from 55"));
	assert_int_equal(rig_cycles(g, 1), STOPPED_EXIT);
	same_place(g, end, hash);
	assert_int_equal(rig_back_cycles(g, 1), STOPPED_DONE);
	assert_int_equal(machine_status(g->s->machine), MACHINE_RUNNING);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	same_place(g, end, hash);
	assert_int_equal(rig_back_continue(g), STOPPED_BEGIN);
	assert_int_equal(rig_goto(g, end), STOPPED_DONE);
	assert_int_equal(machine_status(g->s->machine), MACHINE_STUCK);
	same_place(g, end, hash);
	rig_close(g);
}

/* Standard input comes through a pipe, which can't be read twice. */
TEST(over_standard_input)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "typed\n", 6), 6);
	struct subject typed = guest;
	typed.arguments = "read input";
	typed.stdin_fd = ends[0];
	struct rig *g = rig_open(&typed);
	uint64_t c0 = rig_run_to(g, "before_input");
	uint64_t c1 = rig_run_to(g, "before_jump"), h1 = rig_hash(g);
	assert_int_equal(rig_goto(g, c0), STOPPED_DONE);
	assert_int_equal(rig_run_to(g, "before_jump"), c1);
	same_place(g, c1, h1);
	assert_int_equal(rig_back_continue(g), STOPPED_BEGIN);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	assert_memory_equal(g->out, "typed\none\n", 10);
	assert_int_equal(g->out_n, sizeof expected - 1 + 6);
	rig_close(g);
	close(ends[0]);
	close(ends[1]);
}

/* A change at a past place begins another continuation, whose output is new. */
TEST(a_change_cuts_what_lies_after)
{
	struct err err;
	struct run_history h;
	struct rig *g = rig_open(&guest);
	uint64_t c0 = rig_run_to(g, "after_read"), h0 = rig_hash(g);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	assert_string_equal(g->out, expected);
	assert_int_equal(rig_goto(g, c0), STOPPED_DONE);
	uint64_t hundred = 100;
	const struct change c = {.kind = JOURNAL_MEMORY,
	                         .a = rig_symbol(g, "counter"),
	                         .bytes = &hundred,
	                         .n = sizeof hundred};
	assert_true(run_change(g->r, &c, &err));
	run_history(g->r, &h);
	assert_int_equal(h.newest_cycle, c0);
	uint64_t changed = rig_hash(g);
	assert_true(changed != h0);
	uint64_t later = rig_run_to(g, "after_ticks"), hash = rig_hash(g);
	assert_int_equal(rig_peek(g, "counter"), 155);
	assert_int_equal(rig_goto(g, c0), STOPPED_DONE);
	same_place(g, c0, changed);
	/* The change is a part of history: before it, it is not; from before, it happens again. */
	assert_int_equal(rig_back_cycles(g, 1), STOPPED_DONE);
	assert_int_equal(rig_peek(g, "counter"), 0);
	assert_int_equal(rig_cycles(g, 1), STOPPED_DONE);
	same_place(g, c0, changed);
	assert_int_equal(rig_goto(g, 0), STOPPED_DONE);
	assert_int_equal(rig_run_to(g, "after_ticks"), later);
	same_place(g, later, hash);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	assert_int_equal(rig_peek(g, "counter"), 155);
	/* All output after the change is printed anew, once. */
	assert_string_equal(g->out + sizeof expected - 1, expected + strlen("one\n"));
	rig_close(g);
}

/* Snapshots compare only the written parts of some tables, but always the bytes next to these
 * tables. */
TEST(snapshots_hold_what_nobody_marks)
{
	struct rig *g = rig_open(&guest);
	rig_run_to(g, "before_jump");
	struct machine *m = g->s->machine;
	struct snapshot *before = machine_snapshot(m);
	unsigned tried = 0, marked = 0;
	for (unsigned i = 0; i < m->arena.count; i++) {
		const struct arena_section *s = &m->arena.section[i];
		marked += s->marked;
		for (unsigned end = 0;
		     end < 2 && !s->marked && s->bytes && strcmp(s->name, "journal") != 0; end++) {
			uint8_t *byte = m->arena.base + s->at + (end ? s->bytes - 1 : 0),
				was = *byte;
			*byte = (uint8_t)~was;
			struct snapshot *changed = machine_snapshot(m);
			assert_non_null(changed);
			machine_restore(m, before);
			if (*byte != was)
				fail_msg("section %s, byte %u: the snapshot before it changed has "
				         "it changed",
				         s->name, end);
			machine_restore(m, changed);
			if (*byte == was)
				fail_msg("section %s, byte %u: not seen by a snapshot", s->name,
				         end);
			machine_restore(m, before);
			snapshot_free(changed);
			tried++;
		}
	}
	assert_true(tried > 20 && marked > 0);
	snapshot_free(before);
	rig_close(g);
}

TEST_GROUP(rig_enter, rig_leave)
