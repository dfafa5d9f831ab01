#include "core/os/code_versions.h"

#include <string.h>

#include "core/base/arena.h"
#include "core/base/state_ranges.h"
#include "core/mem/mem.h"
#include "core/os/os_priv.h"

/* Number of the first range that ends above addr. */
static uint64_t code_versions_find(const struct os_code_versions *v, uint64_t addr)
{
	uint64_t low = 0, high = v->count;
	while (low < high) {
		const uint64_t middle = (low + high) / 2;
		if (v->range[middle].end > addr)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Puts a range before the i-th. False: there is no room. */
static bool code_versions_insert(struct os_code_versions *v, uint64_t i, struct os_code_range r)
{
	if (v->count == OS_CODE_RANGES) {
		v->missed++;
		return false;
	}
	memmove(&v->range[i + 1], &v->range[i], (v->count - i) * sizeof r);
	v->range[i] = r;
	v->count++;
	return true;
}

/* Divides the range that addr lies within. False: there is no room. */
static bool code_versions_cut(struct os_code_versions *v, uint64_t addr)
{
	const uint64_t i = code_versions_find(v, addr);
	if (i == v->count || v->range[i].start >= addr)
		return true;
	struct os_code_range low = v->range[i];
	low.end = addr;
	if (!code_versions_insert(v, i, low))
		return false;
	v->range[i + 1].start = addr;
	return true;
}

/* Joins neighbours that are alike. */
static void code_versions_join(struct os_code_versions *v)
{
	uint64_t kept = 0;
	for (uint64_t i = 1; i < v->count; i++) {
		struct os_code_range *last = &v->range[kept];
		const struct os_code_range *r = &v->range[i];
		if (r->start == last->end && r->version == last->version && r->gone == last->gone)
			last->end = r->end;
		else
			v->range[++kept] = *r;
	}
	const uint64_t left = v->count ? kept + 1 : 0;
	memset(&v->range[left], 0, (v->count - left) * sizeof v->range[0]);
	v->count = left;
}

void code_versions_go(struct os *os, uint64_t start, uint64_t end)
{
	struct os_code_versions *v = os->code_versions;
	if (!code_versions_cut(v, start) || !code_versions_cut(v, end))
		return;
	uint64_t i = code_versions_find(v, start);
	while (start < end) {
		const bool known = i < v->count && v->range[i].start < end;
		const uint64_t next = known ? v->range[i].start : end;
		if (start < next &&
		    !code_versions_insert(v, i++, (struct os_code_range){start, next, 0, 1}))
			return;
		if (known)
			v->range[i++].gone = 1;
		start = known ? v->range[i - 1].end : end;
	}
	code_versions_join(v);
}

void code_versions_come(struct os *os, uint64_t start, uint64_t end)
{
	struct os_code_versions *v = os->code_versions;
	if (!code_versions_cut(v, start) || !code_versions_cut(v, end))
		return;
	for (uint64_t i = code_versions_find(v, start); i < v->count && v->range[i].start < end;
	     i++) {
		struct os_code_range *r = &v->range[i];
		r->version += r->gone && r->version < OS_CODE_VERSION_MAX;
		r->gone = 0;
		v->newest = r->version > v->newest ? r->version : v->newest;
	}
	code_versions_join(v);
}

unsigned os_code_version(const struct os *os, uint64_t pc)
{
	const struct os_code_versions *v = os->code_versions;
	if (!v->newest)
		return 0;
	const uint64_t i = code_versions_find(v, pc);
	return i < v->count && v->range[i].start <= pc ? (unsigned)v->range[i].version : 0;
}

const struct os_code_versions *os_code_versions(const struct os *os)
{
	return os->code_versions;
}

/* ---- life ---- */
void code_versions_place(struct os *os, struct arena *a)
{
	os->code_versions = arena_take(a, "code versions", 1, sizeof *os->code_versions);
}

void code_versions_reset(struct os *os)
{
	memset(os->code_versions, 0, sizeof *os->code_versions);
}

void code_versions_ranges(const struct os *os, struct ranges *rs)
{
	static const char name[] = "code versions";
	const struct os_code_versions *v = os->code_versions;
	RANGE(rs, name, v, 1, count, RANGE_MOST, OS_CODE_RANGES);
	RANGE(rs, name, v, 1, missed, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, v, 1, newest, RANGE_MOST, OS_CODE_VERSION_MAX);
	RANGE(rs, name, v->range, OS_CODE_RANGES, start, RANGE_MOST, MEM_TOP);
	RANGE(rs, name, v->range, OS_CODE_RANGES, end, RANGE_MOST, MEM_TOP);
	RANGE(rs, name, v->range, OS_CODE_RANGES, version, RANGE_MOST, OS_CODE_VERSION_MAX);
	RANGE(rs, name, v->range, OS_CODE_RANGES, gone, RANGE_MOST, 1);
}

const char *code_versions_error(const struct os *os)
{
	const struct os_code_versions *v = os->code_versions;
	for (uint64_t i = 0; i < v->count; i++)
		if (v->range[i].start >= v->range[i].end ||
		    (i && v->range[i].start < v->range[i - 1].end))
			return "ranges of replaced code are out of order";
	return NULL;
}
