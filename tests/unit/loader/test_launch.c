/* loader/launch.h: from files to a machine, with an editor between; and the editor of --patch
 * (loader/patch.h). */
#include <stdint.h>

#include <string.h>

#include "core/machine/machine.h"
#include "loader/launch.h"
#include "loader/patch.h"
#include "tests/cases.h"
#include "tests/unit/loader/cross.h"

static const char guest_text[] =
	"int word = 4;\n"
	"int zero[64];\n"
	"int value(void)\n"
	"{\n"
	"	return 3;\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	return argc == 1 ? value() + word + zero[0] : argv[1][0];\n"
	"}\n";

static int launch_setup_guest(void **state)
{
	static struct cross c;
	*state = NULL;
	if (!cross_available())
		return 0;
	assert_true(cross_build(&c, "c", guest_text, "-O1 -g -static -fno-inline"));
	*state = &c;
	return 0;
}

static int launch_teardown_guest(void **state)
{
	if (*state)
		cross_remove(*state);
	return 0;
}

/* Exit status of the program that l describes. */
static int launch_run_program(const struct launch *l, uint64_t *digest)
{
	struct err err;
	struct config cfg;
	config_default(&cfg);
	struct program *p = launch_program(l, &err);
	if (!p)
		fail_msg("%s", err.msg);
	if (digest)
		*digest = program_digest(p);
	int status = -1;
	/* Twice: a second launch uses the edited program again. */
	for (int round = 0; round < 2; round++) {
		struct machine *m = launch_machine(l, p, &cfg, &err);
		assert_non_null(m);
		assert_int_equal(machine_pc(m), program_entry(p));
		assert_int_equal(machine_insts(m), 0);
		machine_run_functional(m, UINT64_MAX, false);
		assert_int_equal(machine_status(m), MACHINE_EXITED);
		assert_true(round == 0 || status == machine_exit_status(m));
		status = machine_exit_status(m);
		machine_free(m);
	}
	program_free(p);
	return status;
}

TEST(arguments_reach_the_program)
{
	if (!*state)
		skip();
	const struct cross *c = *state;
	char *argv[] = {(char *)"some name", (char *)"A", NULL};
	assert_int_equal(launch_run_program(&(struct launch){.path = c->program}, NULL), 7);
	assert_int_equal(
		launch_run_program(&(struct launch){.path = c->program, .argc = 2, .argv = argv},
	                           NULL),
		'A');
}

/* Edits the program: returns another program than p. */
static struct program *launch_replace_program(struct program *p, void *ctx, struct err *err)
{
	program_free(p);
	return ctx ? program_open(ctx, err) : (err_set(err, "no, thank you"), NULL);
}

TEST(an_editor_may_exchange_the_program)
{
	if (!*state)
		skip();
	struct cross other;
	struct err err;
	const struct cross *c = *state;
	assert_true(cross_build(&other, "c", "int main(void) { return 99; }\n", "-static"));
	assert_int_equal(launch_run_program(&(struct launch){.path = c->program,
	                                                     .edit = launch_replace_program,
	                                                     .edit_ctx = other.program},
	                                    NULL),
	                 99);
	cross_remove(&other);
	assert_null(launch_program(
		&(struct launch){.path = c->program, .edit = launch_replace_program}, &err));
	assert_string_equal(err.msg, "no, thank you");
}

static struct launch launch_with_patches(const struct cross *c, struct patches *patches)
{
	return (struct launch){.path = c->program, .edit = patches_apply, .edit_ctx = patches};
}

TEST(patches_replace_bytes)
{
	if (!*state)
		skip();
	/* c.li a0,11; c.jr ra: as one word, as two halves, and a word of data. */
	const char *word[] = {"value=8082452d"},
		   *halves[] = {"value+2=8082", "value=452d", "word=00000014"};
	struct launch plain = {.path = ((const struct cross *)*state)->program};
	struct launch one = launch_with_patches(*state, &(struct patches){word, 1});
	struct launch three = launch_with_patches(*state, &(struct patches){halves, 3});
	uint64_t digest[3];
	assert_int_equal(launch_run_program(&plain, &digest[0]), 7);
	assert_int_equal(launch_run_program(&one, &digest[1]), 15);
	assert_int_equal(launch_run_program(&three, &digest[2]), 31);
	assert_int_not_equal(digest[0], digest[1]);
	assert_int_not_equal(digest[1], digest[2]);
}

static void launch_expect_patch_refusal(const struct cross *c, const char *text, const char *why)
{
	struct err err = {""};
	struct launch l = launch_with_patches(c, &(struct patches){&text, 1});
	assert_null(launch_program(&l, &err));
	if (!strstr(err.msg, why))
		fail_msg("'%s' should say '%s'", err.msg, why);
}

TEST(patches_that_make_no_sense_are_refused)
{
	if (!*state)
		skip();
	const struct cross *c = *state;
	launch_expect_patch_refusal(c, "value", "expected --patch SYMBOL+0x10=00000013");
	launch_expect_patch_refusal(c, "value=", "expected --patch");
	launch_expect_patch_refusal(c, "value=12345", "expected --patch");
	launch_expect_patch_refusal(c, "value=123g", "expected --patch");
	launch_expect_patch_refusal(c, "=1234", "no place");
	launch_expect_patch_refusal(c, "valu=1234", "has no symbol 'valu'; did you mean 'value'?");
	launch_expect_patch_refusal(c, "zero=1234", "the file holds nothing for 0x");
	launch_expect_patch_refusal(c, "0x100=1234", "the file holds nothing for 0x100 to 0x101");
	launch_expect_patch_refusal(c, "value+0x10000000=1234", "the file holds nothing");
}

TEST_GROUP(launch_setup_guest, launch_teardown_guest)
