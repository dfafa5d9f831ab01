#include "core/defs/stats_fields.h"

#include <assert.h>
#include <string.h>

#include "core/defs/config_fields.h"
#include "core/isa/csr.h"
#include "core/base/err.h"
#include "core/base/nearest_word.h"
#include "core/defs/devices.h"

const struct stat_row stat_rows[] = {
#define COUNTER(field, name, unit, help) {name, unit, help, false, offsetof(struct stats, field)},
#define DERIVED(name, unit, help, ...) {name, unit, help, true, 0},
#include "core/defs/stats.def"
#undef COUNTER
#undef DERIVED
};

/* Places of fields, for STAT(). */
#define COUNTER(field, ...) \
	extern const size_t stat_at_##field; \
	const size_t stat_at_##field = offsetof(struct stats, field);
#define DERIVED(...)
#include "core/defs/stats.def"
#undef COUNTER
#undef DERIVED

#define COUNTER(...)
#define DERIVED(...)
#define STAGE(...) +1
static_assert(sizeof(struct stage_counts) == sizeof(uint64_t) * (0
#include "core/defs/stats.def"
                                                                 ),
              "each of core/defs/counts.def has one row here");
#undef COUNTER
#undef DERIVED
#undef STAGE

const size_t stat_row_count = sizeof stat_rows / sizeof *stat_rows;

const struct stat_row *stat_find(const char *name, struct err *err)
{
	for (size_t i = 0; i < stat_row_count; i++)
		if (!strcmp(stat_rows[i].name, name))
			return &stat_rows[i];
	struct nearest nearest;
	nearest_init(&nearest, name);
	for (size_t i = 0; i < stat_row_count; i++)
		nearest_offer_dotted(&nearest, stat_rows[i].name);
	err_set(err, "no statistic '%s': %s", name,
	        nearest_said(&nearest, "`help stats` lists them"));
	return NULL;
}

static double stat_ratio_or_zero(double a, double b)
{
	return b != 0 ? a / b : 0;
}

double stat_value(const struct stats *s, const struct stat_row *row)
{
	/* The table once more, with its formulas: row n is the n-th comparison. Every n is a
	 * constant, so the compiler makes this a switch. */
	const size_t wanted = (size_t)(row - stat_rows);
	size_t n = 0;
#define C(field) ((double)s->field)
/* a counter that may fall: its change in a region may be negative */
#define SIGNED(field) ((double)(int64_t)s->field)
#define RATIO(a, b) stat_ratio_or_zero(a, b)
#define COUNTER(field, ...) \
	if (wanted == n++) \
		return C(field);
#define DERIVED(name, unit, help, ...) \
	if (wanted == n++) \
		return __VA_ARGS__;
#include "core/defs/stats.def"
#undef C
#undef SIGNED
#undef RATIO
#undef COUNTER
#undef DERIVED
	return 0;
}

enum device_id stat_device(const struct stat_row *row)
{
	return device_of_name(strncmp(row->name, "cpi.", 4) != 0 ? row->name : row->name + 4);
}

/* The cache whose prefetcher has this row, 1 to 3; 0: none. */
static unsigned prefetcher_of(const struct stat_row *row)
{
	static const char *const prefix[] = {"l1i.prefetch", "l1d.prefetch", "l2.prefetch"};
	for (unsigned i = 0; i < sizeof prefix / sizeof *prefix; i++)
		if (!strncmp(row->name, prefix[i], strlen(prefix[i])))
			return i + 1;
	return 0;
}

bool stat_exists(const struct config *cfg, const struct stat_row *row)
{
	const int64_t prefetch[] = {1, cfg->l1i_prefetch, cfg->l1d_prefetch, cfg->l2_prefetch};
	const enum device_id d = stat_device(row);
	return prefetch[prefetcher_of(row)] && (d == DEVICE_COUNT || device_exists(cfg, d));
}

bool stat_absent(const struct stat_row *row, struct err *err)
{
	const enum device_id d = stat_device(row);
	if (d == DEVICE_COUNT) {
		int n = (int)strcspn(row->name, ".");
		return err_set(err,
		               "this machine's %.*s has no prefetcher: start with, for example, "
		               "-o %.*s.prefetch=next-line",
		               n, row->name, n, row->name);
	}
	return err_set(err, "this machine has no %s: start with %s",
	               device_rows[d].name, device_rows[d].option);
}

uint32_t stat_id(const char *name)
{
	uint32_t h = UINT32_C(2166136261);
	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * UINT32_C(16777619);
	return h ? h : 1;
}

/* Index + 1 of a counter's row; 0: there is none. */
static uint32_t stat_counter_row_number(uint32_t id)
{
	for (uint32_t i = 0; id && i < stat_row_count; i++)
		if (!stat_rows[i].derived && stat_id(stat_rows[i].name) == id)
			return i + 1;
	return 0;
}

static uint64_t counter_value(const struct stats *s, uint32_t row)
{
	uint64_t value = 0;
	if (row)
		memcpy(&value, (const char *)s + stat_rows[row - 1].offset, sizeof value);
	return value;
}

/* Value of the counter with this id; 0 if there is none, or it is derived. */
static uint64_t stat_counter(const struct stats *s, uint32_t id)
{
	return counter_value(s, stat_counter_row_number(id));
}

void stat_fill_counter(const struct stats *s, struct hart *h, unsigned csr, struct stat_memo *memo)
{
	if (!csr_is_pic(csr)) {
		h->hpm_value = stat_counter(s, h->hpm_select[csr - CSR_HPMCOUNTER3]);
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		if (memo->id[i] != h->pic_select[i]) {
			memo->id[i] = h->pic_select[i];
			memo->row[i] = stat_counter_row_number(memo->id[i]);
		}
		h->pic_now[i] = counter_value(s, memo->row[i]);
	}
}

void stats_subtract(struct stats *s, const struct stats *less)
{
	uint64_t a[sizeof *s / sizeof(uint64_t)], b[sizeof *s / sizeof(uint64_t)];
	static_assert(sizeof a == sizeof *s, "nothing but counters");
	memcpy(a, s, sizeof a);
	memcpy(b, less, sizeof b);
	for (size_t i = 0; i < sizeof a / sizeof *a; i++)
		a[i] -= b[i];
	memcpy(s, a, sizeof a);
}
