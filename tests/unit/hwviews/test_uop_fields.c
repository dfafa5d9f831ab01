/* Every field of every instruction in every cycle: blank before its moment, constant from then on.
 *
 * The test defines the moments again, independently of the table: by events. */
#include "hwviews/session/uop_fields.h"

#include <stdlib.h>
#include <string.h>

#include "core/defs/events.h"
#include "core/machine/machine.h"
#include "core/machine/params.h"
#include "core/pipe/memory/cache.h"
#include "core/os/os.h"
#include "hwviews/grid/field_text.h"
#include "loader/launch.h"
#include "loader/program.h"
#include "tests/cases.h"
#include "tests/unit/loader/cross.h"

/* A block of four profile instructions of type 1, and a pushpf and poppf around it. */
#define BLOCK                                                                                      \
	" __asm__ volatile(\".2byte 0x1006\\n beqz %0, 1f\\n .2byte 0x66\\n j 2f\\n1: .2byte "     \
	"0x46\\n2:\\n\"\n"                                                                         \
	"  \".2byte 0x26, 1, 0x26, 1, 0x26, 1, 0x26, 1, 0x1026\" :: \"r\"(i & 8));\n"

/* Divisions, a cold pointer chase, late and overlapping stores, atomics, unpredictable branches,
 * indirect calls, fused multiplication and addition, profile instructions; a system call, and a
 * fault at the end. */
static const char guest[] =
	"static long next[1024], cells[64]; static volatile long sink;\n"
	"__attribute__((noinline)) static long one(long x) { return x + 1; }\n"
	"__attribute__((noinline)) static long two(long x) { return x ^ 2; }\n"
	"static long (*volatile calls[2])(long) = {one, two};\n"
	"void _start(void){ unsigned x = 1; double d = 1; long p = 0;\n"
	" for (long i = 0; i < 1024; i += 8) next[i] = (i * 1237 + 512) & 1016;\n"
	" for (int i = 0; i < 34; i++) { x = x * 1103515245u + 12345u; p = next[p];\n"
	"  cells[(unsigned long)(x / 7u % 64u) % 61u] = p; sink = cells[p & 63];\n"
	"  if (x >> 16 & 1) cells[p & 63] /= (long)(x | 1u); else d = __builtin_fma(d, 0.5, "
        "(double)p);\n"
	"  ((char *)cells)[x >> 20 & 255] = (char)x; sink += calls[x >> 23 & 1]((long)d);\n" BLOCK
	"  if (i % 16 == 0) __atomic_fetch_add(&cells[3], 1, __ATOMIC_SEQ_CST); }\n"
	" register long a7 __asm__(\"a7\") = 172; register long a0 __asm__(\"a0\");\n"
	" __asm__ volatile(\"ecall\" : \"=r\"(a0) : \"r\"(a7));\n"
	" sink = *(volatile long *)16; __builtin_unreachable(); }\n";

/* Events of the instruction in a slot; cycle + 1, 0: not yet. */
struct told {
	uint64_t seq;
	uint64_t at[EV_COUNT];
	bool seen[UOP_FIELD_COUNT];
	uint64_t word[UOP_FIELD_COUNT];
};

struct field_walk {
	const struct machine *m;
	struct told *slots;  /* [pool_size] */
	uint64_t checked[UOP_FIELD_COUNT]; /* times that a field was present */
	uint64_t compared[EV_COUNT];       /* words of events with fields of the same name */
	/* buffered: loads with data from the store buffer; forwarded: committed forwarded loads */
	uint64_t buffered, forwarded;
	/* longest latency of a load from L2 and from memory, without a TLB miss */
	uint64_t from_l2, from_memory;
};

/* The direction of fetch is no field of the instruction. */
static bool is_about_fetch(enum event_id id)
{
	return id == EV_MISFETCH || id == EV_PROFILE_MISFETCH || id == EV_FLAG_MISPREDICT ||
	       id == EV_SQUASH;
}

/* An event's data on its instruction equal the fields. */
static void compare_words(struct field_walk *w, const struct uop *u, const struct event *ev)
{
	if (is_about_fetch(ev->id))
		return;
	for (unsigned i = 0; i < event_info[ev->id].field_count; i++) {
		const char *name = event_info[ev->id].fields[i].name;
		const int f = uop_field_find(name);
		uint64_t word;
		if (f < 0 || uop_field_info[f].type != event_info[ev->id].fields[i].type ||
		    u->seq != ev->seq)
			continue; /* two meanings, or a new instruction in the slot */
		if (!uop_field(machine_pipe(w->m), u, (enum uop_field)f, &word))
			continue;
		if (ev->word[i] != word)
			fail_msg("%s of #%llu is 0x%llx by its event %s, and 0x%llx", name,
			         (unsigned long long)u->seq, (unsigned long long)ev->word[i],
			         event_info[ev->id].name, (unsigned long long)word);
		w->compared[ev->id]++;
	}
}

/* The names of levels that serve a load, by latency. */
static void note_level(struct field_walk *w, const struct uop *u, const struct event *ev)
{
	const struct config *cfg = machine_pipe(w->m)->cfg;
	const char *level = field_value(FIELD_LEVEL, ev->mem.level).text;
	assert_int_equal(ev->mem.latency, u->when.done - u->when.mem);
	if (!(u->op_flags & OPF_LOAD) || (u->op_flags & OPF_ATOMIC))
		return;
	w->buffered += !strcmp(level, "buffer");
	if (ev->mem.tlb_miss)
		return;
	if (!strcmp(level, "l1"))
		assert_true(ev->mem.latency >= (uint64_t)cfg->l1d_latency &&
		            ev->mem.latency <= (uint64_t)cfg->l1d_latency + 1);
	if (!strcmp(level, "l2") && ev->mem.latency > w->from_l2)
		w->from_l2 = ev->mem.latency;
	if (!strcmp(level, "memory") && ev->mem.latency > w->from_memory)
		w->from_memory = ev->mem.latency;
}

static void uop_fields_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct field_walk *w = ctx;
	if (ev->slot == EVENT_NO_SLOT)
		return;
	struct told *t = &w->slots[ev->slot];
	if (t->seq != ev->seq)
		*t = (struct told){.seq = ev->seq};
	t->at[ev->id] = ev->cycle + 1;
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	compare_words(w, u, ev);
	if (ev->id == EV_MEM && u->seq == ev->seq)
		note_level(w, u, ev);
	uint64_t level;
	if (ev->id == EV_COMMIT && u->seq == ev->seq &&
	    uop_field(machine_pipe(m), u, UOP_FIELD_level, &level))
		w->forwarded += !strcmp(field_value(FIELD_LEVEL, level).text, "forward");
}

/* The event that brings a field. */
static enum event_id uop_fields_setting_event(const char *name)
{
	static const struct {
		enum event_id id;
		const char *names;
	} table[] = {
		{EV_FETCH, " seq pc op text len rd size predicted profile skips thread fetched "},
		{EV_DISPATCH, " dispatched wrong_path flag_miss src1 src2 src3 "},
		{EV_ISSUE, " issued pool unit "},
		{EV_MEM, " memory level delayed tlb_miss forwarded "},
		{EV_WRITEBACK, " done result taken next mispredicted trap "},
		{EV_LEAVE, " ended dropped flags_before flags_behind "},
	};
	char word[32];
	snprintf(word, sizeof word, " %s ", name);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (strstr(table[i].names, word))
			return table[i].id;
	return EV_COUNT;
}

/* Fields that no event brings. */
static bool brought_otherwise(const struct field_walk *w, const struct uop *u, const struct told *t,
                              const char *name)
{
	const struct pipe *p = machine_pipe(w->m);
	if (!strcmp(name, "addr")) /* address generation is over */
		return t->at[EV_ISSUE] &&
		       p->st->cycle >= t->at[EV_ISSUE] + (uint64_t)p->cfg->lsq_agen;
	if (!strcmp(name, "ready")) /* never later than issue */
		return t->at[EV_DISPATCH];
	/* its producer has written back or left; without a producer it is the instruction itself */
	if (!strcmp(name, "data")) {
		const struct uop *q = u->src.seq[1] ? pipe_find(p, u->src.seq[1]) : NULL;
		return t->at[EV_DISPATCH] && (!q || w->slots[q - p->pool].at[EV_WRITEBACK]);
	}
	return !strcmp(name, "state") || !strcmp(name, "why");
}

static void uop_fields_check_field(struct field_walk *w, const struct uop *u, struct told *t,
                                   enum uop_field f)
{
	const char *name = uop_field_info[f].name;
	static struct {
		bool known;
		enum event_id id;
	} brings[UOP_FIELD_COUNT];
	if (!brings[f].known)
		brings[f].known = true, brings[f].id = uop_fields_setting_event(name);
	enum event_id id = brings[f].id;
	uint64_t word = 0;
	bool there = uop_field(machine_pipe(w->m), u, f, &word);
	bool due = id == EV_COUNT ? brought_otherwise(w, u, t, name) : t->at[id] != 0;
	if (there && !due)
		fail_msg("%s of #%llu is there before its time", name, (unsigned long long)u->seq);
	w->checked[f] += there;
	if (!strcmp(name, "state") || !strcmp(name, "why"))
		return;
	bool corrected = f == UOP_FIELD_predicted && t->at[EV_DISPATCH] == machine_cycle(w->m);
	if (t->seen[f] && (!there || (word != t->word[f] && !corrected)))
		fail_msg("%s of #%llu was 0x%llx, and is %s0x%llx", name,
		         (unsigned long long)u->seq, (unsigned long long)t->word[f],
		         there ? "" : "gone, ", (unsigned long long)word);
	/* Stamps have the cycle of the event itself. */
	if (there && uop_field_info[f].type == FIELD_CYCLE && id != EV_COUNT)
		assert_int_equal(word + 1, t->at[id]);
	/* Each field of each instruction appears as soon as it is due. */
	static const enum uop_field always[] = {
		UOP_FIELD_seq,    UOP_FIELD_predicted, UOP_FIELD_dispatched, UOP_FIELD_wrong_path,
		UOP_FIELD_issued, UOP_FIELD_addr,      UOP_FIELD_memory,     UOP_FIELD_done,
		UOP_FIELD_next,   UOP_FIELD_ended};
	for (size_t i = 0; i < sizeof always / sizeof *always; i++)
		if (f == always[i] && due && !there &&
		    (f != UOP_FIELD_addr || ((u->op_flags & OPF_MEMORY) && uop_in_flight(u))))
			fail_msg("%s of #%llu is late", name, (unsigned long long)u->seq);
	t->seen[f] = there;
	t->word[f] = word;
}

static void uop_fields_check_run(const struct program *program, const char *const *settings)
{
	struct err err;
	struct config cfg;
	char *argv[] = {"guest", NULL};
	const struct launch l = {.argc = 1, .argv = argv, .stdin_fd = -1};
	const struct event_filter all = {.mask = (UINT64_C(1) << EV_COUNT) - 1};
	config_default(&cfg);
	for (; *settings; settings++)
		assert_true(config_set_assignment(&cfg, *settings, &err));
	struct machine *m = launch_machine(&l, program, &cfg, &err);
	assert_non_null(m);
	const struct pipe *p = machine_pipe(m);
	struct field_walk w = {.m = m, .slots = calloc(p->pool_size, sizeof *w.slots)};
	assert_non_null(w.slots);
	assert_true(machine_listen(m, &all, uop_fields_on_event, &w) > 0);
	while (machine_step(m))
		for (uint32_t i = 0; i < p->pool_size; i++) {
			const struct uop *u = &p->pool[i];
			struct told *t = &w.slots[i];
			/* Instructions that have left are checked for some cycles more. */
			if (!u->seq || t->seq != u->seq ||
			    (t->at[EV_LEAVE] && t->at[EV_LEAVE] + 4 < machine_cycle(m)))
				continue;
			for (enum uop_field f = 0; f < UOP_FIELD_COUNT; f++)
				uop_fields_check_field(&w, u, t, f);
		}
	assert_int_equal(machine_status(m), MACHINE_FAULTED);
	for (enum uop_field f = 0; f < UOP_FIELD_COUNT; f++)
		if (!w.checked[f])
			fail_msg("%s was never there", uop_field_info[f].name);
	static const enum event_id compared[] = {EV_FETCH,     EV_DISPATCH, EV_ISSUE, EV_MEM,
	                                         EV_WRITEBACK, EV_RESOLVE,  EV_COMMIT};
	for (size_t i = 0; i < sizeof compared / sizeof *compared; i++)
		assert_true(w.compared[compared[i]] > 0);
	assert_true(w.buffered && w.buffered == machine_stats(m)->wbuf_forwards);
	assert_true(w.forwarded && w.forwarded == machine_stats(m)->forwards);
	assert_true(w.from_l2 < (uint64_t)cfg.mem_latency &&
	            w.from_memory >= (uint64_t)cfg.mem_latency);
	free(w.slots);
	machine_free(m);
}

TEST(test_moments)
{
	static const char *const plain[] = {NULL};
	static const char *const narrow[] = {
		"pipe.rob_size=24",   "lsq.size=6",  "l1d.mshrs=1", "fu.int=1",    "fu.mem=1",
		"l1d.write_buffer=1", "l1d.size=1K", "dtlb.sets=1", "dtlb.ways=1", NULL};
	static const char *const daring[] = {"lsq.speculate=1",
	                                     "lsq.replay_size=1",
	                                     "lsq.replay_synonym=64",
	                                     "pipe.rob_size=256",
	                                     "l1d.size=1K",
	                                     "l1i.latency=2",
	                                     NULL};
	const char *const *all[] = {plain, narrow, daring};
	struct cross cross;
	struct err err;
	if (!cross_available())
		skip();
	assert_true(cross_build(&cross, "c", guest,
	                        "-O1 -static -nostdlib -nostartfiles -Wl,--no-relax"));
	struct launch l = {.path = cross.program, .stdin_fd = -1};
	struct program *program = launch_program(&l, &err);
	assert_non_null(program);
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		uop_fields_check_run(program, all[i]);
	program_free(program);
	cross_remove(&cross);
}

TEST(test_uop_fields_table)
{
	for (int i = 0; i < UOP_FIELD_COUNT; i++) {
		assert_int_equal(uop_field_find(uop_field_info[i].name), i);
		assert_true(*uop_field_info[i].help);
	}
	assert_int_equal(uop_field_find("colour"), -1);
}

/* In hooks, an event's fields hide its instruction's: fields of the same name are equal. */
TEST(no_event_hides_a_field)
{
	unsigned shared = 0;
	for (unsigned id = 0; id < EV_COUNT; id++) {
		for (unsigned i = 0; i < event_info[id].field_count; i++) {
			const struct event_field *f = &event_info[id].fields[i];
			const int same = uop_field_find(f->name);
			if (same >= 0 && uop_field_info[same].type != f->type)
				fail_msg("%s.%s is another thing than the instruction's",
				         event_info[id].name, f->name);
			shared += same >= 0;
		}
	}
	assert_true(shared > 5);
}
