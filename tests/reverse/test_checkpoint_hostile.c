/* Checkpoints with correct sums and invalid contents: each field of each list
 * (core/base/state_ranges.h) gets an impossible value, and each rule between fields is broken.
 * Restoring reports the defect, and has no other effect. tests/fuzz/fuzz_checkpoint.c goes on from
 * here. */
#include "tests/reverse/hostile.h"

#define FEW_PORTS "pipe.int_writes=2 pipe.fp_writes=1 l1d.ports=1 l2.ports=1 l2.mshrs=4"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/machine/checkpoint_check.h"
#include "core/os/linux.h"
#include "core/pipe/window.h"
#include "tests/scale.h"
/* ---- fields ---- */
struct breaker {
	struct ranges rs; /* first */
	struct hostile *b;
};

/* The largest number that the field can hold. */
static uint64_t checkpoint_hostile_most(const struct range *r)
{
	const unsigned bits = r->bits ? r->bits : 8 * (unsigned)r->width;
	return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

static void checkpoint_hostile_try_value(struct hostile *b, const struct range *r, size_t row,
                                         size_t column, uint64_t value)
{
	char what[160];
	uint8_t *at = hostile_copy(b, (const uint8_t *)r->first + row * r->row_bytes +
	                                      column * r->width),
		before[8];
	uint64_t word = 0;
	memcpy(before, at, r->width);
	memcpy(&word, at, r->width);
	word = r->bits ? (word & ~(checkpoint_hostile_most(r) << r->low)) | value << r->low : value;
	memcpy(at, &word, r->width);
	snprintf(what, sizeof what, "an impossible machine: %s: %s", r->of, r->field);
	hostile_expect(b, what);
	memcpy(at, before, r->width);
}

static void checkpoint_hostile_try_text(struct hostile *b, const struct range *r)
{
	char what[160];
	uint8_t *at = hostile_copy(b, r->first), *before = malloc(r->width);
	assert_non_null(before);
	memcpy(before, at, r->width);
	memset(at, 'x', r->width);
	snprintf(what, sizeof what, "an impossible machine: %s: the text %s does not end", r->of,
	         r->field);
	hostile_expect(b, what);
	memcpy(at, before, r->width);
	free(before);
}

static void break_range(struct ranges *rs, const struct range *r)
{
	struct hostile *b = ((struct breaker *)rs)->b;
	const uint64_t all = checkpoint_hostile_most(r);
	if (!r->rows || !r->first)
		return;
	if (r->kind == RANGE_TEXT) {
		checkpoint_hostile_try_text(b, r);
		return;
	}
	const uint64_t wrong =
		r->kind == RANGE_BITS ? ~r->limit & (r->limit + 1) & all : r->limit + 1;
	if (r->limit >= all || !wrong || (r->kind == RANGE_NONE && wrong == all))
		return; /* every value is valid */
	checkpoint_hostile_try_value(b, r, r->rows - 1, r->columns - 1, wrong);
	if (rig_small())
		return;
	if (r->rows > 1 || r->columns > 1)
		checkpoint_hostile_try_value(b, r, 0, 0, wrong);
	if (r->kind != RANGE_NONE)
		checkpoint_hostile_try_value(b, r, r->rows / 2, r->columns / 2, all);
}

static void break_each_field(const char *settings, uint64_t cycle, unsigned least)
{
	struct hostile b;
	hostile_save(&b, settings, cycle);
	damage_copy(&b.f, &b.saved);
	struct breaker w = {.rs.tell = break_range, .b = &b};
	machine_ranges(b.g->s->machine, &w.rs);
	assert_true(b.tried >= least);
	/* The repaired file loads the saved machine. */
	struct err err = {""};
	struct machine *m = hostile_load(&b, &err);
	if (!m)
		fail_msg("%s", err.msg);
	assert_int_equal(machine_hash(m), rig_hash(b.g));
	machine_free(m);
	damage_free(&b.f);
	hostile_drop(&b);
}

TEST(each_field_of_a_plain_machine)
{
	if (scale_is("small"))
		return; /* the machine with devices has the same fields */
	break_each_field(HOSTILE_SMALL, 3000, rig_small() ? 90 : 200);
}

TEST(each_field_of_a_large_window)
{
	break_each_field(HOSTILE_SMALL "pipe.rob_size=200 " FEW_PORTS, 3000,
	                 rig_small() ? 90 : 200);
}

TEST(each_field_of_one_with_devices)
{
	break_each_field(HOSTILE_SMALL
	                 "cop.enable=true sampler.enable=true profileme.enable=true "
	                 "vsample.enable=true firmware.enable=true "
	                 "lsq.speculate=true lsq.predictor=store-sets l1d.prefetch=stride",
	                 3000, rig_small() ? 130 : 300);
}

/* ---- which fields ---- */
/* The lists of ranges themselves, of a machine with all devices, because the tests above would not
 * miss a lost row: a line of tests/reverse/ranges.txt for each, with its number of occurrences and
 * words. */
enum { ROW_TEXT = 80, ROWS = 1000 };
struct writer {
	struct ranges rs; /* first */
	unsigned rows;
	struct {
		char text[ROW_TEXT];
		unsigned count;
		size_t words;
	} row[ROWS];
};

static void write_row(struct ranges *rs, const struct range *r)
{
	static const char *const kind[] = {[RANGE_MOST] = "most",
	                                   [RANGE_NONE] = "most or none",
	                                   [RANGE_BITS] = "bits",
	                                   [RANGE_TEXT] = "text"};
	struct writer *w = (struct writer *)rs;
	char text[ROW_TEXT];
	unsigned i = 0;
	if (!r->rows || !r->first)
		return;
	snprintf(text, sizeof text, "%s.%s: %s", r->of, r->field, kind[r->kind]);
	while (i < w->rows && strcmp(w->row[i].text, text) != 0)
		i++;
	assert_true(i < ROWS);
	memcpy(w->row[i].text, text, sizeof text);
	w->row[i].count++;
	w->row[i].words += r->rows * r->columns;
	w->rows += i == w->rows;
}

static void checkpoint_hostile_write_rows(FILE *out, const char *settings)
{
	static struct writer w = {.rs.tell = write_row};
	struct subject how = guest;
	how.settings = settings;
	struct rig *g = rig_open(&how);
	machine_ranges(g->s->machine, &w.rs);
	rig_close(g);
	for (unsigned i = 0; i < w.rows; i++)
		fprintf(out, "%s, %u of %zu\n", w.row[i].text, w.row[i].count, w.row[i].words);
}

static char *checkpoint_hostile_read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t room = 0;
	if (f && getdelim(&text, &room, '\0', f) < 0)
		fail_msg("%s can't be read", path);
	if (f)
		fclose(f);
	return text ? text : strdup("");
}

TEST(no_row_is_missing)
{
	static const char path[] = "tests/reverse/ranges.txt";
	char *now = NULL;
	size_t n;
	(void)state;
	FILE *out = open_memstream(&now, &n);
	assert_non_null(out);
	checkpoint_hostile_write_rows(
		out, "pipe.rob_size=200 " FEW_PORTS
		     " cop.enable=true sampler.enable=true sampler.exact=true "
		     "profileme.enable=true vsample.enable=true oracle.enable=true "
		     "oracle.contexts=true oracle.blocks=true oracle.values=all "
		     "oracle.replays=true firmware.enable=true lsq.speculate=true "
		     "lsq.predictor=store-sets l1d.prefetch=stride");
	assert_int_equal(fclose(out), 0);
	rig_go_top();
	if (getenv("UPDATE")) {
		out = fopen(path, "wb");
		assert_true(out && fputs(now, out) >= 0 && fclose(out) == 0);
	}
	char *want = checkpoint_hostile_read_file(path);
	rig_go_data();
	const char *a = now, *b = want;
	for (; *a && strcspn(a, "\n") == strcspn(b, "\n") && !strncmp(a, b, strcspn(a, "\n"));
	     a += strcspn(a, "\n") + 1, b += strcspn(b, "\n") + 1)
		;
	if (*a || *b)
		fail_msg("the lists have '%.*s', %s '%.*s': if that is right, UPDATE=1 writes them "
		         "anew",
		         (int)strcspn(a, "\n"), a, path, (int)strcspn(b, "\n"), b);
	free(now);
	free(want);
}

/* ---- rules between fields ---- */
static const struct pipe *checkpoint_hostile_pipe(const struct hostile *b)
{
	return machine_pipe(b->g->s->machine);
}

static struct uop *checkpoint_hostile_uop(const struct hostile *b, const struct uop *u)
{
	return hostile_copy(b, u);
}

static struct os_state *checkpoint_hostile_os_state(const struct hostile *b)
{
	return hostile_copy(b, os_state_const(machine_os_const(b->g->s->machine)));
}

/* The first instruction in the window for which this holds. */
static const struct uop *in_window(const struct hostile *b, bool (*is)(const struct uop *u))
{
	for (uint32_t i = 0; i < checkpoint_hostile_pipe(b)->st->rob_count; i++)
		if (is(pipe_rob_at(checkpoint_hostile_pipe(b), i)))
			return pipe_rob_at(checkpoint_hostile_pipe(b), i);
	fail_msg("no such instruction is in the window: choose another cycle");
	return NULL;
}

static bool has_users(const struct uop *u)
{
	return u->state != UOP_DONE && u->users != NO_LINK;
}
static bool is_access(const struct uop *u)
{
	return uop_is_memory(u);
}
static bool is_any(const struct uop *u) { return u->seq != 0; }

static void break_bits(struct hostile *b)
{
	checkpoint_hostile_uop(b, in_window(b, is_any))->inst.raw ^= 0x8000;
}
static void break_users(struct hostile *b)
{
	checkpoint_hostile_uop(b, in_window(b, has_users))->users = NO_LINK;
}
static void break_order(struct hostile *b)
{
	checkpoint_hostile_uop(b, in_window(b, is_any))->at.rob ^= 1;
}
static void break_queue(struct hostile *b)
{
	checkpoint_hostile_uop(b, in_window(b, is_access))->at.lsq ^= 1;
}
static void break_size(struct hostile *b)
{
	checkpoint_hostile_uop(b, in_window(b, is_access))->exec.size = 7;
}

static void break_rename(struct hostile *b)
{
	const struct pipe *p = checkpoint_hostile_pipe(b);
	for (unsigned reg = 1; reg < REG_SINK; reg++)
		if (p->st->rename[reg] != NO_SLOT)
			checkpoint_hostile_uop(b, pipe_uop(p, p->st->rename[reg]))->inst.rd =
				REG_SINK;
}

static void break_prefix(struct hostile *b)
{
	checkpoint_hostile_uop(b, in_window(b, is_any))->prefix_len = 1;
}

static void break_pool(struct hostile *b)
{
	const struct pipe *p = checkpoint_hostile_pipe(b);
	for (uint32_t i = 0; i < p->pool_size; i++)
		if (p->pool[i].state == UOP_RETIRED) {
			checkpoint_hostile_uop(b, &p->pool[i])->state = UOP_DONE;
			return;
		}
}

static void break_ready(struct hostile *b)
{
	const struct pipe *p = checkpoint_hostile_pipe(b);
	uint64_t *ready = hostile_copy(b, p->ready);
	ready[0] |= UINT64_C(1) << ((p->st->rob_head + p->st->rob_count) & 63);
}

static void break_wheel(struct hostile *b)
{
	const struct pipe *p = checkpoint_hostile_pipe(b);
	uint64_t *wheel = hostile_copy(b, p->wheel);
	wheel[5] |= UINT64_C(1) << ((p->st->rob_head + p->st->rob_count) & 63);
}

static void break_filter(struct hostile *b)
{
	((struct pipe_state *)hostile_copy(b, checkpoint_hostile_pipe(b)->st))->store_filter[17]++;
}
static void break_slots(struct hostile *b)
{
	((struct stats *)hostile_copy(b, checkpoint_hostile_pipe(b)->stats))->cpi_base++;
}
static void break_count(struct hostile *b)
{
	((struct pipe_state *)hostile_copy(b, checkpoint_hostile_pipe(b)->st))->iq_count ^= 1;
}
static void break_serial(struct hostile *b)
{
	((struct pipe_state *)hostile_copy(b, checkpoint_hostile_pipe(b)->st))->serial_slot = 0;
}

/* Fetch would begin in a million years. */
static void break_fetch(struct hostile *b)
{
	((struct pipe_state *)hostile_copy(b, checkpoint_hostile_pipe(b)->st))->redirect_until +=
		UINT64_C(1) << 53;
}

static void break_mshr(struct hostile *b)
{
	const struct pipe *p = checkpoint_hostile_pipe(b);
	struct hierarchy_state *st = hostile_copy(b, p->mem.st);
	st->mshr_count = 1;
	st->mshr[0] = (struct mshr){
		.since = 1, .ready = p->st->cycle + 100, .level = LEVEL_MEMORY, .chained = 1};
}

static void break_misses(struct hostile *b)
{
	const struct pipe *p = checkpoint_hostile_pipe(b);
	struct hierarchy_state *st = hostile_copy(b, p->mem.st);
	st->mshr_count = MSHR_ENTRIES;
	for (unsigned i = 0; i < MSHR_ENTRIES; i++)
		st->mshr[i] = (struct mshr){
			.line = i, .since = 1, .ready = p->st->cycle + 1000, .level = LEVEL_MEMORY};
}

static void break_journal(struct hostile *b)
{
	const struct journal *j = machine_journal(b->g->s->machine);
	assert_true(j->st->pos > 0);
	((struct journal_state *)hostile_copy(b, j->st))->pos = 0;
}

static void break_refs(struct hostile *b)
{
	checkpoint_hostile_os_state(b)->file[1].refs = 7;
}
static void break_path(struct hostile *b)
{
	strcpy(checkpoint_hostile_os_state(b)->file[1].path, "a/../../b");
}
static void break_sysroot(struct hostile *b)
{
	strcpy(checkpoint_hostile_os_state(b)->file[1].path, "//lib/libc.so.6");
	checkpoint_hostile_os_state(b)->file[1].flags |= LX_O_WRONLY;
}
static void break_away(struct hostile *b)
{
	strcpy(checkpoint_hostile_os_state(b)->cwd, "//lib");
}
static void break_map(struct hostile *b)
{
	checkpoint_hostile_os_state(b)->map_count = 1;
	checkpoint_hostile_os_state(b)->map[0] =
		(struct os_map){.start = 1 << 20, .length = MEM_TOP, .path = "lib.so"};
}
static void break_map_name(struct hostile *b)
{
	checkpoint_hostile_os_state(b)->map_count = 1;
	checkpoint_hostile_os_state(b)->map[0] =
		(struct os_map){.start = 1 << 20, .length = 4096, .path = "../lib.so"};
}
static void break_folder(struct hostile *b)
{
	strcpy(checkpoint_hostile_os_state(b)->cwd, "/etc");
}
static void break_break(struct hostile *b)
{
	checkpoint_hostile_os_state(b)->brk = checkpoint_hostile_os_state(b)->brk_start - 1;
}
static void break_output(struct hostile *b)
{
	checkpoint_hostile_os_state(b)->out_bytes[0]++;
}

/* A window too large for the saved machine's parts is reported before anything is allocated. */
static void break_configuration(struct hostile *b)
{
	static const char name[] = "pipe.rob_size=";
	char *at = memmem(b->f.section[SECTION_CONFIG].bytes, b->f.section[SECTION_CONFIG].n, name,
	                  sizeof name - 1);
	assert_non_null(at);
	at[sizeof name - 1] = '9';
}

static bool is_right(const struct uop *u) { return !(u->flags & UF_MISPREDICT); }

static void break_misprediction(struct hostile *b)
{
	const struct pipe *p = checkpoint_hostile_pipe(b);
	struct pipe_state *st = hostile_copy(b, p->st);
	st->spec_slot = (uint16_t)(in_window(b, is_right) - p->pool);
}

TEST(each_rule)
{
	static const struct {
		void (*damage)(struct hostile *b);
		const char *what;
	} rules[] = {
		{break_bits, "fields differ from its bits"},
		{break_users, "not among its producer's consumers"},
		{break_order, "not at its place in the window"},
		{break_queue, "not in the order of the window"},
		{break_size, "an invalid size"},
		{break_rename, "a register has no producer"},
		{break_prefix, "odd length"},
		{break_pool, "in no queue"},
		{break_ready, "ready"},
		{break_wheel, "due"},
		{break_filter, "filter counts stores"},
		{break_fetch, "redirect_until"},
		{break_slots, "commit slots"},
		{break_count, "wait for issue"},
		{break_serial, "not alone"},
		{break_mshr, "no successor to take it over"},
		{break_misses, "more misses"},
		{break_misprediction, "will never resolve"},
		{break_journal, "the journal goes on"},
		{break_refs, "other descriptors"},
		{break_path, "a name that no open() gave it"},
		{break_sysroot, "a file of the sysroot is open for writing"},
		{break_away, "a name that no chdir() gave it"},
		{break_map, "a mapped file lies where none can be"},
		{break_map_name, "a mapped file lies where none can be"},
		{break_folder, "a name that no chdir() gave it"},
		{break_break, "the program's break"},
		{break_output, "output"},
		{break_configuration, "and its configuration needs"},
	};
	struct hostile b;
	hostile_save(&b, HOSTILE_SMALL, 3003);
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		damage_copy(&b.f, &b.saved);
		rules[i].damage(&b);
		hostile_expect(&b, rules[i].what);
		damage_free(&b.f);
	}
	hostile_drop(&b);
}

/* ---- anything ---- */
/* Random words anywhere: the file is refused, or the machine runs. */
TEST(words_at_random)
{
	const unsigned tries = scale_is("small") ? 100 : scale_is("long") ? 300 : 120;
	struct hostile b;
	uint64_t random = 20260714;
	unsigned restored = 0;
	hostile_save(&b, HOSTILE_SMALL "oracle.enable=true oracle.memory=1M", 3000);
	for (unsigned i = 0; i < tries; i++) {
		struct err err = {""};
		damage_copy(&b.f, &b.saved);
		const enum section which = random_below(&random, 3)
		                                   ? SECTION_ARENA
		                                   : (enum section)random_below(&random, SECTIONS);
		const size_t n = b.f.section[which].n;
		for (uint64_t k = 1 + random_below(&random, 3); n && k; k--)
			b.f.section[which].bytes[random_below(&random, n)] ^=
				(uint8_t)(1u << random_below(&random, 8));
		damage_hash_memory(&b.f);
		struct machine *m = hostile_load(&b, &err);
		if (m) {
			restored++;
			machine_run(m, machine_cycle(m) + 2000, UINT64_MAX);
			machine_free(m);
		} else if (!*err.msg || strchr(err.msg, '\n')) {
			fail_msg("refused with '%s'", err.msg);
		}
		damage_free(&b.f);
	}
	assert_true(restored > tries / 20);
	hostile_drop(&b);
}

TEST_GROUP(rig_enter, rig_leave)
