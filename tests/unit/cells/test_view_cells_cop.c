/* Cells of the view of the co-processor's engine against the device's state, and counts against
 * events: see view_cells.h. */
#include "tests/unit/cells/cop_cells.h"

enum { NEXT_SHOWN = 3 };

static const char *field_text_of(const struct subject *a, const struct cop_record *r,
                                 unsigned field)
{
	const uint64_t values[] = {r->pc, r->inst, r->rs1, r->rs2, r->result, r->addr, r->target};
	return field == RECORD_PC || field == RECORD_TARGET ? addr_of(a->s, values[field])
	                                                    : number_text(a->s, values[field]);
}

/* ---- sources and results of operations ---- */
/* Appends source n, numbered as in micro.def. */
static void view_cells_cop_append_source(const struct subject *a, char *out, unsigned n)
{
	const struct cop_record *r = cop_record_at(a->d, 0);
	static const char *const names[] = {"match",   "pc",     "inst", "rs1",
	                                    "rs2",     "result", "addr", "target",
	                                    "latency", "events", "class"};
	const uint64_t values[] = {cop_cells_micro_state(a)->match,
	                           r->pc,
	                           r->inst,
	                           r->rs1,
	                           r->rs2,
	                           r->result,
	                           r->addr,
	                           r->target,
	                           r->latency,
	                           r->events,
	                           r->kind};
	const char letter = n < 16 ? 'v' : n < 32 ? 'k' : 'x';
	const unsigned i = n % 32 % 16;
	if (n < 40)
		add_part(out, "%s %s", register_name(a, letter, i),
		         cop_cells_format_register(a, letter, register_value(a, letter, i)));
	else if (n >= 42)
		add_part(out, "%s %s", names[n - 42], number_text(a->s, values[n - 42]));
}

static void view_cells_cop_append_index(const struct subject *a, char *out, char letter, unsigned i)
{
	add_part(out, "%s %llu", register_name(a, letter, i), (ull)register_value(a, letter, i));
}

enum unit { CAM_UNIT, DATA_UNIT, ALU_UNIT, INDEX_UNIT, BRANCH_UNIT, UNITS };

static bool view_cells_cop_unit_is_used(const struct micro_inst *in, enum unit u)
{
	const bool does[UNITS] = {in->cam_op, in->data_op, in->alu_op, in->index_op,
	                          in->branch_if || in->branch_p};
	return does[u];
}

static void ahead_of(const struct subject *a, const struct micro_inst *in, enum unit u, char *out)
{
	const struct micro_state *st = cop_cells_micro_state(a);
	const bool alu_b = in->alu_op != MA_MOV && in->alu_op != MA_RAND && in->alu_op < MA_SHL1,
		   both = alu_b || in->alu_op == MA_SADD || in->alu_op == MA_SSUB;
	if (u == CAM_UNIT) {
		if (in->cam_op == MC_READ || in->cam_op == MC_WRITE || in->cam_op == MC_INVALIDATE)
			view_cells_cop_append_index(a, out, 'x', in->cam_index);
		if (in->cam_op == MC_MATCH || in->cam_op == MC_WRITE)
			view_cells_cop_append_source(a, out, in->cam_source);
	} else if (u == DATA_UNIT) {
		const unsigned index = in->data_index < 8              ? st->x[in->data_index]
		                       : in->data_index == MDI_ZERO    ? 0
		                       : in->data_index == MDI_LITERAL ? in->literal
		                                                       : st->match;
		add_part(out, "word %u", st->b[in->data_base] + index);
		if (in->data_op == MD_WRITE || in->data_op == MD_ADD || in->data_op == MD_SUB)
			view_cells_cop_append_source(a, out, in->data_source);
	} else if (u == ALU_UNIT) {
		view_cells_cop_append_source(a, out, in->alu_a);
		if (both && in->alu_b != in->alu_a)
			view_cells_cop_append_source(a, out, in->alu_b);
	} else if (u == INDEX_UNIT) {
		if (in->index_op != MX_MOV)
			view_cells_cop_append_index(a, out, 'x', in->index_a);
		if (in->index_b < 16)
			view_cells_cop_append_index(a, out, in->index_b < 8 ? 'x' : 'b',
			                            in->index_b % 8);
		else if (in->index_b == MIS_MATCH)
			add_part(out, "match %u", st->match);
	} else {
		if (in->branch_to == MTO_TARGET)
			add_part(out, "%s", place_in_code(a, st->t[in->branch_offset & 7]));
		add_part(out, "predicted %staken", in->branch_p ? "" : "not ");
	}
}

static void add_written(const struct subject *a, char *out, char letter, unsigned i)
{
	add_part(out, "%s = %s", register_name(a, letter, i),
	         number_text(a->s, register_value(a, letter, i)));
}

static void view_cells_cop_append_unit_effect(const struct subject *a, const struct micro_inst *in,
                                              enum unit u, char *out)
{
	const struct micro_trace *t = &cop_cells_micro_state(a)->last;
	const unsigned flags = cop_cells_micro_state(a)->conditions, bits = 8u << in->data_width,
		       shift = in->data_lane * bits;
	const uint64_t mask = (UINT64_C(1) << bits) - 1;
	if (u == CAM_UNIT && (in->cam_op == MC_MATCH || in->cam_op == MC_FREE)) {
		add_part(out, flags & MICRO_HIT ? "hit" : "miss");
		if (flags & MICRO_HIT)
			add_written(a, out, 'x', in->cam_index);
	} else if (u == CAM_UNIT && in->cam_op == MC_READ) {
		add_written(a, out, 'v', in->cam_dst);
	} else if (u == CAM_UNIT) {
		if (in->cam_op == MC_WRITE)
			add_part(out, "entry %u = %s", t->cam_index,
			         number_text(a->s, a->c->micro.cam[t->cam_index]));
		else
			add_part(out,
			         in->cam_op == MC_INVALIDATE ? "entry %u is off"
			                                     : "all entries are off%.0u",
			         t->cam_index);
	} else if (u == DATA_UNIT) {
		assert_int_equal(t->data_after, a->c->micro.data[t->data_address]);
		add_part(out, "word %u: %s", t->data_address,
		         number_text(a->s, t->data_before >> shift & mask));
		if (in->data_op != MD_READ)
			sprintf(out + strlen(out), " → %s",
			        number_text(a->s, t->data_after >> shift & mask));
		if (in->data_op == MD_READ || (in->data_has && in->data_op != MD_WRITE))
			add_written(a, out, 'v', in->data_dst);
		if (flags & MICRO_CSAT)
			add_part(out, "csat");
		if (flags & MICRO_CZ)
			add_part(out, "cz");
	} else if (u == ALU_UNIT) {
		if (in->alu_op != MA_CMP && in->alu_op != MA_TEST)
			add_written(a, out, 'v', in->alu_dst);
		add_part(out, flags & MICRO_Z ? "z" : "nz");
		if (in->alu_op == MA_CMP || in->alu_op == MA_SUB || in->alu_op == MA_SSUB)
			add_part(out, flags & MICRO_LT ? "lt" : "ge");
		if (flags & MICRO_SAT)
			add_part(out, "sat");
	} else if (u == INDEX_UNIT) {
		if (in->index_op != MX_CMP)
			add_written(a, out, 'x', in->index_dst);
		add_part(out, flags & MICRO_XZ ? "xz" : "xnz");
		if (in->index_op == MX_CMP || in->index_op == MX_SUB)
			add_part(out, flags & MICRO_XLT ? "xlt" : "xge");
	} else {
		add_part(out, "%staken, %s", t->taken ? "" : "not ",
		         t->wrong ? "mispredicted: two clocks lost" : "as predicted");
	}
}

static void read_ops(struct cells *c, const struct subject *a, struct micro_word word, unsigned at,
                     void (*words)(const struct subject *, const struct micro_inst *, enum unit,
                                   char *))
{
	static const char *const names[UNITS] = {"cam", "data", "alu", "index", "branch"};
	const struct micro_inst in = micro_unpack(word);
	char text[MICRO_TEXT_MAX], *rest = text;
	micro_text_of(a->image, word, at, text, sizeof text);
	for (enum unit u = 0; u < UNITS; u++) {
		if (!view_cells_cop_unit_is_used(&in, u))
			continue;
		char values[256] = "", *bar = strstr(rest, " | ");
		if (bar)
			*bar = '\0';
		words(a, &in, u, values);
		cells_row(c);
		says_nothing(c, "part");
		says(c, "at", "  %s", names[u]);
		says(c, "what", "%s", rest);
		says(c, "value", "%s", values);
		rest = bar ? bar + 3 : rest + strlen(rest);
	}
	assert_string_equal(rest, "");
}

/* ---- the engine ---- */
static const char *status_of(const struct subject *a)
{
	const struct micro_state *st = cop_cells_micro_state(a);
	if (st->halted)
		return st->fault ? "halted by a fault" : "halted by its interrupt";
	if (!(a->c->st->control & COP_RUN))
		return "off";
	if (a->c->st->count)
		return "";
	return (a->c->st->control & COP_TAG) && a->c->st->classes ? "waits for a record"
	                                                          : "nothing is tagged";
}

static void read_slot(struct cells *c, const struct subject *a, const char *part,
                      const struct micro_slot *slot, const char *empty)
{
	char text[MICRO_TEXT_MAX];
	cells_row(c);
	says(c, "part", "%s", part);
	if (slot->kind == MICRO_SLOT_CODE || slot->kind == MICRO_SLOT_FAULT)
		says(c, "at", "%s", place_in_code(a, slot->at));
	else
		says_nothing(c, "at");
	says(c, "what", "%s",
	     slot->kind == MICRO_SLOT_CODE
	             ? micro_text_of(a->image, slot->word, slot->at, text, sizeof text)
	     : slot->kind == MICRO_SLOT_SKIP  ? "skips a record: its class has no routine"
	     : slot->kind == MICRO_SLOT_FAULT ? "beyond the microcode: a fault, if it executes"
	                                      : empty);
	says_nothing(c, "value");
}

static void read_executed(struct cells *c, const struct subject *a)
{
	const struct micro_trace *t = &cop_cells_micro_state(a)->last;
	char text[MICRO_TEXT_MAX];
	cells_row(c);
	says(c, "part", a->now ? "X ◆" : "X");
	if (t->kind == MICRO_SLOT_EMPTY) {
		says_nothing(c, "at");
		says(c, "what", "nothing was executed yet");
		says_nothing(c, "value");
		return;
	}
	assert_int_equal(t->at, a->h->at);
	says(c, "at", "%s", t->kind == MICRO_SLOT_SKIP ? "" : place_in_code(a, t->at));
	says(c, "what", "%s",
	     t->kind == MICRO_SLOT_SKIP
	             ? "skipped a record: its class has no routine"
	             : micro_text_of(a->image, t->word, t->at, text, sizeof text));
	const uint64_t ago = machine_cycle(a->s->machine) - 1 - a->h->cycle;
	if (a->now)
		says_nothing(c, "value");
	else
		says(c, "value", "%s cycle%s ago, %s", grouped(ago), ago == 1 ? "" : "s",
		     grouped(a->h->cycle));
	if (a->now && t->kind == MICRO_SLOT_CODE)
		read_ops(c, a, t->word, t->at, view_cells_cop_append_unit_effect);
}

static void view_cells_cop_check_record(struct cells *c, const struct subject *a, unsigned i)
{
	const struct cop_record *r = cop_record_at(a->d, i);
	char rest[512] = "";
	cells_row(c);
	if (i)
		says(c, "part", "+%u", i);
	else
		says(c, "part", "record");
	says_word(c, "at", RAW_UINT, r->seq, "#%llu", (ull)r->seq);
	if (r->fields >> RECORD_PC & 1)
		says(c, "what", "%s at %s", inst_kind_name[r->kind],
		     field_text_of(a, r, RECORD_PC));
	else
		says(c, "what", "%s", inst_kind_name[r->kind]);
	for (unsigned f = RECORD_PC + 1; f < RECORD_FIELD_COUNT; f++)
		if (r->fields >> f & 1)
			sprintf(rest + strlen(rest), "%s %s, ", record_field_name[f],
			        field_text_of(a, r, f));
	sprintf(rest + strlen(rest), "%u cycle%s", r->latency, r->latency == 1 ? "" : "s");
	for (unsigned e = 0; e < 5; e++)
		if (r->events >> e & 1)
			sprintf(rest + strlen(rest), ", %s", record_event_name[e]);
	says(c, "value", "%s", rest);
}

static void view_cells_cop_check_level(struct cells *c, const char *part, uint64_t records,
                                       uint64_t words, uint64_t of, uint64_t most, uint64_t gone,
                                       const char *how)
{
	cells_row(c);
	says(c, "part", "%s", part);
	says_uint(c, "at", records);
	says(c, "what", "%s %llu/%llu words", cop_cells_format_bar(words, of, 12), (ull)words,
	     (ull)of);
	says(c, "value", "most %llu, %s records %s", (ull)most, grouped(gone), how);
}

static bool view_cells_cop_register_is_written(const struct subject *a, char letter, unsigned i)
{
	const struct micro_trace *t = &cop_cells_micro_state(a)->last;
	for (unsigned k = 0; k < 3; k++)
		if (letter == 'v' ? t->wrote_v[k] == i + 1 : k < 2 && t->wrote_x[k] == i + 1)
			return a->now;
	return false;
}

static void read_registers(struct cells *c, const struct subject *a, const char *letters)
{
	for (; *letters; letters++)
		for (unsigned i = 0; i < (*letters == 'v' || *letters == 'k' ? 16 : 8); i++) {
			const uint64_t v = register_value(a, *letters, i);
			if (!v && !*alias_of(a, *letters, i))
				continue;
			const struct grid_row *row = cells_row(c);
			assert_int_equal(
				row->role == ROLE_CURRENT,
				(*letters == 'v' || *letters == 'x') &&
					view_cells_cop_register_is_written(a, *letters, i));
			says(c, "part", "%c%u", *letters, i);
			says(c, "at", "%s", alias_of(a, *letters, i));
			says_word(c, "what", RAW_UINT, v, "%s",
			          cop_cells_format_register(a, *letters, v));
			says_nothing(c, "value");
		}
}

static void view_cells_cop_check_text_row(struct cells *c, const char *part, const char *text)
{
	cells_row(c);
	says(c, "part", "%s", part);
	says_nothing(c, "at");
	says(c, "what", "%s", text);
	says_nothing(c, "value");
}

static void view_cells_cop_check_view(const struct subject *a)
{
	static const char *const flags[] = {"z", "lt", "sat", "xz", "xlt", "hit", "csat", "cz"};
	const struct micro_state *st = cop_cells_micro_state(a);
	const struct cop_state *dev = a->c->st;
	const struct config *cfg = machine_config(a->s->machine);
	const char *lost = a->now && st->last.wrong ? "lost: the branch was mispredicted" : "";
	char text[256] = "";
	uint64_t words = 0;
	struct cells c;
	cells_open(&c, a->s, "cop");
	read_slot(&c, a, "F", &st->decode, *lost ? lost : status_of(a));
	read_slot(&c, a, st->execute.kind == MICRO_SLOT_EMPTY ? "D" : "D ▶", &st->execute, lost);
	if (st->execute.kind == MICRO_SLOT_CODE)
		read_ops(&c, a, st->execute.word, st->execute.at, ahead_of);
	read_executed(&c, a);
	if (dev->count)
		view_cells_cop_check_record(&c, a, 0);
	for (uint64_t i = 0; i < dev->count; i++)
		words += cop_record_at(a->d, i)->words;
	view_cells_cop_check_level(&c, "buffer", dev->count, words,
	                           (uint64_t)CONFIG(cfg, cop_buffer), dev->most_buffer_words,
	                           a->h->lost, "lost");
	view_cells_cop_check_level(&c, "queue", dev->way_count, dev->words,
	                           (uint64_t)CONFIG(cfg, cop_transport), dev->most_words,
	                           a->h->dropped, "dropped");
	for (unsigned i = 0; i < 8; i++)
		sprintf(text + strlen(text), "%s%s %s", i ? "  " : "",
		        st->conditions >> i & 1 ? "●" : "○", flags[i]);
	view_cells_cop_check_text_row(&c, "flags", text);
	read_registers(&c, a, "vx");
	for (unsigned i = 0; i < 2; i++) {
		cells_row(&c);
		says(&c, "part", i ? "match" : "lfsr");
		says_nothing(&c, "at");
		if (i)
			says_uint(&c, "what", st->match);
		else
			says_word(&c, "what", RAW_UINT, st->lfsr, "0x%08x", st->lfsr);
		says_nothing(&c, "value");
	}
	for (unsigned i = 1; i < dev->count && i <= NEXT_SHOWN; i++)
		view_cells_cop_check_record(&c, a, i);
	const uint64_t *steps = a->h->steps, micro = steps[COP_STEP_ON] + steps[COP_STEP_DONE] +
	                                             steps[COP_STEP_INTERRUPT] +
	                                             steps[COP_STEP_FAULT];
	sprintf(text, "%s tagged, %s records, %s done, %s skipped",
	        grouped(STAT(machine_stats(a->s->machine), cop_tagged)), grouped(a->h->records),
	        grouped(micro - steps[COP_STEP_ON]), grouped(steps[COP_STEP_SKIPPED]));
	view_cells_cop_check_text_row(&c, "counts", text);
	sprintf(text, "%s microinstruction%s, %s interrupt%s", grouped(micro),
	        micro == 1 ? "" : "s", grouped(a->h->interrupts), a->h->interrupts == 1 ? "" : "s");
	view_cells_cop_check_text_row(&c, "", text);
	read_registers(&c, a, "kbt");
	cells_close(&c);
}

/* ---- runs ---- */
static void view_cells_cop_check_cycle(const struct subject *a, unsigned cycle)
{
	if (cycle % 3000 < 100 || (a->now && cycle % 2 == 0))
		view_cells_cop_check_view(a);
}

TEST(engine_is_what_the_device_holds)
{
	struct micro_heard heard[COP_RUNS], all = {.cycle = 0};
	read_runs(view_cells_cop_check_cycle, heard);
	for (unsigned i = 0; i < COP_RUNS; i++) {
		all.dropped += heard[i].dropped;
		all.lost += heard[i].lost;
		all.interrupts += heard[i].interrupts;
		all.steps[COP_STEP_SKIPPED] += heard[i].steps[COP_STEP_SKIPPED];
		assert_true(heard[i].steps[COP_STEP_DONE] > 10);
	}
	assert_true(all.dropped && all.lost && all.interrupts && all.steps[COP_STEP_SKIPPED]);
}

TEST(view_cells_cop_are_complete)
{
	views_are_complete("cop");
}
