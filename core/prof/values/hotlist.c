#include "core/prof/values/hotlist.h"

#include <string.h>

#include "core/base/hash.h"

const struct hotlist_spec hotlist_samples_paper = {
	.method = HOTLIST_SAMPLES, .entries = 16, .f_up = 16, .f_down = 15};
const struct hotlist_spec hotlist_counting = {
	.method = HOTLIST_COUNTING, .entries = 16, .f_up = 16, .f_down = 15};
const struct hotlist_spec hotlist_top_calder = {
	.method = HOTLIST_TOP, .entries = 16, .clear = 2000};
const struct hotlist_spec hotlist_all = {.method = HOTLIST_EXACT};

bool hotlist_spec_ok(const struct hotlist_spec *spec, struct err *err)
{
	if (spec->method == HOTLIST_EXACT)
		return true;
	if (!spec->entries || spec->entries > HOTLIST_MAX)
		return err_set(err, "a hotlist of %u values; expected 1 to %d", spec->entries,
		               HOTLIST_MAX);
	if (spec->method != HOTLIST_TOP && (!spec->f_down || spec->f_up <= spec->f_down))
		return err_set(
			err, "a hotlist whose f is %u/%u: f must be greater than 1, such as 16/15",
			spec->f_up, spec->f_down);
	return true;
}

/* ---- concise and counting samples ---- */
/* part * f_down / f_up, where a part of 0 stands for 2^64. At least 1, for 0 would mean 2^64. */
static uint64_t hotlist_reduced_probability(const struct hotlist_spec *spec, uint64_t part)
{
	const unsigned __int128 whole = part ? part : (unsigned __int128)1 << 64;
	const uint64_t less = (uint64_t)(whole * spec->f_down / spec->f_up);
	return less ? less : 1;
}

static void hotlist_remove_value(struct hotlist *l, uint64_t i)
{
	l->used--;
	memmove(&l->at[i], &l->at[i + 1], (l->used - i) * sizeof *l->at);
	l->at[l->used] = (struct hot_value){0};
}

static uint64_t heads_of(uint64_t coins, uint64_t heads_below, uint64_t *random)
{
	uint64_t heads = 0;
	while (coins--)
		heads += hash_splitmix64_next(random) < heads_below;
	return heads;
}

/* Reduces a count to what it would be had the value been admitted with the list's new, smaller p.
 */
static uint64_t let_in_again(const struct hotlist *l, uint64_t count, uint64_t heads_below,
                             uint64_t *random)
{
	if (hash_splitmix64_next(random) < heads_below)
		return count;
	while (--count && hash_splitmix64_next(random) >= l->admit)
		;
	return count;
}

void hotlist_reduce(const struct hotlist_spec *spec, struct hotlist *l, uint64_t *random)
{
	const uint64_t heads_below = hotlist_reduced_probability(spec, 0);
	l->admit = hotlist_reduced_probability(spec, l->admit);
	for (uint64_t i = 0; i < l->used;) {
		l->at[i].count = spec->method == HOTLIST_COUNTING
		                         ? let_in_again(l, l->at[i].count, heads_below, random)
		                         : heads_of(l->at[i].count, heads_below, random);
		if (l->at[i].count)
			i++;
		else
			hotlist_remove_value(l, i);
	}
}

static struct hot_value *hotlist_find_value(struct hotlist *l, uint64_t value)
{
	for (uint64_t i = 0; i < l->used; i++)
		if (l->at[i].value == value)
			return &l->at[i];
	return NULL;
}

/* Adds a value to a full list: it takes part in the coin tosses and stays if there is room then. */
static void hotlist_insert_crowded(const struct hotlist_spec *spec, struct hotlist *l,
                                   uint64_t value, uint64_t *random)
{
	const uint64_t heads_below = hotlist_reduced_probability(spec, 0);
	bool stays = true;
	while (stays && l->used == spec->entries) {
		hotlist_reduce(spec, l, random);
		stays = hash_splitmix64_next(random) < heads_below;
	}
	if (stays)
		l->at[l->used++] = (struct hot_value){value, 1};
}

static void hotlist_sample_value(const struct hotlist_spec *spec, struct hotlist *l, uint64_t value,
                                 uint64_t *random)
{
	struct hot_value *v =
		spec->method == HOTLIST_COUNTING ? hotlist_find_value(l, value) : NULL;
	if (!v && l->admit && hash_splitmix64_next(random) >= l->admit)
		return;
	if (spec->method == HOTLIST_SAMPLES)
		v = hotlist_find_value(l, value);
	if (v)
		v->count++;
	else if (l->used < spec->entries)
		l->at[l->used++] = (struct hot_value){value, 1};
	else
		hotlist_insert_crowded(spec, l, value, random);
}

/* ---- Calder's table ---- */
static void hotlist_rank_value(const struct hotlist_spec *spec, struct hotlist *l, uint64_t value)
{
	struct hot_value *v = hotlist_find_value(l, value);
	if (!v) {
		l->used += l->used < spec->entries;
		v = &l->at[l->used - 1];
		*v = (struct hot_value){value, 0};
	}
	for (v->count++; v > l->at && v[-1].count < v->count; v--) {
		const struct hot_value passed = v[-1];
		v[-1] = *v;
		*v = passed;
	}
	if (!spec->clear || ++l->since < spec->clear)
		return;
	l->since = 0;
	for (const uint64_t half = (spec->entries + 1) / 2; l->used > half;)
		hotlist_remove_value(l, l->used - 1);
}

/* ---- one list ---- */
void hotlist_note(const struct hotlist_spec *spec, struct hotlist *l, uint64_t value,
                  uint64_t *random)
{
	l->seen++;
	if (spec->method != HOTLIST_TOP)
		hotlist_sample_value(spec, l, value, random);
	else
		hotlist_rank_value(spec, l, value);
}

double hotlist_probability(const struct hotlist *l)
{
	return l->admit ? (double)l->admit / 18446744073709551616.0 : 1;
}

double hotlist_estimate(const struct hotlist_spec *spec, const struct hotlist *l, uint64_t count)
{
	const double p = hotlist_probability(l);
	return spec->method == HOTLIST_COUNTING ? (double)count + 1 / p - 1 : (double)count / p;
}

static const char *check_value(const struct hotlist_spec *spec, const struct hotlist *l, uint64_t i)
{
	if (!l->at[i].count)
		return "a hotlist has a value without a count";
	if (spec->method == HOTLIST_TOP && i && l->at[i].count > l->at[i - 1].count)
		return "a table of top values is out of order";
	for (uint64_t k = 0; k < i; k++)
		if (l->at[k].value == l->at[i].value)
			return "a hotlist has a value twice";
	return NULL;
}

const char *hotlist_check(const struct hotlist_spec *spec, const struct hotlist *l)
{
	uint64_t sum = 0;
	const char *wrong =
		l->used > spec->entries ? "a hotlist has more values than it may" : NULL;
	for (uint64_t i = 0; !wrong && i < l->used; i++) {
		wrong = check_value(spec, l, i);
		sum += l->at[i].count;
	}
	return wrong || sum <= l->seen ? wrong : "a hotlist counts more than it has seen";
}
