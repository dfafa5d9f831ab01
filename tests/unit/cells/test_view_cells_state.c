/* Cells of `view device`: each word of each device's structures, by their defining tables. See
 * view_cells.h. */
#include "core/defs/config_fields.h"
#include "tests/unit/cells/view_cells.h"

#include "core/pipe/xprof/xprof.h"
#include "core/defs/kinds.h"
#include "core/prof/common/firmware.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/compress_sample.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/values/vsample.h"

enum { LIMIT_NONE, LIMIT_MOST, LIMIT_BITS };

struct reader {
	struct cells c;
	const char *part, *entry; /* "[3].": of a table */
	bool first;               /* of its entries */
	unsigned limits, words;
};

static void state_cells_check_word(struct reader *r, const char *field, uint64_t value,
                                   unsigned kind, uint64_t limit, const char *help)
{
	struct cells *c = &r->c;
	cells_row(c);
	says(c, "part", "%s", r->part);
	says(c, "field", "%s", field);
	says_uint(c, "value", value);
	says_hex(c, "hex", value);
	if (kind == LIMIT_NONE)
		says_nothing(c, "limit");
	else if (kind == LIMIT_MOST)
		says_uint(c, "limit", limit);
	else
		says_word(c, "limit", RAW_UINT, limit, "bits 0x%llx", (ull)limit);
	if (*help)
		says(c, "meaning", "%s", help);
	else
		says_nothing(c, "meaning");
	r->limits += kind != LIMIT_NONE;
	r->words++;
}

static void state_cells_check_field(struct reader *r, const char *name, const void *at,
                                    size_t width, size_t bytes, unsigned kind, uint64_t limit,
                                    const char *help)
{
	for (size_t i = 0; i < bytes / width; i++) {
		for (size_t off = 0; off < width; off += 8) {
			char field[64], index[24] = "", part[24] = "";
			uint64_t value = 0;
			memcpy(&value, (const char *)at + i * width + off,
			       width - off < 8 ? width - off : 8);
			if ((i || off) && !value)
				continue;
			if (bytes > width)
				snprintf(index, sizeof index, "[%zu]", i);
			if (width > 8)
				snprintf(part, sizeof part, " +%zu", off);
			snprintf(field, sizeof field, "%s%s%s%s", r->entry, name, index, part);
			state_cells_check_word(r, field, value, kind, limit,
			                       !r->first || i || off ? "" : help);
		}
	}
}

/* Contents of a row of a table. */
#define LIMIT_OF_ANY(limit) LIMIT_NONE, 0
#define LIMIT_OF_MOST(limit) LIMIT_MOST, (uint64_t)(limit)
#define LIMIT_OF_NONE(limit) LIMIT_MOST, (uint64_t)(limit)
#define LIMIT_OF_BITS(limit) LIMIT_BITS, (uint64_t)(limit)
#define READ(type, name, n, kind, limit, help)                                                     \
	state_cells_check_field(r, #name, &st->name, sizeof(type), sizeof st->name,                \
	                        LIMIT_OF_##kind(limit), help);

/* Begins an entry of a table. False: the entry is 0, so it has no row unless it is the first. */
static bool state_cells_begin_entry(struct reader *r, size_t i, const void *at, size_t bytes,
                                    char name[24])
{
	static const char nothing[64];
	assert_true(bytes <= sizeof nothing);
	if (i && !memcmp(at, nothing, bytes))
		return false;
	snprintf(name, 24, "[%zu].", i);
	r->entry = name;
	r->first = !i;
	return true;
}

static void end_table(struct reader *r)
{
	r->entry = "";
	r->first = true;
}

struct tagged_entry {
#define STATE STATE_FIELD
#include "core/prof/sampler/tagged_entry.def"
#undef STATE
};

struct associative_entry {
#define STATE STATE_FIELD
#include "core/prof/sampler/associative_entry.def"
#undef STATE
};

/* A sampler's words follow its random number, associative entries follow their clock. */
static void read_component(struct reader *r, const struct compressor *of, unsigned stage)
{
	static const char *const names[] = {"component 0", "component 1"};
	const struct component *c = &of->spec.stage[stage];
	const uint64_t *words = of->state[stage];
	const struct {
		uint64_t clock;
	} clock = {words[0]}, *t = &clock;
	char name[24];
	r->part = names[stage];
	for (size_t i = 0; i < c->entries; i++) {
		if (c->kind == COMPONENT_TAGGED) {
			const struct tagged_entry *st = (const struct tagged_entry *)words + i;
			if (!state_cells_begin_entry(r, i, st, sizeof *st, name))
				continue;
#define STATE READ
#include "core/prof/sampler/tagged_entry.def"
#undef STATE
		} else if (c->kind == COMPONENT_ASSOCIATIVE) {
			const struct associative_entry *st =
				(const struct associative_entry *)(words + 1) + i;
			if (!state_cells_begin_entry(r, i, st, sizeof *st, name))
				continue;
#define STATE READ
#include "core/prof/sampler/associative_entry.def"
#undef STATE
		} else {
			const struct stratum *st = (const struct stratum *)(words + 1) + i;
			if (!state_cells_begin_entry(r, i, st, sizeof *st, name))
				continue;
#define STATE READ
#include "core/prof/sampler/stratum.def"
#undef STATE
		}
	}
	end_table(r);
}

static void state_cells_check_xprof(struct reader *r, const struct pipe *p)
{
	const struct bdt *t = &p->xprof.bdt;
	char name[24];
	const struct xprof_state *st = p->xprof.st;
	r->part = "profile flags";
#define STATE READ
#include "core/pipe/xprof/xprof_state.def"
#undef STATE
	r->part = "block table";
	for (size_t i = 0; i < (t->mask + 1) * t->ways; i++) {
		const struct bdt_entry *const e = &t->entry[i];
		if (!state_cells_begin_entry(r, i, e, sizeof *e, name))
			continue;
#define STATE(type, name, n, kind, limit, help)                                                    \
	state_cells_check_field(r, #name, &e->name, sizeof(type), sizeof e->name,                  \
	                        LIMIT_OF_##kind(limit), help);
#include "core/pipe/xprof/bdt_entry.def"
#undef STATE
	}
	end_table(r);
}

static void read_sampler(struct reader *r, const struct prof *d)
{
	const struct sampler_state *st = d->sampler->st;
	const uint64_t tuples = (uint64_t)d->cfg->sampler_tuple_queue,
		       messages = (uint64_t)d->cfg->sampler_message_queue;
	const unsigned stages = d->sampler->compressor.spec.count;
	r->part = "sampler";
#define STATE READ
#include "core/prof/sampler/sampler_state.def"
#undef STATE
	for (unsigned i = 0; i < stages; i++)
		read_component(r, &d->sampler->compressor, i);
}

static void state_cells_check_cop(struct reader *r, const struct prof *d)
{
	const struct cop_state *st = d->cop->st;
	const uint64_t transport = (uint64_t)d->cfg->cop_transport,
		       buffer = (uint64_t)d->cfg->cop_buffer;
	r->part = "co-processor";
#define STATE READ
#include "core/prof/cop/cop_state.def"
#undef STATE
}

static void read_engine(struct reader *r, const struct prof *d)
{
	const struct micro *m = &d->cop->micro;
	const struct micro_state *st = m->st;
	r->part = "cop engine";
#define STATE READ
#include "core/prof/cop/micro_state.def"
#undef STATE
}

static void state_cells_check_firmware(struct reader *r, const struct prof *d)
{
	const struct firmware_state *st = d->firmware->st;
	r->part = "firmware timers";
#define STATE READ
#include "core/prof/common/firmware_state.def"
#undef STATE
}

static uint64_t state_cells_most_skip(const struct prof *d)
{
	const uint64_t least = d->cfg->vsample_skip_min >= 0 ? (uint64_t)d->cfg->vsample_skip_min
	                       : d->vsample->capture->latencies ? (uint64_t)d->cfg->rob_size
	                                                        : 0;
	return (uint64_t)d->cfg->vsample_skip > least ? (uint64_t)d->cfg->vsample_skip : least;
}

static void state_cells_check_vsample(struct reader *r, const struct prof *d)
{
	const struct vsample_state *st = d->vsample->st;
	r->part = "value sampler";
#define STATE READ
#define vsample_most_skip state_cells_most_skip
#include "core/prof/values/vsample_state.def"
#undef vsample_most_skip
#undef STATE
}

static void state_cells_check_vsample_block(struct reader *r, const struct prof *d)
{
	const struct vsample_block *st = &d->vsample->st->block;
	r->part = "its block";
#define STATE READ
#include "core/prof/values/vsample_block.def"
#undef STATE
}

static void read_profileme(struct reader *r, const struct prof *d)
{
	const struct profileme_state *st = d->profileme->st;
	r->part = "ProfileMe";
#define STATE READ
#include "core/prof/profileme/profileme_state.def"
#undef STATE
}

static void words_are_those_of(const char *compressor, unsigned limits)
{
	char with[400];
	snprintf(with, sizeof with,
	         "sampler.enable=true;cop.enable=true;vsample.enable=true;profileme.enable=true;"
	         "firmware.enable=true;vsample.method=bounce;vsample.interval_min=400;"
	         "vsample.interval_max=500;sampler.compressor=%s",
	         compressor);
	struct session *s = open_program("tests/golden/guest.elf", with);
	const struct pipe *p = machine_pipe(s->machine);
	const struct prof *d = p->prof;
	for (unsigned k = 0; k < 12; k++) {
		struct reader all = {.entry = "", .first = true}, one = all, *r = &all;
		run_for(s, 431);
		cells_open(&r->c, s, "device");
		state_cells_check_firmware(r, d);
		read_sampler(r, d);
		state_cells_check_cop(r, d);
		read_engine(r, d);
		state_cells_check_vsample(r, d);
		state_cells_check_vsample_block(r, d);
		read_profileme(r, d);
		state_cells_check_xprof(r, p);
		cells_close(&r->c);
		assert_true(r->limits > limits && r->words > 110);
		r = &one;
		cells_open(&r->c, s, "device sampler");
		read_sampler(r, d);
		cells_close(&r->c);
	}
	session_free(s);
}

TEST(words_are_the_devices)
{
	words_are_those_of("H(C(P(4)), 64), A(4)", 60);
	words_are_those_of("T(8, ways=2, tag=3)", 60);
	words_are_those_of("H(Rc(16), 8)", 60);
}

/* A program with profile instructions: blocks are in the table. */
TEST(flags_and_blocks_are_xprofs)
{
	struct session *s = open_program("tests/golden/profile.elf", "");
	struct reader all = {.entry = "", .first = true}, *r = &all;
	for (unsigned k = 0; k < 12; k++) {
		run_for(s, 331);
		cells_open(&r->c, s, "device xprof");
		state_cells_check_xprof(r, machine_pipe(s->machine));
		cells_close(&r->c);
	}
	assert_true(r->words > 12 * 24);
	session_free(s);
}

static void state_cells_assert_refused(const struct session *s, const char *words, const char *why)
{
	struct grid g;
	struct err err = {""};
	assert_false(view_build(s, words, &(struct view_args){.rows = 0}, &g, &err));
	assert_string_equal(err.msg, why);
}

TEST(wrong_names_are_told)
{
	struct session *s = open_program("tests/golden/guest.elf", "sampler.enable=true");
	state_cells_assert_refused(s, "device sampelr",
	                           "no device is called 'sampelr': did you mean 'sampler'?");
	state_cells_assert_refused(s, "device cop",
	                           "this machine has no cop: start with -o cop.enable=true");
	state_cells_assert_refused(s, "device xprov",
	                           "no device is called 'xprov': did you mean 'xprof'?");
	state_cells_assert_refused(
		s, "device sampler 3",
		"view device takes one device at most, as in: view device sampler");
	session_free(s);
	s = open_program("tests/golden/guest.elf", "xprof.enable=false");
	state_cells_assert_refused(s, "device xprof",
	                           "this machine has no xprof: start with -o xprof.enable=true");
	session_free(s);
}

TEST(state_cells_are_complete)
{
	views_are_complete("state");
}
