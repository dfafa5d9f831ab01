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
	return (b->bits ^ (uint32_t)(b->pc >> 1)) & (COUNTERS - 1);
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

/* ---- targets ---- */
enum { TARGETS = 256 };
static const struct plugin_table target_tables[] = {
	{.name = "tags", .count = TARGETS, .bits = 64},
	{.name = "targets", .count = TARGETS, .bits = 64},
};

static bool plugins_test_find_target(void *ctx, const struct plugin_state *s,
                                     const struct plugin_control *c, uint64_t *to, bool *known,
                                     struct err *err)
{
	const uint32_t i = c->pc >> 1 & (TARGETS - 1);
	(void)ctx;
	(void)err;
	*known = plugin_get(s, 0, i) == (int64_t)c->pc;
	*to = (uint64_t)plugin_get(s, 1, i);
	return true;
}

/* As the built-in table with one way: taken, and not from the return stack. */
static bool plugins_test_learn_target(void *ctx, struct plugin_state *s,
                                      const struct plugin_control *c, struct err *err)
{
	const uint32_t i = c->pc >> 1 & (TARGETS - 1);
	(void)ctx;
	(void)err;
	if (!c->taken || c->returns)
		return true;
	plugin_put(s, 0, i, (int64_t)c->pc);
	plugin_put(s, 1, i, (int64_t)c->next);
	return true;
}

const struct plugin plugin_direct_targets = {.name = "a target buffer in C",
                                             .table = target_tables,
                                             .tables = 2,
                                             .target = plugins_test_find_target,
                                             .committed = plugins_test_learn_target};

/* Its scratch table counts the control instructions fetched, of which those of wrong paths must not
 * be left when an instruction commits. */
static const struct plugin_table count_tables[] = {
	{.name = "committed", .count = 1, .bits = 48},
	{.name = "fetched", .count = 1, .bits = 48, .scratch = true},
	{.name = "numbers", .count = 4096, .bits = 48, .scratch = true},
};

static bool plugins_test_count_fetched(void *ctx, const struct plugin_state *s,
                                       const struct plugin_control *c, struct err *err)
{
	const int64_t n = plugin_get(s, 1, 0);
	(void)ctx;
	if (!plugin_put_scratch(s, 2, n & 4095, (int64_t)(c->pc & 0xffffffff)) ||
	    !plugin_put_scratch(s, 1, 0, n + 1))
		return err_set(err, "two entries are too many");
	return true;
}

static bool plugins_test_count_committed(void *ctx, struct plugin_state *s,
                                         const struct plugin_control *c, struct err *err)
{
	const int64_t n = plugin_get(s, 0, 0), pc = plugin_get(s, 2, n & 4095);
	(void)ctx;
	plugin_put(s, 0, 0, n + 1);
	return (pc == (int64_t)(c->pc & 0xffffffff) && plugin_get(s, 1, 0) > n) ||
	       err_set(err, "instruction %lld: committed at %#llx, fetched at %#llx", (long long)n,
	               (unsigned long long)c->pc, (unsigned long long)pc);
}

static bool plugins_test_no_target(void *ctx, const struct plugin_state *s,
                                   const struct plugin_control *c, uint64_t *to, bool *known,
                                   struct err *err)
{
	(void)ctx;
	(void)s;
	(void)c;
	(void)to;
	(void)err;
	*known = false;
	return true;
}

const struct plugin plugin_counts_control = {.name = "a count in C",
                                          .table = count_tables,
                                          .tables = 3,
                                          .target = plugins_test_no_target,
                                          .fetched = plugins_test_count_fetched,
                                          .committed = plugins_test_count_committed};

/* ---- LRU, from its clocks and notifications ---- */
enum { SETS = 1024, WAYS = 8 };
static const struct plugin_table lru_tables[] = {
	{.name = "ages", .count = SETS * WAYS, .bits = 48},
	{.name = "clock", .count = 1, .bits = 48},
};

static bool plugins_test_lru_on_use(void *ctx, struct plugin_state *s, uint32_t set, uint32_t way,
                                    bool fill, struct plugin_moment m, struct err *err)
{
	(void)m;
	int64_t now = plugin_get(s, 1, 0) + 1;
	(void)ctx;
	(void)fill;
	(void)err;
	plugin_put(s, 1, 0, now);
	plugin_put(s, 0, set % SETS * WAYS + way, now);
	return true;
}

static bool plugins_test_lru_victim(void *ctx, struct plugin_state *s, uint32_t set,
                                    const struct plugin_way *way, uint32_t ways,
                                    struct plugin_moment m, uint32_t *out, struct err *err)
{
	uint32_t heard = 0, shown = 0;
	(void)ctx;
	(void)m;
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
	.at = {[PLUGIN_PREDICTOR] = &plugin_gshare,
               [PLUGIN_INDIRECT] = &plugin_counts_control,
               [PLUGIN_BTB] = &plugin_direct_targets,
               [PLUGIN_L1I_REPLACEMENT] = &plugin_lru,
               [PLUGIN_L1D_REPLACEMENT] = &plugin_lru,
               [PLUGIN_L2_REPLACEMENT] = &plugin_lru,
               [PLUGIN_L1I_PREFETCHER] = &plugin_next_line,
               [PLUGIN_L1D_PREFETCHER] = &plugin_next_line,
               [PLUGIN_L2_PREFETCHER] = &plugin_next_line,
               [PLUGIN_FLAGS] = &plugin_flag_bits,
               [PLUGIN_STAGE] = &plugin_every_fourth},
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

static bool failing_committed(void *ctx, struct plugin_state *s, const struct plugin_control *c,
                              struct err *err)
{
	(void)c;
	return one_more(ctx, s, err);
}

static bool failing_victim(void *ctx, struct plugin_state *s, uint32_t set,
                           const struct plugin_way *way, uint32_t ways, struct plugin_moment m,
                           uint32_t *out, struct err *err)
{
	(void)m;
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
                                      .target = plugins_test_no_target,
                                      .take = failing_take};

struct plugin plugin_failing_at(enum plugin_place place, struct failing *when)
{
	struct plugin p = plugin_failing;
	p.ctx = when;
	if (place == PLUGIN_INDIRECT || place == PLUGIN_BTB)
		p.committed = failing_committed;
	return p;
}
