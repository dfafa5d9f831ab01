/* The co-processor's filters, records, transport queue, bus and sample buffer, against a reference
 * that is computed here from what commits. */
#include "core/isa/op.h"
#include "tests/unit/prof/cop_subjects.h"

/* Events of this cycle. */
static struct happened {
	unsigned commits, pops, samples, records;
	struct cop_record commit[CYCLE_MAX]; /* all fields */
	bool firmware[CYCLE_MAX];
	struct ev_sample sample[CYCLE_MAX];
	uint64_t sample_seq[CYCLE_MAX];
	struct ev_record record[CYCLE_MAX];
} heard;

static uint64_t cop_front_register_value(unsigned offset)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < ref.write_count; i++)
		if (ref.writes[i].offset == offset)
			value = ref.writes[i].value;
	return value;
}

/* The hashes of cop.h, with arithmetic instead of shifts. */
static bool in_tables(uint64_t pc)
{
	static const uint64_t divisor[] = {32, 128, 512, 2048};
	const uint64_t p = pc / 2;
	for (unsigned t = 0; t < 2; t++) {
		unsigned set = 0;
		if (!(cop_front_register_value(COP_TABLES) & (1u << t)))
			continue;
		for (unsigned i = 0; i < ref.cfg.cop_filter_hashes; i++) {
			const uint64_t bit = (p ^ p / divisor[i]) % (uint64_t)ref.cfg.cop_filter;
			set += (unsigned)(cop_front_register_value(
						  (unsigned)((t ? 0x50000 : 0x40000) +
			                                     bit / 64 * 8)) >>
			                          bit % 64 &
			                  1);
		}
		if (set == ref.cfg.cop_filter_hashes)
			return true;
	}
	return false;
}

static bool cop_front_commit_is_selected(const struct cop_record *r)
{
	uint64_t h = r->pc / 2;
	for (unsigned i = 0; i < REG_COUNT && cop_front_register_value(COP_SHIFT);
	     i++) /* h / 2^shift */
		h = i < cop_front_register_value(COP_SHIFT) ? h / 2 : h;
	h = cop_front_register_value(COP_SHIFT) ? h ^ r->pc / 2 : r->pc / 2;
	if (!(cop_front_register_value(COP_CONTROL) & COP_TAG) ||
	    !(ref.image->classes & (1u << r->kind)))
		return false;
	const bool masked =
		(h & cop_front_register_value(COP_MASK)) != cop_front_register_value(COP_MATCH) ||
		in_tables(r->pc);
	ref.masked += masked;
	return !masked;
}

static struct cop_record *cop_front_make_expected_record(const struct cop_record *all)
{
	struct cop_record *r = malloc(sizeof *r);
	assert_non_null(r);
	*r = *all;
	r->fields = ref.image->fields[r->kind];
	r->words = 1;
	uint64_t *field = &r->pc; /* the record's seven consecutive words */
	for (unsigned i = 0; i < 7; i++) {
		if (r->fields & (1u << i))
			r->words++;
		else
			field[i] = 0;
	}
	return r;
}

static void commit_records(uint64_t now)
{
	unsigned samples = 0;
	for (unsigned i = 0; i < heard.commits; i++) {
		if (heard.firmware[i] || !cop_front_commit_is_selected(&heard.commit[i]))
			continue;
		struct cop_record *r = cop_front_make_expected_record(&heard.commit[i]);
		const bool room = ref.queued + r->words <= (unsigned)ref.cfg.cop_transport;
		ref.records++;
		for (unsigned w = 0; room && w < r->words; w++)
			ref.queue[ref.queued++] = (struct word){r, w + 1u == r->words, now};
		assert_true(samples < heard.samples);
		const struct ev_sample *ev = &heard.sample[samples];
		assert_int_equal(heard.sample_seq[samples++], r->seq);
		assert_true(ev->words == r->words && ev->waiting == ref.queued &&
		            ev->dropped == !room);
		if (!room) {
			ref.dropped++;
			free(r);
		}
	}
	assert_int_equal(samples, heard.samples);
}

static void cop_front_remove_oldest_record(void)
{
	assert_true(ref.count > 0);
	ref.used -= ref.buffer[0]->words;
	free(ref.buffer[0]);
	memmove(ref.buffer, ref.buffer + 1, --ref.count * sizeof *ref.buffer);
}

static void cop_front_receive_records(uint64_t now)
{
	unsigned n = 0;
	for (; n < ref.flying && ref.bus[n].due == now; n++) {
		struct cop_record *r = ref.bus[n].record;
		const bool room = ref.used + r->words <= (unsigned)ref.cfg.cop_buffer;
		r->arrived = now;
		ref.used += room ? r->words : 0;
		assert_true(n < heard.records);
		const struct ev_record *ev = &heard.record[n];
		assert_true(ev->kind == r->kind && ev->words == r->words &&
		            ev->waiting == ref.used && ev->dropped == !room);
		if (room) {
			ref.buffer[ref.count++] = r;
		} else {
			ref.lost++;
			free(r);
		}
	}
	assert_int_equal(n, heard.records);
	ref.flying -= n;
	memmove(ref.bus, ref.bus + n, ref.flying * sizeof *ref.bus);
}

static void cop_front_send_to_bus(uint64_t now)
{
	unsigned n = 0;
	for (; n < ref.queued && n < (unsigned)ref.cfg.cop_bus && ref.queue[n].since < now; n++) {
		if (!ref.queue[n].last)
			continue;
		ref.bus[ref.flying].record = ref.queue[n].of;
		ref.bus[ref.flying++].due = now + (uint64_t)ref.cfg.cop_bus_latency;
	}
	ref.queued -= n;
	memmove(ref.queue, ref.queue + n, ref.queued * sizeof *ref.queue);
}

static void reference_cycle(uint64_t now)
{
	commit_records(now);
	for (unsigned i = 0; i < heard.pops; i++)
		cop_front_remove_oldest_record();
	cop_front_receive_records(now);
	cop_front_send_to_bus(now);
}

static void reference_free(void)
{
	while (ref.count)
		cop_front_remove_oldest_record();
	for (unsigned i = 0; i < ref.flying; i++)
		free(ref.bus[i].record);
	for (unsigned i = 0; i < ref.queued; i++)
		if (ref.queue[i].last)
			free(ref.queue[i].of);
}

/* ---- what commits ---- */
static void cop_front_on_commit(const struct machine *m, const struct event *ev)
{
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	const struct inst *in = &u->inst;
	const enum inst_kind kind = inst_kind(in->op);
	const bool memory = kind == INST_LOAD || kind == INST_STORE || kind == INST_ATOMIC;
	const uint64_t pc = u->pc + u->prefix_len, rs1 = in->rs1 ? ref.reg[in->rs1] : 0,
		       rs2 = in->rs2 ? ref.reg[in->rs2] : 0;
	const uint64_t began = u->mem.level == LEVEL_NONE ? u->when.issue : u->when.mem;
	unsigned events = u->exec.next_pc != pc + in->len;
	events |= (u->flags & UF_MISPREDICT) ? 2 : 0;
	if (u->op_flags & OPF_MEMORY) /* saved and loaded flags, too */
		events |= (u->mem.delayed                                                  ? 32u
		           : u->mem.level == LEVEL_L2                                      ? 4u
		           : u->mem.level == LEVEL_MEMORY                                  ? 4u | 8u
		           : u->mem.level == LEVEL_FORWARD || u->mem.level == LEVEL_BUFFER ? 64u
		                                                                           : 0) |
		          (u->flags & UF_TLB_MISS ? 16u : 0);
	assert_true(heard.commits < CYCLE_MAX);
	heard.firmware[heard.commits] = (u->flags & UF_MACHINE) != 0;
	heard.commit[heard.commits++] = (struct cop_record){
		.pc = pc,
		.inst = in->len == 4 ? in->raw : in->raw & 0xffff,
		.rs1 = rs1,
		.rs2 = rs2,
		.result = in->rd < REG_COUNT ? ev->commit.result : 0,
		.addr = !memory               ? 0
	                : kind == INST_ATOMIC ? rs1
	                                      : rs1 + (uint64_t)(int64_t)in->imm,
		.target = u->exec.next_pc,
		.seq = ev->seq,
		.latency = (uint32_t)(u->when.done - began),
		.events = (uint16_t)events,
		.kind = (uint16_t)kind};
	ref.prefixed += u->prefix_len && (ref.image->classes & 1u << kind);
	ref.missed += (events & 8) != 0;
	if (in->rd && in->rd < REG_COUNT)
		ref.reg[in->rd] = ev->commit.result;
	ref.resync |= in->op == OP_ECALL;
}

static void cop_front_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	(void)ctx;
	switch (ev->id) {
	case EV_COMMIT:
		cop_front_on_commit(m, ev);
		break;
	case EV_SAMPLE:
		heard.sample_seq[heard.samples] = ev->seq;
		heard.sample[heard.samples++] = ev->sample;
		break;
	case EV_RECORD:
		heard.record[heard.records++] = ev->record;
		break;
	default:
		assert_int_equal(ev->cycle % (uint64_t)ref.cfg.cop_divider, 0);
		heard.pops += ev->micro.step != COP_STEP_ON;
		assert_true(heard.pops <= 1);
	}
	assert_true(heard.samples < CYCLE_MAX && heard.records < CYCLE_MAX);
}

/* ---- comparing ---- */
static void cop_front_compare_buffer(const struct subject *how, const struct machine *m)
{
	const struct prof *d = machine_pipe(m)->prof;
	const struct stats *s = machine_stats(m);
	if (d->cop->st->count != ref.count || s->cop_dropped != ref.dropped ||
	    s->cop_lost != ref.lost || s->cop_records != ref.records)
		fail_msg("%s, cycle %llu: %llu in the buffer, %llu dropped, %llu lost of %llu; "
		         "should be %u, %llu, %llu of %llu",
		         how->what, (unsigned long long)machine_cycle(m),
		         (unsigned long long)d->cop->st->count, (unsigned long long)s->cop_dropped,
		         (unsigned long long)s->cop_lost, (unsigned long long)s->cop_records,
		         ref.count, (unsigned long long)ref.dropped, (unsigned long long)ref.lost,
		         (unsigned long long)ref.records);
	for (unsigned i = 0; i < ref.count; i++)
		if (memcmp(cop_record_at(d, i), ref.buffer[i], sizeof **ref.buffer) != 0)
			fail_msg("%s, cycle %llu: record %u of instruction %llu is another",
			         how->what, (unsigned long long)machine_cycle(m), i,
			         (unsigned long long)ref.buffer[i]->seq);
	assert_int_equal(d->cop->st->words, ref.queued);
	assert_int_equal(d->cop->st->sent, ref.flying);
	assert_int_equal(d->cop->st->buffer_words, ref.used);
}

static void cop_front_expect_coverage(const struct subject *how, const struct machine *m)
{
	const struct stats *s = machine_stats(m);
	const unsigned got = (s->cop_dropped ? DROPS : 0u) | (s->cop_lost ? LOSES : 0u) |
	                     (ref.masked && s->cop_records ? MASKS : 0u) |
	                     (s->cop_tagged > s->cop_records + 100 ? WRONG_PATH : 0u) |
	                     (s->firmware_insts ? FIRMWARE : 0u) | (ref.prefixed ? PREFIXES : 0u) |
	                     (ref.count ? KEEPS : 0u) | (ref.missed ? MISSES : 0u) |
	                     (s->cop_skipped > 100 ? SKIPS : 0u);
	if ((got & how->expects) != how->expects)
		fail_msg("%s: 0x%x has happened, which says nothing about 0x%x", how->what, got,
		         how->expects & ~got);
	if (cop_front_register_value(COP_CONTROL) == (COP_RUN | COP_TAG) &&
	    !cop_front_register_value(COP_MASK) && !cop_front_register_value(COP_MATCH))
		assert_true(s->cop_samples + s->cop_skipped > 500);
	assert_true(!cop_front_register_value(COP_MATCH) ||
	            (cop_front_register_value(COP_MATCH) & ~cop_front_register_value(COP_MASK)) ==
	                    0 ||
	            s->cop_records == 0);
	assert_null(prof_check(machine_pipe(m)->prof));
}

static void run_subject(const struct subject *how)
{
	struct micro_image image = {0};
	struct program *p;
	struct err err;
	ref = (struct reference){0};
	struct machine *m = cop_subjects_launch_machine(how, &p);
	if (!micro_assemble(how->text, strlen(how->text), "text", NULL, 0, &image, &err))
		fail_msg("%s", err.msg);
	cop_subjects_configure_cop(how, m, &image);
	const struct event_filter f = {.mask = EV_BIT(COMMIT) | EV_BIT(SAMPLE) | EV_BIT(RECORD) |
	                                       EV_BIT(MICRO)};
	assert_true(machine_listen(m, &f, cop_front_on_event, NULL) > 0);
	for (unsigned r = 0; r < REG_COUNT; r++)
		ref.reg[r] = machine_reg(m, r);
	for (unsigned i = 0; i < CYCLES; i++) {
		const uint64_t now = machine_cycle(m);
		heard = (struct happened){0};
		if (!machine_step(m))
			break;
		reference_cycle(now);
		cop_front_compare_buffer(how, m);
		for (unsigned r = 0; ref.resync && r < REG_COUNT; r++)
			ref.reg[r] = machine_reg(m, r);
		ref.resync = false;
	}
	cop_front_expect_coverage(how, m);
	reference_free();
	machine_free(m);
	program_free(p);
	micro_image_free(&image);
}

TEST(all_records_come_as_they_should)
{
	for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
		run_subject(&subjects[i]);
}

TEST_GROUP(guests_are_there, NULL)
