/* The co-processor's host interface: register accesses by executed firmware, their cost, interrupts
 * and faults, and loading a program by one change. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/devices.h"
#include "core/isa/csr.h"
#include "core/machine/change.h"
#include "core/machine/machine.h"
#include "core/machine/params.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "core/pipe/why.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"
#include "core/prof/cop/micro_asm.h"
#include "loader/launch.h"
#include "tests/cases.h"

static const char firmware[] = "build/tests/firmware/cop.elf";

/* A guest with firmware or without. */
struct host {
	struct machine *m;
	struct program *p;
	struct config cfg;
};

static struct host cop_host_open_machine(const char *with, const char *const *settings)
{
	static char name[] = "build/demos/fib";
	struct host h;
	struct err err;
	char *argv[] = {name, NULL}, *env[] = {NULL};
	const struct launch l = {.path = name, .argv = argv, .env = env, .firmware = with};
	config_default(&h.cfg);
	assert_true(config_set_assignment(&h.cfg, "cop.enable=true", &err));
	for (; *settings; settings++)
		if (!config_set_assignment(&h.cfg, *settings, &err))
			fail_msg("%s", err.msg);
	h.p = launch_program(&l, &err);
	h.m = h.p ? launch_machine(&l, h.p, &h.cfg, &err) : NULL;
	if (!h.m)
		fail_msg("%s", err.msg);
	return h;
}

static void close_host(struct host *h)
{
	machine_free(h->m);
	program_free(h->p);
}

static const struct prof *cop_host_prof(const struct host *h)
{
	return machine_pipe(h->m)->prof;
}

static uint64_t cop_host_read_symbol(const struct host *h, const char *name)
{
	const struct symbol *s = program_symbol_by_name(h->p, name);
	uint64_t value = 0;
	assert_non_null(s);
	assert_true(machine_peek(h->m, s->addr, &value, sizeof value));
	return value;
}

/* ---- registers ---- */
static uint64_t cop_host_register_pattern(uint64_t offset)
{
	return (offset + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static void halves_are(const uint16_t *have, unsigned n, unsigned offset, uint16_t bits)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(have[i], cop_host_register_pattern(offset + 8 * i) & bits);
}

static void bytes_are(const void *have, size_t n, unsigned offset)
{
	for (unsigned i = 0; i < n / 8; i++) {
		uint64_t word;
		memcpy(&word, (const uint8_t *)have + 8 * i, 8);
		if (word != cop_host_register_pattern(offset + 8 * i))
			fail_msg("register 0x%x is not what was written", offset + 8 * i);
	}
}

static void all_state_is_written(const struct host *h)
{
	const struct cop *c = cop_of(cop_host_prof(h));
	const struct micro *m = &c->micro;
	bytes_are(m->st->v, sizeof m->st->v, 0x100);
	bytes_are(m->st->k, sizeof m->st->k, 0x180);
	halves_are(m->st->x, 8, 0x200, 0xffff);
	halves_are(m->st->b, 8, 0x240, 0xffff);
	halves_are(m->st->t, 8, 0x280, 0xffff);
	halves_are(m->st->start, 32, 0x300, 0xffff);
	halves_are(c->st->fields, 32, 0x400, 0x7f);
	bytes_are(m->code, m->code_n * sizeof *m->code, 0x10000);
	bytes_are(m->cam, m->cam_n * sizeof *m->cam, 0x20000);
	bytes_are(m->valid, m->cam_n / 8, 0x28000);
	bytes_are(m->data, m->data_n * sizeof *m->data, 0x30000);
	bytes_are(c->table[COP_TABLE_HIGH], (size_t)h->cfg.cop_filter / 8, 0x40000);
	bytes_are(c->table[COP_TABLE_LOW], (size_t)h->cfg.cop_filter / 8, 0x50000);
	assert_int_equal(c->st->classes, cop_host_register_pattern(0x18) & 0x3ff);
	assert_int_equal(c->st->shift, cop_host_register_pattern(0x20) & 63);
	assert_int_equal(c->st->mask, cop_host_register_pattern(0x28));
	assert_int_equal(c->st->match, cop_host_register_pattern(0x30));
	assert_int_equal(c->st->tables, cop_host_register_pattern(0x38) & 3);
	assert_int_equal(m->st->lfsr, (uint32_t)cop_host_register_pattern(0x80));
	assert_int_equal(m->st->conditions, cop_host_register_pattern(0x88) & 0xff);
	assert_int_equal(m->st->match, (uint16_t)(cop_host_register_pattern(0x88) >> 16));
}

static void run_to_stage(struct host *h, uint64_t stage)
{
	while (cop_host_read_symbol(h, "cop_stage") < stage)
		assert_true(machine_step(h->m));
}

TEST(firmware_reads_and_writes_all_state)
{
	static const char *const sizes[][6] = {
		{"cop.access=0", NULL},
		{"cop.access=0", "cop.microcode=33", "cop.cam=64", "cop.data=70", "cop.filter=128",
	         NULL},
		{"cop.access=0", "cop.cam=8192", "cop.data=16384", "cop.microcode=4096",
	         "cop.filter=512K", NULL},
	};
	for (unsigned i = 0; i < 3; i++) {
		struct host h = cop_host_open_machine(firmware, sizes[i]);
		run_to_stage(&h, 1);
		all_state_is_written(&h);
		run_to_stage(&h, 2);
		if (cop_host_read_symbol(&h, "cop_wrong"))
			fail_msg("%llu registers read as something else, 0x%llx among them",
			         (unsigned long long)cop_host_read_symbol(&h, "cop_wrong"),
			         (unsigned long long)cop_host_read_symbol(&h, "wrong_at"));
		assert_true(cop_masks(cop_host_prof(&h), COP_TABLE_LOW, 0x12345678));
		assert_false(cop_masks(cop_host_prof(&h), COP_TABLE_HIGH, 0x12345678));
		close_host(&h);
	}
}

/* ---- the cost of an access ---- */
/* Accesses to the co-processor and to other devices: the least and the most cycles from the
 * earliest possible commit to the commit. */
static struct cost {
	unsigned n;
	uint64_t least, most;
} cop_cost, other_cost;

/* The commit's cycle by `why` of the waiting access. */
static uint64_t promised_seq, promised;

static void cop_host_check_device_wait(const struct machine *m)
{
	const struct pipe *p = machine_pipe(m);
	const struct uop *u = p->st->rob_count ? pipe_rob_at(p, 0) : NULL;
	if (!u || u->state != UOP_DONE || u->trap != TRAP_DEVICE)
		return;
	const struct why w = uop_why(p, u);
	assert_int_equal(w.id, WHY_DEVICE);
	assert_true(promised_seq != u->seq || promised == w.due);
	promised_seq = u->seq;
	promised = w.due;
}

static void cop_host_measure_access_cost(void *ctx, const struct machine *m, const struct event *ev)
{
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	struct cost *c = u->exec.addr >= DEVICE_BASE + 0x100000 ? &cop_cost : &other_cost;
	const uint64_t cycles = ev->cycle - u->when.done;
	(void)ctx;
	if (!(u->flags & UF_DEVICE))
		return;
	assert_true(promised_seq != u->seq || promised == ev->cycle);
	c->least = c->n && c->least < cycles ? c->least : cycles;
	c->most = c->n && c->most > cycles ? c->most : cycles;
	c->n++;
}

static void cop_host_run_until(const char *with, const char *access, const char *symbol,
                               uint64_t until)
{
	const char *const settings[] = {"cop.data=64",     "cop.cam=64", "cop.filter=64",
	                                "cop.microcode=8", access,       NULL};
	struct host h = cop_host_open_machine(with, settings);
	const struct event_filter f = {.mask = EV_BIT(COMMIT)};
	cop_cost = other_cost = (struct cost){0};
	assert_true(machine_listen(h.m, &f, cop_host_measure_access_cost, NULL) > 0);
	while (cop_host_read_symbol(&h, symbol) < until) {
		assert_true(machine_step(h.m));
		cop_host_check_device_wait(h.m);
	}
	assert_true(promised_seq > 0);
	close_host(&h);
}

TEST(an_access_takes_the_bus_s_time)
{
	static const struct {
		const char *setting;
		unsigned cycles;
	} times[] = {{"cop.access=0", 0}, {"cop.access=1", 1}, {"cop.access=37", 37}};
	uint64_t first = 0;
	for (unsigned i = 0; i < 3; i++) {
		cop_host_run_until(firmware, times[i].setting, "cop_stage", 2);
		first = i ? first : cop_cost.least;
		assert_true(cop_cost.n > 300 && other_cost.n == 0);
		assert_int_equal(cop_cost.least, first + times[i].cycles);
		assert_int_equal(cop_cost.most, first + times[i].cycles);
		cop_host_run_until("build/demos/firmware/tick.elf", times[i].setting,
		                   "firmware_ticks", 3);
		assert_true(other_cost.n > 3 && cop_cost.n == 0);
		assert_true(other_cost.least == first && other_cost.most == first);
	}
}

/* ---- programs ---- */
static void cop_host_load_microcode(struct host *h, const char *text)
{
	struct micro_image image = {0};
	struct err err;
	size_t n;
	if (!micro_assemble(text, strlen(text), "text", NULL, 0, &image, &err))
		fail_msg("%s", err.msg);
	struct device_write *writes = cop_load(&h->cfg, &image, &n, &err);
	assert_non_null(writes);
	if (!machine_change(h->m,
	                    &(struct change){.kind = JOURNAL_DEVICE,
	                                     .a = DEVICE_COP,
	                                     .bytes = writes,
	                                     .n = n * sizeof *writes},
	                    &err))
		fail_msg("%s", err.msg);
	free(writes);
	micro_image_free(&image);
}

static const char counting[] =
	".fields load: pc, result\n.const k0 = 1\n.const k1 = 100\n.const k2 = 0\n.on load: l\n"
	"l: add v0, v0, k0\n cmp v0, k1 | if lt done likely\n mov v0, k2\n add v1, v1, k0\n "
        "interrupt\n";

/* A program loaded by one change is that of the image, and it interrupts firmware every hundred
 * records. */
TEST(it_interrupts_and_goes_on)
{
	struct host h = cop_host_open_machine(
		firmware, (const char *const[]){"cop.access=3", "cop.data=64", "cop.cam=64",
	                                        "cop.buffer=32", NULL});
	run_to_stage(&h, 2);
	cop_host_load_microcode(&h, counting);
	const struct cop *c = cop_of(cop_host_prof(&h));
	const struct stats *s = machine_stats(h.m);
	assert_int_equal(c->st->mask | c->st->match | c->st->tables | c->micro.st->conditions, 0);
	assert_int_equal(c->st->fields[INST_STORE], 0);
	assert_int_equal(c->st->fields[INST_LOAD], 1 << RECORD_PC | 1 << RECORD_RESULT);
	assert_int_equal(c->table[COP_TABLE_LOW][0], 0);
	uint64_t before = 0, halted = 0;
	while (machine_step(h.m)) {
		assert_null(prof_check(cop_host_prof(&h)));
		assert_int_equal(prof_pending(cop_host_prof(&h)),
		                 c->micro.st->halted ? UINT64_C(1) << IRQ_COP : 0);
		halted += c->micro.st->halted;
		if (c->micro.st->halted && before == s->cop_interrupts)
			assert_int_equal(s->cop_samples, 100 * before); /* it stands still */
		before = s->cop_interrupts;
	}
	assert_int_equal(machine_status(h.m), MACHINE_EXITED);
	assert_true(s->cop_interrupts > 20 && halted > 20 * 100);
	assert_in_range(s->cop_interrupts, cop_host_read_symbol(&h, "interrupts"),
	                cop_host_read_symbol(&h, "interrupts") + 1);
	assert_int_equal(s->cop_samples / 100, s->cop_interrupts);
	assert_int_equal(c->micro.st->v[1], s->cop_interrupts);
	assert_int_equal(cop_host_read_symbol(&h, "cop_wrong"), 0);
	assert_int_equal(cop_host_read_symbol(&h, "waited"),
	                 20 * cop_host_read_symbol(&h, "interrupts"));
	assert_int_equal(cop_host_read_symbol(&h, "last_status") & COP_HALTED, COP_HALTED);
	/* sometimes full, without stopping */
	assert_true(s->cop_lost > 0 && cop_host_read_symbol(&h, "last_dropped") > 0);
	assert_int_equal(s->cop_faults, 0);
	close_host(&h);
}

/* The oldest record read by firmware is of the instruction after the interrupting one. */
TEST(it_reads_records_itself)
{
	struct host h = cop_host_open_machine(
		firmware, (const char *const[]){"cop.data=64", "cop.cam=64", "l1d.size=1K",
	                                        "l1d.ways=1", NULL});
	run_to_stage(&h, 2);
	cop_host_load_microcode(&h, counting);
	const struct cop *c = cop_of(cop_host_prof(&h));
	unsigned compared = 0, eventful = 0;
	uint64_t done = 0;
	while (compared < 5 || !eventful) {
		struct cop_record oldest = {0};
		while (!c->micro.st->halted)
			assert_true(machine_step(h.m));
		while (cop_host_read_symbol(&h, "interrupts") == done) {
			if (c->st->count)
				oldest = *cop_record_at(cop_host_prof(&h), 0);
			assert_true(machine_step(h.m));
		}
		done = cop_host_read_symbol(&h, "interrupts");
		if (!cop_host_read_symbol(&h, "last_waiting"))
			continue;
		compared++;
		eventful += oldest.events != 0;
		assert_int_equal(cop_host_read_symbol(&h, "last_pc"), oldest.pc);
		const uint64_t header = cop_host_read_symbol(&h, "last_header");
		assert_int_equal(header & 0xff, INST_LOAD);
		assert_int_equal(header >> 8 & 0xffff, oldest.events);
		assert_int_equal(header >> 24 & 0xff, 0x11);
		assert_int_equal(header >> 32, oldest.latency);
	}
	close_host(&h);
}

/* A routine that leaves the microcode: a fault code, the interrupt, then the next record. */
TEST(a_fault_is_told)
{
	struct host h =
		cop_host_open_machine(firmware, (const char *const[]){"cop.data=64", "cop.cam=64",
	                                                              "cop.microcode=64", NULL});
	run_to_stage(&h, 2);
	cop_host_load_microcode(
		&h, ".fields load: pc\n.target t0 = l\n.on load: l\nl: mov v0, pc | goto t0\n");
	const struct device_write beyond = {COP_TARGETS, 100};
	struct err err;
	assert_true(machine_change(h.m,
	                           &(struct change){.kind = JOURNAL_DEVICE,
	                                            .a = DEVICE_COP,
	                                            .bytes = &beyond,
	                                            .n = sizeof beyond},
	                           &err));
	while (cop_host_read_symbol(&h, "interrupts") < 3)
		assert_true(machine_step(h.m));
	const struct stats *s = machine_stats(h.m);
	const uint64_t status = cop_host_read_symbol(&h, "last_status");
	assert_int_equal(status >> COP_FAULT_SHIFT & 0xff, MICRO_FAULT_CODE);
	assert_int_equal(status >> COP_FAULT_AT_SHIFT & 0xffff, 100);
	/* not acknowledged yet */
	assert_int_equal(cop_of(cop_host_prof(&h))->micro.st->fault, MICRO_FAULT_CODE);
	while (cop_of(cop_host_prof(&h))->micro.st->halted)
		assert_true(machine_step(h.m));
	assert_int_equal(cop_of(cop_host_prof(&h))->micro.st->fault, MICRO_FAULT_NONE);
	assert_true(s->cop_faults >= 3 && s->cop_faults == s->cop_interrupts);
	close_host(&h);
}

/* Drops waiting records and those in the queue; all are counted, and the engine begins anew. */
TEST(flushing_forgets_what_waits)
{
	struct host h = cop_host_open_machine(NULL, (const char *const[]){"cop.divider=4", NULL});
	const struct device_write flush = {COP_FLUSH, 1};
	struct err err;
	cop_host_load_microcode(&h, counting);
	const struct cop *c = cop_of(cop_host_prof(&h));
	unsigned times = 0;
	while (times < 20) {
		for (unsigned i = 0; i < 97 || c->st->count < 2 || !c->st->way_count; i++) {
			if (c->micro.st->halted)
				assert_true(machine_change(
					h.m,
					&(struct change){
						.kind = JOURNAL_DEVICE,
						.a = DEVICE_COP,
						.bytes = &(struct device_write){COP_RESUME, 1},
						.n = sizeof flush},
					&err));
			assert_true(machine_step(h.m));
		}
		const uint64_t flushed = machine_stats(h.m)->cop_flushed,
			       gone = c->st->count + c->st->way_count;
		assert_true(machine_change(h.m,
		                           &(struct change){.kind = JOURNAL_DEVICE,
		                                            .a = DEVICE_COP,
		                                            .bytes = &flush,
		                                            .n = sizeof flush},
		                           &err));
		assert_int_equal(machine_stats(h.m)->cop_flushed, flushed + gone);
		assert_int_equal(
			c->st->count + c->st->way_count + c->st->words + c->st->buffer_words, 0);
		assert_int_equal(c->micro.st->execute.kind, MICRO_SLOT_EMPTY);
		assert_null(prof_check(cop_host_prof(&h)));
		times++;
	}
	/* Loading a program has the same effect. */
	while (c->st->count < 2 || !c->st->way_count)
		assert_true(machine_step(h.m));
	cop_host_load_microcode(&h, counting);
	assert_int_equal(c->st->count + c->st->way_count + c->micro.st->v[0] + c->micro.st->halted,
	                 0);
	close_host(&h);
}

TEST(what_does_not_fit_is_refused)
{
	struct config cfg;
	struct err err = {""};
	struct micro_image image = {.count = 300};
	size_t n;
	config_default(&cfg);
	assert_null(cop_load(&cfg, &image, &n, &err));
	assert_string_equal(err.msg, "the program has 300 microinstructions, and the microcode "
	                             "array room for 256: -o cop.microcode=300 would do");
	assert_true(config_set(&cfg, "cop.divider", "3", &err));
	assert_false(config_check(&cfg, &err));
	assert_non_null(strstr(err.msg, "cop.divider: 3 is not a power of two: 2 or 4 would be"));
}

/* Firmware depends on these values. */
TEST(devices_have_places_of_their_own)
{
	assert_int_equal(device_registers(DEVICE_FIRMWARE), UINT64_C(0x7f00000000));
	assert_int_equal(device_registers(DEVICE_SAMPLER), UINT64_C(0x7f00001000));
	assert_int_equal(device_registers(DEVICE_COP), UINT64_C(0x7f00100000));
	assert_int_equal(device_register_bytes(DEVICE_COP), COP_REGISTERS_END);
	for (unsigned i = 0; i < DEVICE_COUNT; i++)
		for (unsigned k = 0; k < i; k++) {
			const uint64_t a = device_registers((enum device_id)i),
				       b = device_registers((enum device_id)k);
			assert_true(a + device_register_bytes((enum device_id)i) <= b ||
			            b + device_register_bytes((enum device_id)k) <= a);
		}
}

static int firmware_is_there(void **state)
{
	(void)state;
	FILE *f = fopen(firmware, "r");
	if (!f) {
		print_error("%s is missing: make test-programs\n", firmware);
		return -1;
	}
	fclose(f);
	return 0;
}

TEST_GROUP(firmware_is_there, NULL)
