/* Checkpoints: the loaded state is the saved one, changes by hand included; missing parts are
 * named. Files are damaged and given a correct checksum. */
#include "tests/reverse/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "core/base/hash.h"
#include "ui/checkpoint/checkpoint.h"

enum { HEADER = 64, SECTIONS = 12, CONFIG = 1, ARENA = 2, PAGES = 5, JOURNAL = 6, ATTACHMENTS = 9 };

struct file {
	uint8_t *bytes;
	size_t n;
	size_t at[SECTIONS], length[SECTIONS]; /* of each section */
};

static void checkpoint_test_set_reg(struct rig *g, uint64_t value)
{
	struct err err;
	assert_true(
		run_change(g->r, &(struct change){.kind = JOURNAL_REG, .a = 31, .b = value}, &err));
}

static void checkpoint_test_save_file(const struct rig *g, struct file *f)
{
	struct err err;
	if (!checkpoint_save(g->s, "point", &err))
		fail_msg("%s", err.msg);
	FILE *in = fopen("point", "rb");
	assert_non_null(in);
	assert_int_equal(fseek(in, 0, SEEK_END), 0);
	f->n = (size_t)ftell(in);
	rewind(in);
	f->bytes = malloc(f->n);
	assert_non_null(f->bytes);
	assert_int_equal(fread(f->bytes, 1, f->n, in), f->n);
	fclose(in);
	unlink("point");
	size_t at = HEADER;
	for (int i = 0; i < SECTIONS; i++) {
		uint64_t length;
		memcpy(&length, f->bytes + at, sizeof length);
		f->at[i] = at + sizeof length;
		f->length[i] = length;
		at = f->at[i] + length;
	}
	/* or HEADER and SECTIONS above are not the file's */
	assert_int_equal(at + sizeof(uint64_t), f->n);
}

/* The message of loading the file, with a correct checksum; the machine is the session's if that is
 * "". */
static const char *checkpoint_test_load_file(struct rig *g, const struct file *f)
{
	static struct err err;
	uint64_t sum = hash_bytes(HASH_START, f->bytes, f->n - sizeof sum);
	FILE *out = fopen("point", "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(f->bytes, 1, f->n - sizeof sum, out), f->n - sizeof sum);
	assert_int_equal(fwrite(&sum, sizeof sum, 1, out), 1);
	fclose(out);
	struct machine *m = checkpoint_load(g->s, "point", &err);
	unlink("point");
	if (!m)
		return err.msg;
	session_adopt(g->s, m);
	return "";
}

static void checkpoint_test_expect_refusal(struct rig *g, const struct file *f, const char *what)
{
	const char *said = checkpoint_test_load_file(g, f);
	if (!strstr(said, what) || !*said)
		fail_msg("'%s' does not say '%s'", said, what);
}

TEST(a_changed_past_goes_along)
{
	struct file f;
	struct rig *g = rig_open(&guest);
	rig_goto(g, 3000);
	checkpoint_test_set_reg(g, 1);
	rig_goto(g, 5000);
	checkpoint_test_set_reg(g, 2);
	rig_goto(g, 6000);
	uint64_t hash = rig_hash(g);
	rig_goto(g, 5000);
	checkpoint_test_save_file(g, &f); /* in the past: the recorded future is not saved */
	uint64_t here = rig_hash(g);
	rig_close(g);

	g = rig_open(&guest);
	assert_string_equal(checkpoint_test_load_file(g, &f), "");
	struct run_history h;
	run_history(g->r, &h);
	assert_int_equal(h.changes, 2);
	assert_int_equal(h.changes_before, 2);
	assert_int_equal(rig_hash(g), here);
	rig_goto(g, 6000);
	assert_int_equal(rig_hash(g), hash);
	checkpoint_test_set_reg(g, 3);
	rig_goto(g, 7000);
	uint64_t later = rig_hash(g);
	rig_goto(g, 5000);
	assert_int_equal(rig_hash(g), here);
	rig_goto(g, 7000);
	assert_int_equal(rig_hash(g), later);
	run_history(g->r, &h);
	assert_int_equal(h.changes, 3);
	rig_close(g);
	free(f.bytes);
}

/* In the middle of blocks, with flags that are late, entries that are locked and prediction bits
 * that are ahead. */
TEST(between_profile_instructions)
{
	struct subject how = guest;
	how.program = "build/tests/reverse/profiled";
	how.settings = "xprof.bpred=ignored-update l1d.latency=9";
	struct rig *g = rig_open(&how);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	const uint64_t end = rig_cycle(g), last = rig_hash(g);
	for (uint64_t i = 1; i < (rig_small() ? 5 : 60); i++) {
		struct file f;
		rig_goto(g, 400 + i * 137);
		const uint64_t hash = rig_hash(g);
		checkpoint_test_save_file(g, &f);
		struct rig *other = rig_open(&how);
		assert_string_equal(checkpoint_test_load_file(other, &f), "");
		assert_int_equal(rig_hash(other), hash);
		assert_int_equal(rig_continue(other), STOPPED_EXIT);
		assert_int_equal(rig_cycle(other), end);
		assert_int_equal(rig_hash(other), last);
		rig_close(other);
		free(f.bytes);
	}
	rig_close(g);
}

TEST(what_differs_is_named)
{
	struct file f;
	unsigned count;
	struct rig *g = rig_open(&guest);
	rig_goto(g, 4000);
	checkpoint_test_set_reg(g, 1);
	checkpoint_test_save_file(g, &f);
	const struct arena_section *sections = machine_sections(g->s->machine, &count);
	assert_true(count > 5);
	for (unsigned i = 0; i < count; i++) {
		char want[80];
		if (!sections[i].bytes || !strcmp(sections[i].name, "journal"))
			continue;
		uint8_t *byte = f.bytes + f.at[ARENA] + sections[i].at + sections[i].bytes / 2;
		*byte ^= 0x10;
		snprintf(want, sizeof want, "\"%s\" differs", sections[i].name);
		checkpoint_test_expect_refusal(g, &f, want);
		*byte ^= 0x10;
	}
	f.bytes[f.at[PAGES] + 8 + 100] ^= 1;
	checkpoint_test_expect_refusal(g, &f, "memory differs");
	f.bytes[f.at[PAGES] + 8 + 100] ^= 1;
	assert_string_equal(checkpoint_test_load_file(g, &f), "");
	rig_close(g);
	free(f.bytes);
}

TEST(a_damaged_journal_is_refused)
{
	struct file f;
	struct rig *g = rig_open(&guest);
	rig_run_to(g, "after_read");
	checkpoint_test_set_reg(g, 1);
	checkpoint_test_save_file(g, &f);
	uint64_t entries = machine_journal(g->s->machine)->entries, hash = rig_hash(g);
	assert_true(entries >= 3);
	/* The last entry is the change: two words, and its kind at the head of the entry. */
	uint8_t *end = f.bytes + f.at[JOURNAL] + f.length[JOURNAL], *reg = end - 16;
	*reg = 77;
	checkpoint_test_expect_refusal(g, &f, "its journal is damaged: entry ");
	checkpoint_test_expect_refusal(g, &f, "(a register set) makes no sense");
	*reg = 31;
	f.bytes[f.at[JOURNAL]] ^= 1;
	checkpoint_test_expect_refusal(
		g, &f, "its journal is damaged: it does not begin as a journal does");
	f.bytes[f.at[JOURNAL]] ^= 1;
	assert_string_equal(checkpoint_test_load_file(g, &f), "");
	assert_int_equal(rig_hash(g), hash);
	rig_close(g);
	free(f.bytes);
}

/* A text is restored unchanged; an invalid value of its parameter is refused, as on the command
 * line. */
TEST(texts_go_along)
{
	static const struct {
		const char *value, *what;
	} wrong[] = {
		{"H(P(256),\001A(16)=", "sim.hostname: character 10"},
		{"H(P(256),\nA(16)=", "no parameter 'A(16)'"},
		{"H(P(256),\0A(16)=", "configuration can't be read"},
		{"a\nsim.seed=0x123", "sim.seed is no number"},
		/* no control characters reach a terminal */
		{"a\n\033im.seed=0x123", "no parameter '?im.seed'"},
	};
	enum { N = sizeof "H(P(256),=A(16)=" - 1 };
	struct file f;
	struct subject how = guest;
	how.settings = "sim.hostname=H(P(256),=A(16)=";
	struct rig *g = rig_open(&how);
	rig_goto(g, 4000);
	checkpoint_test_save_file(g, &f);
	assert_string_equal(checkpoint_test_load_file(g, &f), "");
	assert_string_equal(machine_config(g->s->machine)->hostname, "H(P(256),=A(16)=");
	uint8_t *text = memmem(f.bytes + f.at[CONFIG], f.length[CONFIG], "sim.hostname=", 13),
		saved[N];
	assert_non_null(text);
	memcpy(saved, text += 13, N);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		memcpy(text, wrong[i].value, N);
		checkpoint_test_expect_refusal(g, &f, wrong[i].what);
	}
	memcpy(text, saved, N);
	assert_string_equal(checkpoint_test_load_file(g, &f), "");
	rig_close(g);
	free(f.bytes);
}

TEST(damaged_counts_are_refused)
{
	struct file f;
	struct subject how = guest;
	how.settings = "oracle.enable=1";
	struct rig *g = rig_open(&how);
	rig_goto(g, 4000);
	checkpoint_test_save_file(g, &f);
	/* Damages heads of chains in the last chunk, entries in the first, and the name before the
	 * length. */
	enum { NAME = 24 };
	uint64_t length;
	uint8_t *name = f.bytes + f.at[ATTACHMENTS];
	memcpy(&length, name + NAME, sizeof length);
	length += NAME + sizeof length;
	assert_true(length > 8192 && length <= f.length[ATTACHMENTS]);
	uint8_t *const places[] = {name + length - 8192, name + length % (8192 + 8) + 8 + 24, name};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		*places[i] ^= 1;
		checkpoint_test_expect_refusal(
			g, &f, i < 2 ? "the oracle's counts are damaged" : "should be: oracle");
		*places[i] ^= 1;
	}
	assert_string_equal(checkpoint_test_load_file(g, &f), "");
	rig_close(g);
	free(f.bytes);
}

TEST_GROUP(rig_enter, rig_leave)
