/* Cells of the views of the co-processor's arrays and of its filters: see view_cells.h. */
#include "tests/unit/cells/cop_cells.h"

enum { REGIONS = 8, FUNCTIONS_MAX = 512 };

/* ---- slots ---- */
static bool copfilter_cells_slot_is_touched(const struct subject *a, unsigned entry)
{
	const struct micro_state *st = cop_cells_micro_state(a);
	const struct micro_inst in = micro_unpack(st->last.word);
	if (!a->now || st->last.kind != MICRO_SLOT_CODE)
		return false;
	if (in.cam_op == MC_MATCH || in.cam_op == MC_FREE
	            ? (st->conditions & MICRO_HIT) && st->match == entry
	            : in.cam_op && in.cam_op != MC_INVALIDATE_ALL && st->last.cam_index == entry)
		return true;
	for (unsigned i = 0; in.data_op && a->image && i < a->image->column_count; i++)
		if (a->image->columns[i].kind == MICRO_COLUMN_DATA &&
		    st->b[a->image->columns[i].base] + entry == st->last.data_address)
			return true;
	return in.data_op && !a->image && st->last.data_address == entry;
}

/* An entry's value in a column that is no ratio. */
static uint64_t column_number(const struct subject *a, unsigned column, unsigned entry)
{
	const struct micro_column *k = &a->image->columns[column];
	return k->kind == MICRO_COLUMN_CAM
	               ? a->c->micro.cam[entry]
	               : a->c->micro.data[cop_cells_micro_state(a)->b[k->base] + entry] >>
	                                 k->width * k->lane &
	                         ((UINT64_C(1) << k->width) - 1);
}

static void copfilter_cells_check_column(struct cells *c, const struct subject *a, unsigned column,
                                         unsigned entry)
{
	const struct micro_column *k = &a->image->columns[column];
	if (k->kind == MICRO_COLUMN_RATIO) {
		const uint64_t part = column_number(a, k->a, entry),
			       of = column_number(a, k->b, entry);
		const double percent = of ? 100 * (double)part / (double)of : 0;
		if (of)
			says_double(c, k->name, percent, "%s %.0f %%",
			            cop_cells_format_bar((uint64_t)percent, 100, 8), percent);
		else
			says_nothing(c, k->name);
		return;
	}
	const uint64_t v = column_number(a, column, entry);
	if (k->show == MICRO_SHOW_PC && v)
		says_addr(c, k->name, a->s, v);
	else if (k->show == MICRO_SHOW_PC)
		says_word(c, k->name, RAW_HEX, 0, "·");
	else if (k->show == MICRO_SHOW_HEX)
		says_hex(c, k->name, v);
	else
		says_uint(c, k->name, v);
}

static bool copfilter_cells_slot_is_used(const struct subject *a, unsigned entry)
{
	bool data = false;
	if (a->c->micro.valid[entry / 64] >> entry % 64 & 1)
		return true;
	for (unsigned i = 0; a->image && i < a->image->column_count; i++) {
		data |= a->image->columns[i].kind == MICRO_COLUMN_DATA;
		if (a->image->columns[i].kind == MICRO_COLUMN_DATA && column_number(a, i, entry))
			return true;
	}
	return !data && a->c->micro.cam[entry];
}

static void copfilter_cells_check_slots(const struct subject *a, bool all)
{
	struct cells c;
	cells_open(&c, a->s, all ? "copslots all" : "copslots");
	for (unsigned entry = 0; entry < a->c->micro.cam_n; entry++) {
		const uint32_t bits = a->c->micro.cam[entry];
		char index[256] = "";
		if (!all && !copfilter_cells_slot_is_used(a, entry) &&
		    !copfilter_cells_slot_is_touched(a, entry))
			continue;
		cells_row(&c);
		says(&c, "mark", copfilter_cells_slot_is_touched(a, entry) ? "◆" : "");
		says_word(&c, "slot", RAW_UINT, entry, "%u", entry);
		says(&c, "valid", a->c->micro.valid[entry / 64] >> entry % 64 & 1 ? "●" : "○");
		for (unsigned i = 0; a->image && i < a->image->column_count; i++)
			copfilter_cells_check_column(&c, a, i, entry);
		if (!a->image || !a->image->column_count)
			says_word(&c, "key", RAW_HEX, bits, "%s", number_text(a->s, bits));
		for (unsigned i = 0; i < 8; i++)
			if (cop_cells_micro_state(a)->x[i] == entry &&
			    (*alias_of(a, 'x', i) || entry))
				add_part(index, "%s", register_name(a, 'x', i));
		says(&c, "index", "%s", index);
	}
	cells_close(&c);
}

/* ---- filters ---- */
struct tally {
	uint64_t at, tagged, elsewhere, high, low;
};

static bool copfilter_cells_pc_is_masked(const struct subject *a, unsigned table, uint64_t pc)
{
	const uint64_t p = pc >> 1,
		       bits = (uint64_t)CONFIG(machine_config(a->s->machine), cop_filter);
	for (unsigned i = 0; i < (unsigned)CONFIG(machine_config(a->s->machine), cop_filter_hashes);
	     i++) {
		const uint64_t bit = (p ^ p >> (5 + 2 * i)) & (bits - 1);
		if (!(a->c->table[table][bit / 64] >> bit % 64 & 1))
			return false;
	}
	return a->c->st->tables >> table & 1;
}

static uint64_t copfilter_cells_region_of_pc(const struct subject *a, uint64_t pc)
{
	const uint64_t p = pc >> 1, shift = a->c->st->shift;
	return (shift ? p ^ p >> shift : p) & a->c->st->mask;
}

static bool asked_for(const struct subject *a, unsigned kind)
{
	return a->c->st->classes >> kind & 1;
}

static void copfilter_cells_tally_pc(const struct subject *a, struct tally *t, uint64_t pc,
                                     bool regions)
{
	const bool high = copfilter_cells_pc_is_masked(a, 0, pc),
		   low = copfilter_cells_pc_is_masked(a, 1, pc),
		   other = regions && copfilter_cells_region_of_pc(a, pc) != a->c->st->match;
	t->elsewhere += other;
	t->high += !other && high;
	t->low += !other && !high && low;
	t->tagged += !other && !high && !low;
}

static const char *tally_text(const struct tally *t)
{
	char *out = some_text();
	*out = '\0';
	add_part(out, "%s tagged", grouped(t->tagged));
	if (t->high)
		add_part(out, "%s masked by high", grouped(t->high));
	if (t->low)
		add_part(out, "%s %s", grouped(t->low), t->high ? "by low" : "masked by low");
	if (t->elsewhere)
		add_part(out, "%s in other regions", grouped(t->elsewhere));
	return out;
}

static void instruction_at(const struct session *s, uint64_t pc, struct inst *in)
{
	uint32_t raw = 0;
	assert_true(machine_peek(s->machine, pc, &raw, 4));
	inst_decode((raw & 3) == 3 ? raw : raw & 0xffff, in);
}

static void filter_row(struct cells *c, const char *part, const char *what, const char *text)
{
	cells_row(c);
	says(c, "part", "%s", part);
	says(c, "what", "%s", what);
	says(c, "says", "%s", text);
}

static int copfilter_cells_compare_by_addr(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int by_masked(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;
	const uint64_t m = x->high + x->low, n = y->high + y->low;
	return m != n ? m > n ? -1 : 1 : copfilter_cells_compare_by_addr(a, b);
}

static void read_survey(struct cells *c, const struct subject *a)
{
	static struct tally region[4096], function[FUNCTIONS_MAX];
	struct tally all = {0};
	unsigned regions = 0, functions = 0, first = 0;
	size_t n;
	const struct symbol *sym = program_symbols(a->s->program, &n);
	uint64_t done = 0;
	char text[96];
	for (size_t k = 0; k < n; k++) {
		if (!sym[k].code || !sym[k].size || sym[k].addr < done)
			continue;
		struct tally of = {.at = sym[k].addr};
		struct inst in;
		done = sym[k].addr + sym[k].size;
		for (uint64_t pc = sym[k].addr; pc < done; pc += in.len) {
			instruction_at(a->s, pc, &in);
			if (!asked_for(a, inst_kind(in.op)))
				continue;
			unsigned i = 0;
			while (i < regions && region[i].at != copfilter_cells_region_of_pc(a, pc))
				i++;
			assert_true(i < 4096);
			if (i == regions)
				region[regions++] =
					(struct tally){.at = copfilter_cells_region_of_pc(a, pc)};
			copfilter_cells_tally_pc(a, &region[i], pc, false);
			copfilter_cells_tally_pc(a, &of, pc, false);
			copfilter_cells_tally_pc(a, &all, pc, true);
		}
		if (of.high + of.low) {
			assert_true(functions < FUNCTIONS_MAX);
			function[functions++] = of;
		}
	}
	filter_row(c, "code", "all of the program's", tally_text(&all));
	qsort(region, regions, sizeof *region, copfilter_cells_compare_by_addr);
	qsort(function, functions, sizeof *function, by_masked);
	if (a->c->st->mask) {
		assert_true(regions <= 64);
		while (first + 1 < regions && region[first].at < a->c->st->match)
			first++;
		first = first > REGIONS / 2 ? first - REGIONS / 2 : 0;
		filter_row(c, "region", "", "instructions of these classes, if it were sampled");
		for (unsigned i = first; i < regions && i < first + REGIONS; i++) {
			cells_row(c);
			says(c, "part", region[i].at == a->c->st->match ? "▶" : "");
			says_hex(c, "what", region[i].at);
			says(c, "says", "%s", tally_text(&region[i]));
		}
		sprintf(text, "%u regions", regions);
		if (regions > first + REGIONS)
			filter_row(c, "", "…", text);
	}
	sprintf(text, "%u function%s with masked instructions", functions,
	        functions == 1 ? "" : "s");
	if (functions)
		filter_row(c, "masked", "function", text);
	for (unsigned i = 0; i < functions && i < REGIONS; i++) {
		assert_int_equal(cells_row(c)->pc, function[i].at);
		says_nothing(c, "part");
		says_addr(c, "what", a->s, function[i].at);
		says(c, "says", "%s", tally_text(&function[i]));
	}
}

/* Decode's decisions for the instructions around a place. */
static void read_decode(struct cells *c, const struct subject *a, uint64_t pc)
{
	static const uint64_t none = 0;
	uint64_t next = none;
	bool here = false;
	filter_row(c, "at", "instruction", "decode's decision now");
	for (unsigned i = 0; i < 9; i++) {
		const uint64_t at = cells_row(c)->pc;
		struct inst in;
		char text[128];
		instruction_at(a->s, at, &in);
		const unsigned kind = inst_kind(in.op);
		const char *what = inst_kind_name[kind];
		assert_true(!next || at == next);
		next = at + in.len;
		here |= at == pc;
		assembly(a->s, &in, at, text);
		says(c, "part", at == pc ? "▶" : "");
		says(c, "what", "%s  %s", addr_of(a->s, at), text);
		if (!asked_for(a, kind))
			says(c, "says", "%s", what);
		else if (!(a->c->st->control & COP_TAG))
			says(c, "says", "%s, but nothing is tagged", what);
		else if (copfilter_cells_region_of_pc(a, at) != a->c->st->match)
			says(c, "says", "%s, in region 0x%llx", what,
			     (ull)copfilter_cells_region_of_pc(a, at));
		else if (copfilter_cells_pc_is_masked(a, 0, at) ||
		         copfilter_cells_pc_is_masked(a, 1, at))
			says(c, "says", "%s, masked by %s", what,
			     copfilter_cells_pc_is_masked(a, 0, at) ? "high" : "low");
		else
			says(c, "says", "%s: tagged", what);
	}
	assert_true(here);
}

static void read_filter(const struct subject *a, const char *place)
{
	const struct cop_state *st = a->c->st;
	const struct stats *stats = machine_stats(a->s->machine);
	const uint64_t bits = (uint64_t)CONFIG(machine_config(a->s->machine), cop_filter);
	const struct symbol *at = *place ? program_symbol_by_name(a->s->program, place) : NULL;
	char text[256];
	struct cells c;
	sprintf(text, "copfilter %s", place);
	cells_open(&c, a->s, text);
	sprintf(text, "%s so far, %s of them committed", grouped(STAT(stats, cop_tagged)),
	        grouped(a->h->records));
	filter_row(&c, "tags",
	           !(st->control & COP_TAG) ? "nothing: bit 1 of control is 0"
	           : !st->classes           ? "nothing: no class is sampled"
	                                    : "on",
	           text);
	for (unsigned k = 0; k < INST_KIND_COUNT; k++) {
		const unsigned n = (unsigned)__builtin_popcount(st->fields[k]);
		if (!asked_for(a, k))
			continue;
		sprintf(text, n ? "%u words: header" : "%u word, the header", n + 1);
		for (unsigned f = 0; f < RECORD_FIELD_COUNT; f++)
			if (st->fields[k] >> f & 1)
				add_part(text, "%s", record_field_name[f]);
		filter_row(&c, "class", inst_kind_name[k], text);
	}
	cells_row(&c);
	says(&c, "part", "region");
	if (!st->mask && !st->match) {
		says(&c, "what", "all code");
		says(&c, "says", "its mask is 0");
	} else {
		if (st->match & ~st->mask)
			says(&c, "what", "none: 0x%llx has bits that the mask lacks",
			     (ull)st->match);
		else
			says_word(&c, "what", RAW_HEX, st->match, "0x%llx, one of %llu",
			          (ull)st->match, 1ULL << __builtin_popcountll(st->mask));
		if (st->shift)
			says(&c, "says", "(p xor p >> %llu) & 0x%llx, p = pc / 2", (ull)st->shift,
			     (ull)st->mask);
		else
			says(&c, "says", "pc / 2 & 0x%llx", (ull)st->mask);
	}
	for (unsigned t = 0; t < 2; t++) {
		uint64_t set = 0;
		for (uint64_t i = 0; i < bits; i++)
			set += a->c->table[t][i / 64] >> i % 64 & 1;
		cells_row(&c);
		says(&c, "part", t ? "low" : "high");
		says_word(&c, "what", RAW_UINT, set, "%s %s of %s bits",
		          cop_cells_format_bar(set, bits, 12), grouped(set), grouped(bits));
		if (st->tables >> t & 1)
			says(&c, "says", "masks; others by chance: %.2g %%",
			     100 * pow((double)set / (double)bits,
			               (double)CONFIG(machine_config(a->s->machine),
			                              cop_filter_hashes)));
		else
			says(&c, "says", "off: bit %u of tables is 0", t);
	}
	if ((st->control & COP_TAG) && st->classes && (st->mask || st->match || st->tables))
		read_survey(&c, a);
	read_decode(&c, a, at ? at->addr : machine_pc(a->s->machine));
	cells_close(&c);
}

/* ---- runs ---- */
static void copfilter_cells_check_cycle(const struct subject *a, unsigned cycle)
{
	if (cycle % 3000 < 30 || (a->now && cycle % 32 == 0))
		copfilter_cells_check_slots(a, false);
	if (cycle % 3000 == 2999)
		copfilter_cells_check_slots(a, true);
	if (cycle % 1500 == 0) {
		read_filter(a, "");
		read_filter(a, "walk");
	}
}

TEST(arrays_and_filters_are_those_of_the_device)
{
	struct micro_heard heard[COP_RUNS];
	read_runs(copfilter_cells_check_cycle, heard);
}

TEST(copfilter_cells_are_complete)
{
	views_are_complete("copfilter");
}
