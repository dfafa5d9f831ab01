/* The co-processor's state, as the host reads and writes it. */
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/nearest_word.h"
#include "core/defs/config_fields.h"
#include "core/defs/events.h"
#include "core/defs/stats_fields.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"

const struct cop_register_info cop_register_info[COP_REGISTER_COUNT] = {
#define COP_REGISTER(ID, at, name, count, help) {(name), (help), (at), (count)},
#include "core/prof/cop/cop_registers.def"
#undef COP_REGISTER
};

bool cop_register_find(const char *name, unsigned *offset, struct err *err)
{
	const size_t letters = strcspn(name, "0123456789");
	char *end = NULL;
	const unsigned long i = name[letters] ? strtoul(name + letters, &end, 10) : 0;
	struct nearest nearest;
	nearest_init(&nearest, name);
	for (unsigned k = 0; k < COP_REGISTER_COUNT; k++) {
		const struct cop_register_info *r = &cop_register_info[k];
		/* the next row begins where an array ends */
		const unsigned room = k + 1 < COP_REGISTER_COUNT ? r[1].at : COP_REGISTERS_END;
		const unsigned long count = r->count ? r->count : (room - r->at) / 8;
		nearest_offer(&nearest, r->name);
		if (strlen(r->name) != letters || strncmp(r->name, name, letters) != 0)
			continue;
		if (r->count == 1 && end)
			return err_set(err, "register '%s' has no number", r->name);
		if (r->count != 1 && (!end || *end || i >= count))
			return err_set(err, "'%s' is an array; expected %s0 to %s%lu", r->name,
			               r->name, r->name, count - 1);
		*offset = r->at + 8 * (unsigned)i;
		return true;
	}
	return err_set(err, "the co-processor has no register '%s'; %s", name,
	               nearest_said(&nearest, "`help microcode` lists them"));
}

/* Registers for an array: each has one element, or two if these are 32-bit words. */
struct bank {
	unsigned at;    /* offset of the first */
	unsigned count; /* registers */
	unsigned bytes; /* 2, 4 or 8: of an element; 4: two elements in a register */
	void *first;
};

enum { BANK_COUNT = 13 };

static void banks_of(struct prof *d, struct bank out[BANK_COUNT])
{
	struct cop *c = d->cop;
	struct micro *m = &c->micro;
	const unsigned table = (unsigned)d->cfg->cop_filter / 64;
	const struct bank all[BANK_COUNT] = {
		{COP_VALUES, MICRO_VALUES, 8, m->st->v},
		{COP_CONSTANTS, MICRO_VALUES, 8, m->st->k},
		{COP_INDEXES, MICRO_INDEXES, 2, m->st->x},
		{COP_BASES, MICRO_BASES, 2, m->st->b},
		{COP_TARGETS, MICRO_TARGETS, 2, m->st->t},
		{COP_START, MICRO_CLASSES, 2, m->st->start},
		{COP_FIELDS, MICRO_CLASSES, 2, c->st->fields},
		{COP_CODE, 2 * m->code_n, 8, m->code},
		{COP_CAM, (m->cam_n + 1) / 2, 4, m->cam},
		{COP_VALID, micro_valid_words(m->cam_n), 8, m->valid},
		{COP_DATA, (m->data_n + 1) / 2, 4, m->data},
		{COP_HIGH, table, 8, c->table[COP_TABLE_HIGH]},
		{COP_LOW, table, 8, c->table[COP_TABLE_LOW]},
	};
	memcpy(out, all, sizeof all);
}

/* Finds the bank that this register belongs to, and its place there; false: it belongs to none. */
static bool cop_registers_find_bank(struct prof *d, unsigned offset, struct bank *out,
                                    unsigned *index)
{
	struct bank banks[BANK_COUNT];
	banks_of(d, banks);
	for (unsigned i = 0; i < BANK_COUNT; i++) {
		const unsigned at = (offset - banks[i].at) / sizeof(uint64_t);
		if (offset < banks[i].at || at >= banks[i].count)
			continue;
		*out = banks[i];
		*index = at;
		return true;
	}
	return false;
}

/* Elements of a bank of pairs: if odd, the last register has one. */
static unsigned cop_registers_pair_count(const struct prof *d, const struct bank *b)
{
	return b->at == COP_CAM ? d->cop->micro.cam_n : d->cop->micro.data_n;
}

static uint64_t read_bank(const struct prof *d, const struct bank *b, unsigned i)
{
	if (b->bytes == 8)
		return ((const uint64_t *)b->first)[i];
	if (b->bytes == 2)
		return ((const uint16_t *)b->first)[i];
	const uint32_t *words = b->first;
	return words[2 * i] |
	       (2 * i + 1 < cop_registers_pair_count(d, b) ? (uint64_t)words[2 * i + 1] << 32 : 0);
}

static uint64_t valid_bits(unsigned cam_n, unsigned word)
{
	const unsigned left = cam_n - 64 * word;
	return left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
}

static void write_bank(struct prof *d, const struct bank *b, unsigned i, uint64_t value)
{
	uint32_t *words = b->first;
	if (b->at == COP_VALID)
		value &= valid_bits(d->cop->micro.cam_n, i);
	else if (b->at == COP_FIELDS)
		value &= (1u << RECORD_FIELD_COUNT) - 1;
	if (b->bytes == 8) {
		((uint64_t *)b->first)[i] = value;
	} else if (b->bytes == 2) {
		((uint16_t *)b->first)[i] = (uint16_t)value;
	} else {
		words[2 * i] = (uint32_t)value;
		if (2 * i + 1 < cop_registers_pair_count(d, b))
			words[2 * i + 1] = (uint32_t)(value >> 32);
	}
}

/* ---- single registers ---- */
static uint64_t cop_registers_status_word(const struct prof *d)
{
	const struct micro_state *m = d->cop->micro.st;
	const struct micro_records r = cop_records(d);
	const bool idle = !d->cop->st->way_count && micro_waits(&d->cop->micro, &r);
	return (m->halted ? COP_HALTED : 0u) | (idle ? COP_IDLE : 0u) |
	       (uint64_t)m->fault << COP_FAULT_SHIFT | (uint64_t)m->fault_at << COP_FAULT_AT_SHIFT;
}

static uint64_t cop_registers_sizes_word(const struct config *cfg)
{
	return (uint64_t)cfg->cop_microcode | (uint64_t)cfg->cop_cam << 16 |
	       (uint64_t)cfg->cop_data << 32 |
	       (uint64_t)__builtin_ctzll((uint64_t)cfg->cop_filter) << 48 |
	       (uint64_t)cfg->cop_filter_hashes << 56;
}

/* The sample buffer, from its oldest record on. */
static uint64_t read_buffer(const struct prof *d, unsigned index)
{
	const unsigned i = index / COP_RECORD_WORDS_MAX, word = index % COP_RECORD_WORDS_MAX;
	if (i >= d->cop->st->count)
		return 0;
	const struct cop_record *r = cop_record_at(d, i);
	const uint64_t fields[RECORD_FIELD_COUNT] = {r->pc,     r->inst, r->rs1,   r->rs2,
	                                             r->result, r->addr, r->target};
	return word ? fields[word - 1] : cop_record_header(r);
}

uint64_t cop_read(struct prof *d, unsigned offset)
{
	const struct cop_state *st = d->cop->st;
	const struct micro_state *m = d->cop->micro.st;
	struct bank b;
	unsigned index;
	if (offset >= COP_BUFFER)
		return read_buffer(d, (offset - COP_BUFFER) / sizeof(uint64_t));
	if (cop_registers_find_bank(d, offset, &b, &index))
		return read_bank(d, &b, index);
	switch (offset) {
	case COP_CONTROL:
		return st->control;
	case COP_STATUS:
		return cop_registers_status_word(d);
	case COP_CLASSES:
		return st->classes;
	case COP_SHIFT:
		return st->shift;
	case COP_MASK:
		return st->mask;
	case COP_MATCH:
		return st->match;
	case COP_TABLES:
		return st->tables;
	case COP_WAITING:
		return st->count;
	case COP_DROPPED:
		return d->stats->cop_dropped;
	case COP_LOST:
		return d->stats->cop_lost;
	case COP_LFSR:
		return m->lfsr;
	case COP_ENGINE:
		return m->conditions | (uint64_t)m->match << 16;
	case COP_SIZES:
		return cop_registers_sizes_word(d->cfg);
	case COP_EVERY:
		return st->every;
	default:
		return 0;
	}
}

static void cop_registers_resume_engine(struct prof *d)
{
	d->cop->micro.st->fault = MICRO_FAULT_NONE;
	d->cop->micro.st->fault_at = 0;
	micro_resume(&d->cop->micro);
}

/* Registers whose writes are actions. */
static void cop_registers_perform_action(struct prof *d, unsigned offset, uint64_t value)
{
	struct micro_state *m = d->cop->micro.st;
	switch (offset) {
	case COP_RESUME:
		cop_registers_resume_engine(d);
		break;
	case COP_INVALIDATE:
		micro_invalidate_cam(&d->cop->micro);
		break;
	case COP_CLEAR_DATA:
		micro_clear_data(&d->cop->micro);
		break;
	case COP_CLEAR_HIGH:
		cop_clear_table(d, COP_TABLE_HIGH);
		break;
	case COP_CLEAR_LOW:
		cop_clear_table(d, COP_TABLE_LOW);
		break;
	case COP_FLUSH:
		cop_flush(d);
		break;
	case COP_EVERY:
		d->cop->st->every = (uint32_t)value;
		d->cop->st->passed = 0;
		break;
	case COP_LFSR:
		micro_set_lfsr(&d->cop->micro, (uint32_t)value);
		break;
	case COP_ENGINE:
		m->conditions = (uint32_t)value & (2 * MICRO_CZ - 1);
		m->match = (uint16_t)(value >> 16);
		break;
	default:
		break;
	}
}

static void write_filter(struct cop_state *st, unsigned offset, uint64_t value)
{
	switch (offset) {
	case COP_CONTROL:
		st->control = value & (COP_RUN | COP_TAG | COP_HALT);
		break;
	case COP_CLASSES:
		st->classes = value & ((UINT64_C(1) << INST_KIND_COUNT) - 1);
		break;
	case COP_SHIFT:
		st->shift = value & 63;
		break;
	case COP_MASK:
		st->mask = value;
		break;
	case COP_MATCH:
		st->match = value;
		break;
	case COP_TABLES:
		st->tables = value & ((1u << COP_TABLE_COUNT) - 1);
		break;
	default:
		return;
	}
	cop_filter_changed(st);
}

void cop_write(struct prof *d, unsigned offset, uint64_t value)
{
	struct bank b;
	unsigned index;
	if (cop_registers_find_bank(d, offset, &b, &index)) {
		write_bank(d, &b, index, value);
		if (b.at == COP_START || b.at == COP_CODE)
			micro_restart(&d->cop->micro); /* fetched words may be stale */
	} else {
		write_filter(d->cop->st, offset, value);
		cop_registers_perform_action(d, offset, value);
	}
	cop_stay_busy(d);
}
