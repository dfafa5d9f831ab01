#include "tests/reverse/plugins.h"

#include <stddef.h>

#include "core/prof/sampler/compressor.h"

enum { COUNTERS = 1024 };

/* ---- gshare ---- */
static const int64_t weak[] = {1, 2};
static const struct plugin_table counters = {
	.name = "counters", .count = COUNTERS, .bits = 2, .init = weak, .inits = 2};

static uint32_t counter_of(const struct plugin_branch *b)
{
	return (b->history ^ (uint32_t)(b->pc >> 1)) & (COUNTERS - 1);
}

static bool plugins_test_gshare_predict(void *ctx, const struct plugin_state *s,
                                        const struct plugin_branch *b, bool *taken, struct err *err)
{
	(void)ctx;
	(void)err;
	*taken = plugin_get(s, 0, counter_of(b)) >= 2;
	return true;
}

static bool plugins_test_gshare_update(void *ctx, struct plugin_state *s,
                                       const struct plugin_branch *b, struct err *err)
{
	int64_t n = plugin_get(s, 0, counter_of(b));
	(void)ctx;
	(void)err;
	if (b->taken ? n < 3 : n > 0)
		plugin_put(s, 0, counter_of(b), b->taken ? n + 1 : n - 1);
	return true;
}

const struct plugin plugin_gshare = {.name = "gshare in C",
                                     .table = &counters,
                                     .tables = 1,
                                     .predict = plugins_test_gshare_predict,
                                     .update = plugins_test_gshare_update};

/* ---- LRU, from its clocks and notifications ---- */
enum { SETS = 1024, WAYS = 8 };
static const struct plugin_table lru_tables[] = {
	{.name = "ages", .count = SETS * WAYS, .bits = 48},
	{.name = "clock", .count = 1, .bits = 48},
};

static bool plugins_test_lru_on_use(void *ctx, struct plugin_state *s, uint32_t set, uint32_t way,
                                    bool fill, struct err *err)
{
	int64_t now = plugin_get(s, 1, 0) + 1;
	(void)ctx;
	(void)fill;
	(void)err;
	plugin_put(s, 1, 0, now);
	plugin_put(s, 0, set % SETS * WAYS + way, now);
	return true;
}

static bool plugins_test_lru_victim(void *ctx, struct plugin_state *s, uint32_t set,
                                    const struct plugin_way *way, uint32_t ways, uint32_t *out,
                                    struct err *err)
{
	uint32_t heard = 0, shown = 0;
	(void)ctx;
	for (uint32_t w = 1; w < ways; w++) {
		if (plugin_get(s, 0, set % SETS * WAYS + w) <
		    plugin_get(s, 0, set % SETS * WAYS + heard))
			heard = w;
		if (way[w].used < way[shown].used)
			shown = w;
	}
	if (way[heard].inserted > way[heard].used)
		return err_set(err, "a line was used before it came");
	*out = heard;
	return heard == shown ||
	       err_set(err, "way %u was used longest ago, but by the clocks way %u was", heard,
	               shown);
}

const struct plugin plugin_lru = {.name = "LRU in C",
                                  .table = lru_tables,
                                  .tables = 2,
                                  .victim = plugins_test_lru_victim,
                                  .used = plugins_test_lru_on_use};

/* ---- next line ---- */
static bool plugins_test_next_line_prefetch(void *ctx, struct plugin_state *s,
                                            const struct plugin_access *a, uint64_t *line,
                                            uint32_t *lines, struct err *err)
{
	(void)ctx;
	(void)s;
	(void)err;
	if (!a->hit || a->prefetched)
		line[(*lines)++] = a->line + 1;
	return true;
}

const struct plugin plugin_next_line = {.name = "next line in C",
                                        .access = plugins_test_next_line_prefetch};

/* ---- profile flags ---- */
static const struct plugin_table bits = {.name = "bits", .count = 1024, .bits = 1};

static bool plugins_test_flag_predict(void *ctx, const struct plugin_state *s,
                                      const struct plugin_flag *f, bool *on, struct err *err)
{
	(void)ctx;
	(void)err;
	*on = f->entry == PLUGIN_NO_ENTRY ? f->bit : plugin_get(s, 0, f->entry) != 0;
	return true;
}

static bool plugins_test_flag_on_decode(void *ctx, struct plugin_state *s,
                                        const struct plugin_flag *f, struct err *err)
{
	(void)ctx;
	(void)err;
	if (f->entry != PLUGIN_NO_ENTRY)
		plugin_put(s, 0, f->entry, f->on);
	return true;
}

const struct plugin plugin_flag_bits = {.name = "flags in C",
                                        .table = &bits,
                                        .tables = 1,
                                        .flag = plugins_test_flag_predict,
                                        .decoded = plugins_test_flag_on_decode};

/* ---- P(4) ---- */
static const struct plugin_table round_of_four = {.name = "counts", .count = 1, .bits = 2};

static bool plugins_test_compress_tuple(void *ctx, struct plugin_state *s, const struct message *in,
                                        struct message *out, bool *sent, struct err *err)
{
	(void)ctx;
	(void)err;
	const int64_t n = plugin_get(s, 0, 0);
	plugin_put(s, 0, 0, (n + 1) & 3);
	*out = (struct message){in->tuple, 4};
	*sent = n == 3;
	return true;
}

const struct plugin plugin_every_fourth = {.name = "P(4) in C",
                                           .table = &round_of_four,
                                           .tables = 1,
                                           .take = plugins_test_compress_tuple};

const struct plugins plugins_all = {
	.at = {&plugin_gshare, &plugin_lru, &plugin_lru, &plugin_lru, &plugin_next_line,
               &plugin_next_line, &plugin_next_line, &plugin_flag_bits, &plugin_every_fourth},
};

/* ---- failing ---- */
static const struct plugin_table calls = {.name = "calls", .count = 1, .bits = 63};

static bool one_more(void *ctx, struct plugin_state *s, struct err *err)
{
	const struct failing *f = ctx;
	int64_t n = plugin_get(s, 0, 0) + 1;
	plugin_put(s, 0, 0, n);
	return n < f->calls || err_set(err, "call %lld is too much", (long long)n);
}

static bool never_taken(void *ctx, const struct plugin_state *s, const struct plugin_branch *b,
                        bool *taken, struct err *err)
{
	(void)ctx;
	(void)s;
	(void)b;
	(void)err;
	*taken = false;
	return true;
}

static bool failing_update(void *ctx, struct plugin_state *s, const struct plugin_branch *b,
                           struct err *err)
{
	(void)b;
	return one_more(ctx, s, err);
}

static bool failing_victim(void *ctx, struct plugin_state *s, uint32_t set,
                           const struct plugin_way *way, uint32_t ways, uint32_t *out,
                           struct err *err)
{
	(void)set;
	(void)way;
	*out = ways - 1;
	return one_more(ctx, s, err);
}

static bool failing_access(void *ctx, struct plugin_state *s, const struct plugin_access *a,
                           uint64_t *line, uint32_t *lines, struct err *err)
{
	*line = a->line;
	*lines = 1;
	return one_more(ctx, s, err);
}

static bool always_off(void *ctx, const struct plugin_state *s, const struct plugin_flag *f,
                       bool *on, struct err *err)
{
	(void)ctx;
	(void)s;
	(void)f;
	(void)err;
	*on = false;
	return true;
}

static bool failing_decoded(void *ctx, struct plugin_state *s, const struct plugin_flag *f,
                            struct err *err)
{
	(void)f;
	return one_more(ctx, s, err);
}

static bool failing_take(void *ctx, struct plugin_state *s, const struct message *in,
                         struct message *out, bool *sent, struct err *err)
{
	*out = *in;
	*sent = true;
	return one_more(ctx, s, err);
}

const struct plugin plugin_failing = {.name = "one that fails",
                                      .table = &calls,
                                      .tables = 1,
                                      .predict = never_taken,
                                      .update = failing_update,
                                      .victim = failing_victim,
                                      .access = failing_access,
                                      .flag = always_off,
                                      .decoded = failing_decoded,
                                      .take = failing_take};
