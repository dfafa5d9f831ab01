/* Impossible relations between fields, each within its range: a damage for each rule checked by
 * profiling devices and tables (core/prof). */
#include "tests/reverse/hostile.h"


#include "core/pipe/pipe.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"
#include "core/prof/cop/micro_asm.h"
#include "core/prof/oracle/oracle.h"
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/values/vsample.h"
#include "core/run/run.h"

static const struct pipe *device_rules_pipe(const struct hostile *h)
{
	return machine_pipe(h->g->s->machine);
}

static const struct prof *device_rules_prof(const struct hostile *h)
{
	return device_rules_pipe(h)->prof;
}

static struct stats *stats_of(const struct hostile *h)
{
	return hostile_copy(h, device_rules_pipe(h)->stats);
}

/* -- the co-processor -- */
static struct cop_state *device_rules_cop_state(const struct hostile *h)
{
	return hostile_copy(h, device_rules_prof(h)->cop->st);
}

static struct micro_state *device_rules_micro_state(const struct hostile *h)
{
	return hostile_copy(h, device_rules_prof(h)->cop->micro.st);
}

static struct cop_record *device_rules_cop_record(const struct hostile *h,
                                                  const struct cop_record *r)
{
	return hostile_copy(h, r);
}

#define BUFFER ((uint64_t)device_rules_prof(h)->cfg->cop_buffer)
#define TRANSPORT ((uint64_t)device_rules_prof(h)->cfg->cop_transport)
DAMAGE_IF(cop_not_sent, device_rules_cop_state(h)->sent,
          device_rules_cop_record(h, cop_way_at(device_rules_prof(h), 0))->arrived += 1000)
DAMAGE_IF(cop_record_words, device_rules_cop_state(h)->count,
          device_rules_cop_record(h, cop_record_at(device_rules_prof(h), 0))->words ^= 1)
DAMAGE_IF(cop_way_words, device_rules_cop_state(h)->sent,
          device_rules_cop_record(h, cop_way_at(device_rules_prof(h), 0))->words ^= 1)
DAMAGE_IF(cop_buffer_words, device_rules_cop_state(h)->buffer_words < BUFFER,
          device_rules_cop_state(h)->buffer_words++)
DAMAGE_IF(cop_part, device_rules_cop_state(h)->words < TRANSPORT,
          device_rules_cop_state(h)->fresh = device_rules_cop_state(h)->words + 1)
DAMAGE_IF(cop_queue_words, device_rules_cop_state(h)->words < TRANSPORT,
          device_rules_cop_state(h)->words++)
DAMAGE(cop_operations, *(uint8_t *)&device_rules_cop_state(h)->ops ^= 1)
DAMAGE_IF(cop_room, device_rules_cop_state(h)->way_count < device_rules_prof(h)->cop->way_n,
          device_rules_cop_state(h)->sent = device_rules_cop_state(h)->way_count + 1)
DAMAGE_IF(cop_more_than_it_can, device_rules_cop_state(h)->count,
          device_rules_cop_state(h)->buffer_words = device_rules_cop_state(h)->count - 1)
DAMAGE(cop_missing, stats_of(h)->cop_records++)
DAMAGE(engine_random, device_rules_micro_state(h)->lfsr = 0)
DAMAGE(engine_entry, hostile_turn(h, device_rules_prof(h)->cop->micro.valid, 50))
DAMAGE(engine_slot, device_rules_micro_state(h)->decode = ((struct micro_slot){
			    .kind = MICRO_SLOT_SKIP, .predicted.goal = MICRO_GOAL_STOP}))
DAMAGE(engine_beyond, device_rules_micro_state(h)->decode = ((struct micro_slot){
			      .kind = MICRO_SLOT_CODE,
			      .at = (uint16_t)device_rules_prof(h)->cop->micro.code_n,
			      .predicted.goal = MICRO_GOAL_AT}))
DAMAGE(engine_dones, device_rules_micro_state(h)->ahead++)

/* Whatever its two stages hold, and however many of them are `done`. */
static void set_slots(struct hostile *h, struct micro_slot decode, struct micro_slot execute,
                      uint32_t dones)
{
	device_rules_micro_state(h)->decode = decode;
	device_rules_micro_state(h)->execute = execute;
	device_rules_micro_state(h)->ahead = dones;
}

static const struct micro_slot nothing,
	goes_on = {.kind = MICRO_SLOT_CODE, .predicted.goal = MICRO_GOAL_AT},
	skips = {.kind = MICRO_SLOT_SKIP, .predicted.goal = MICRO_GOAL_RECORD};
DAMAGE(engine_halted, set_slots(h, goes_on, nothing, 0); device_rules_micro_state(h)->halted = 1)
DAMAGE_IF(engine_no_record, device_rules_cop_state(h)->count < 2, set_slots(h, skips, skips, 2))

static const char microcode[] = ".fields load: pc, result, addr\n.fields branch: pc, "
                                "target\n.const k0 = 1\n.on load: l\n.on branch: b\n"
				"l: add v0, v0, k0\n done\nb: sadd.32 v2, v2, k0\n done\n";

/* The microprogram is loaded into both machines where they stand. */
static void load_microcode(struct rig *g)
{
	struct micro_image image = {0};
	struct err err;
	size_t n;
	if (!micro_assemble(microcode, strlen(microcode), "text", NULL, 0, &image, &err))
		fail_msg("%s", err.msg);
	struct device_write *writes = cop_load(machine_config(g->s->machine), &image, &n, &err);
	assert_non_null(writes);
	const struct change c = {
		.kind = JOURNAL_DEVICE, .a = DEVICE_COP, .bytes = writes, .n = n * sizeof *writes};
	if (!run_change(g->r, &c, &err))
		fail_msg("%s", err.msg);
	free(writes);
	micro_image_free(&image);
}

TEST(rules_of_the_co_processor)
{
	static const struct subject how = {
		.program = "build/tests/reverse/guest",
		.stdin_fd = -1,
		.history = {.history = true},
		.settings = HOSTILE_SMALL
		"cop.enable=1 cop.cam=40 cop.data=64 cop.filter=64 cop.microcode=64 cop.divider=2 "
	        "cop.buffer=24 cop.transport=12"};
	static const struct rule rules[] = {
		{cop_not_sent, "arrive at the co-processor that were not sent"},
		{cop_record_words, "more words than fields, or fewer"},
		{cop_way_words, "more words than fields, or fewer"},
		{cop_buffer_words, "sample buffer holds other words"},
		{cop_part, "a part of a record has left that is not there"},
		{cop_operations, "tags other operations than its program selects"},
		{cop_room, "than there is room for"},
		{cop_more_than_it_can, "sample buffer holds more than it can"},
		{cop_queue_words, "transport queue holds other words"},
		{cop_missing, "records for the co-processor are missing"},
		{engine_random, "random number register is 0"},
		{engine_entry, "is valid that does not exist"},
		{engine_slot, "pipeline holds something that nothing is"},
		{engine_beyond, "from beyond its array"},
		{engine_dones, "counts other `done`s"},
		{engine_halted, "is halted, and goes on"},
		{engine_no_record, "works on no record"},
	};
	struct hostile h;
	(void)state;
	hostile_open(&h, &how);
	rig_goto(h.g, 3003);
	load_microcode(h.g);
	rig_cycles(h.g, 300);
	RULES(&h, rules);
	hostile_drop(&h);
}

/* -- the stream sampler -- */
static struct sampler_state *device_rules_sampler_state(const struct hostile *h)
{
	return hostile_copy(h, device_rules_prof(h)->sampler->st);
}

/* State of a component, as words. */
static uint64_t *device_rules_component_words(const struct hostile *h, unsigned stage)
{
	return hostile_copy(h, device_rules_prof(h)->sampler->compressor.state[stage]);
}

/* As core/prof/compress_*.c lays them out. */
struct associative {
	struct tuple tuple;
	uint64_t count, used;
};
struct stratum {
	uint32_t at, since;
};
struct tagged {
	uint32_t tag;
	uint16_t state, misses;
	uint32_t hits;
};

static struct associative *device_rules_associative(const struct hostile *h)
{
	return (void *)(device_rules_component_words(h, 1) + 1);
}
static struct stratum *device_rules_stratum(const struct hostile *h)
{
	return (void *)(device_rules_component_words(h, 0) + 1);
}
static struct tagged *device_rules_tagged(const struct hostile *h)
{
	return (void *)device_rules_component_words(h, 0);
}

static struct component_flow *device_rules_component_flow(const struct hostile *h)
{
	return hostile_copy(h, device_rules_prof(h)->sampler->compressor.flow);
}

DAMAGE(sampler_fresh,
       device_rules_sampler_state(h)->fresh = device_rules_sampler_state(h)->tuple_count + 1)
DAMAGE(sampler_counts, stats_of(h)->sampler_selected++)
DAMAGE(sampler_selects, device_rules_sampler_state(h)->kinds ^= UINT64_C(1) << 40)
DAMAGE(sampler_plain, device_rules_sampler_state(h)->plain ^= UINT64_C(1) << 40)
DAMAGE(sampler_wanted, device_rules_sampler_state(h)->wanted[3] ^= 1 << 7)
DAMAGE(sampler_future,
       device_rules_associative(h)[0].used = device_rules_component_words(h, 1)[0] + 1)
DAMAGE(sampler_holds, device_rules_associative(h)[0].count = UINT64_C(1) << 60)
DAMAGE_IF(sampler_twice,
          device_rules_associative(h)[0].count &&device_rules_associative(h)[1].count,
          device_rules_associative(h)[1].tuple = device_rules_associative(h)[0].tuple)
DAMAGE(sampler_where, device_rules_stratum(h)[0].at = 4)
DAMAGE(sampler_since, device_rules_stratum(h)[0].since++)
DAMAGE(sampler_lost, device_rules_component_flow(h)[1].weight_in++)
DAMAGE(tagged_state, device_rules_tagged(h)[0].state = TAG_EVICT + 1)
DAMAGE(tagged_tag, device_rules_tagged(h)[0].tag = 1 << 2)
DAMAGE(tagged_hits, device_rules_tagged(h)[0].hits = 1 << 9)
DAMAGE(tagged_misses, device_rules_tagged(h)[0].misses = 9)

TEST(rules_of_the_sampler)
{
	static const struct rule chained[] = {
		{sampler_fresh, "the sampler holds what it can't"},
		{sampler_counts, "exact counts are not of this machine's cycle"},
		{sampler_selects, "selects other instructions than its streams"},
		{sampler_plain, "selects other instructions than its streams"},
		{sampler_wanted, "selects other instructions than its streams"},
		{sampler_future, "component 1: used of number 0 is"},
		{sampler_holds, "component 1: count of number 0 is"},
		{sampler_twice, "are of one tuple"},
		{sampler_where, "component 0: at of number 0 is 0x4, more than 0x3"},
		{sampler_since, "counted to where it can't"},
		{sampler_lost, "lost count of its stream"},
	};
	static const struct rule by_tag[] = {
		{tagged_state, "state of number 0 is 0x3, more than 0x2"},
		{tagged_tag, "tag of number 0 is 0x4, more than 0x3"},
		{tagged_hits, "hits of number 0 is 0x200, more than 0xff"},
		{tagged_misses, "misses of number 0 is 0x9, more than 0x7"},
	};
	struct hostile h;
	(void)state;
	hostile_save(&h,
	             HOSTILE_SMALL
	             "sampler.enable=1 sampler.exact=1 sampler.compressor=H(P(4),16),A(4)",
	             5000);
	RULES(&h, chained);
	hostile_drop(&h);
	hostile_save(&h, HOSTILE_SMALL "sampler.enable=1 sampler.compressor=T(16,tag=2,hit=8)",
	             5000);
	RULES(&h, by_tag);
	hostile_drop(&h);
}

/* -- the value sampler -- */
static struct vsample_state *device_rules_vsample_state(const struct hostile *h)
{
	return hostile_copy(h, device_rules_prof(h)->vsample->st);
}

static struct vsample_capture *device_rules_vsample_capture(const struct hostile *h)
{
	return hostile_copy(h, device_rules_prof(h)->vsample->capture);
}

DAMAGE_IF(vsample_block, device_rules_vsample_state(h)->block.n < VSAMPLE_BLOCK_MAX,
          device_rules_vsample_state(h)->block.executed = device_rules_vsample_state(h)->block.n +
                                                          1)
DAMAGE_IF(vsample_armed, device_rules_vsample_state(h)->at,
          device_rules_vsample_state(h)->armed = 1)
DAMAGE(vsample_queue,
       device_rules_vsample_state(h)->taken = device_rules_vsample_state(h)->written + 1)
DAMAGE(vsample_sum, device_rules_vsample_state(h)->serial++)
DAMAGE(vsample_register,
       device_rules_vsample_capture(h)->extra[0] = ((struct vsample_extra){VSAMPLE_REG, REG_SINK}))
DAMAGE_IF(vsample_alone,
          device_rules_vsample_state(h)->phase == VSAMPLE_AWAY &&
                  device_rules_pipe(h)->st->rob_count,
          device_rules_vsample_state(h)->phase = VSAMPLE_ENTERED)

TEST(rules_of_the_value_sampler)
{
	static const struct rule rules[] = {
		{vsample_block, "block is impossible"},
		{vsample_armed, "block is impossible"},
		{vsample_queue, "queue holds more than there is room for"},
		{vsample_sum, "tuples don't add up"},
		{vsample_register, "capture a register, a counter or a state that there is not"},
		{vsample_alone, "handler runs beside the program"},
	};
	struct hostile h;
	(void)state;
	hostile_save(&h,
	             HOSTILE_SMALL
	             "vsample.enable=1 vsample.interval_min=20 vsample.interval_max=90",
	             3003);
	RULES(&h, rules);
	hostile_drop(&h);
}

/* -- ProfileMe and the oracle -- */
DAMAGE(oracle_elsewhere, stats_of(h)->oracle_insts++)
DAMAGE(profileme_elsewhere, stats_of(h)->profileme_records++)

static bool profileme_nowhere(struct hostile *h)
{
	struct profileme_state *st = hostile_copy(h, device_rules_prof(h)->profileme->st);
	st->left = 0;
	return st->phase == PROFILEME_COUNTS;
}

TEST(rules_of_what_counts_beside)
{
	static const struct rule rules[] = {
		{oracle_elsewhere, "the oracle is not of this machine's cycle"},
		{profileme_elsewhere, "ProfileMe's counts are not of this machine's cycle"},
		{profileme_nowhere, "ProfileMe's tag is nowhere"},
	};
	struct hostile h;
	(void)state;
	hostile_save(&h, HOSTILE_SMALL "oracle.enable=1 profileme.enable=1", 3003);
	RULES(&h, rules);
	hostile_drop(&h);
}

/* -- tables beside the arena -- */
/* Each word of attachments' state, a little more and far more: all messages occur among them. */
TEST(rules_of_tables)
{
	static const char *const rules[] = {
		"an entry is in another's chain",
		"the oracle's counts don't add up",
		"a chain leads nowhere",
		"instructions of all contexts are not those of the program",
		"a context is not below its caller's",
		"a call leads to no context",
		"the oracle is in no context",
		"the oracle has seen other instructions",
		"more entries than there is room for",
		"an entry is in no chain",
		"don't fit oracle.memory",
		"has something else where there should be: oracle",
		"has something else where there should be: profileme",
		"has something else where there should be: sampler",
		"ProfileMe's records don't add up",
		"the sampler's exact counts don't add up",
		"counts are cut off",
	};
	enum { RULES_COUNT = sizeof rules / sizeof *rules };
	bool said[RULES_COUNT] = {false};
	struct hostile h;
	(void)state;
	hostile_save(
		&h,
		HOSTILE_SMALL
		"oracle.enable=1 oracle.contexts=1 profileme.enable=1 profileme.interval_min=5 "
	        "profileme.interval_max=9 sampler.enable=1 sampler.exact=1",
		400);
	const size_t n = h.saved.section[SECTION_ATTACHMENTS].n;
	for (size_t at = 0; at + 8 <= n; at += 8)
		for (unsigned bit = 0; bit < 48; bit += 40) {
			struct err err = {""};
			uint64_t word;
			memcpy(&word, h.saved.section[SECTION_ATTACHMENTS].bytes + at, sizeof word);
			if (!word)
				continue;
			word += UINT64_C(1) << bit;
			damage_copy(&h.f, &h.saved);
			memcpy(h.f.section[SECTION_ATTACHMENTS].bytes + at, &word, sizeof word);
			struct machine *m = hostile_load(&h, &err);
			machine_free(m);
			for (size_t i = 0; i < RULES_COUNT; i++)
				said[i] |= strstr(err.msg, rules[i]) != NULL;
			damage_free(&h.f);
		}
	hostile_drop(&h);
	for (size_t i = 0; i < RULES_COUNT; i++)
		if (!said[i])
			fail_msg("no word says '%s' when it is wrong", rules[i]);
}

TEST_GROUP(rig_enter, rig_leave)
