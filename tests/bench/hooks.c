/* The cost of listening: runs a program with one listener in C, to be counted by callgrind
 * (tests/bench/hooks.sh).
 *
 *   hooks none|pc=PC|every|"EVENT CONDITION" FF INSTS PROGRAM [ARGS...]   prints how often the listener fired
 *   hooks rare FF INSTS PROGRAM [ARGS...]   prints a pc and an address used about once in 10,000 instructions
 *
 * Standard input is passed on. FF instructions are executed without timing before. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwviews/session/session.h"
#include "scripting/expr/where.h"

enum { RARE = 10000, TALLY = 1 << 20 };

struct tally {
	uint64_t key[TALLY], count[TALLY]; /* open addressing */
};

struct ears {
	uint64_t heard;
	struct where *where;
	struct tally *pcs, *addrs;
};

static void bench_hooks_fail(const char *msg)
{
	fprintf(stderr, "%s\n", msg);
	exit(1);
}

static void bench_hooks_count_key(struct tally *t, uint64_t key)
{
	size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 44);
	for (size_t tried = 0; tried < TALLY && t->count[i] && t->key[i] != key; tried++)
		i = (i + 1) % TALLY;
	if (t->count[i] && t->key[i] != key)
		return;
	t->key[i] = key;
	t->count[i]++;
}

/* The key whose count is nearest to the given one. */
static uint64_t bench_hooks_nearest_key(const struct tally *t, uint64_t wanted)
{
	size_t best = 0;
	uint64_t off = UINT64_MAX;
	for (size_t i = 0; i < TALLY; i++) {
		uint64_t d = t->count[i] > wanted ? t->count[i] - wanted : wanted - t->count[i];
		if (t->count[i] && d < off) {
			off = d;
			best = i;
		}
	}
	return t->key[best];
}

static void on_any(void *ctx, const struct machine *m, const struct event *ev)
{
	(void)m;
	(void)ev;
	((struct ears *)ctx)->heard++;
}

static void on_where(void *ctx, const struct machine *m, const struct event *ev)
{
	struct ears *e = ctx;
	e->heard += where_test(e->where, m, ev) == WHERE_YES;
}

static void on_tally(void *ctx, const struct machine *m, const struct event *ev)
{
	struct ears *e = ctx;
	(void)m;
	bench_hooks_count_key(ev->id == EV_COMMIT ? e->pcs : e->addrs,
	                      ev->id == EV_COMMIT ? ev->pc : ev->mem.addr);
}

/* Listens by `what`. */
static void bench_hooks_listen(struct session *s, const char *what, struct ears *e)
{
	struct event_filter f = {.mask = EV_BIT(COMMIT)};
	struct err err;
	event_fn *fn = on_any;
	char event[32] = "";
	size_t n = strcspn(what, " ");
	if (!strcmp(what, "none"))
		return;
	if (!strcmp(what, "rare")) {
		e->pcs = calloc(1, sizeof *e->pcs);
		e->addrs = calloc(1, sizeof *e->addrs);
		if (!e->pcs || !e->addrs)
			bench_hooks_fail("out of memory");
		f.mask |= EV_BIT(MEM);
		fn = on_tally;
	} else if (!strncmp(what, "pc=", 3)) {
		f.pc_lo = strtoull(what + 3, NULL, 0);
		f.pc_hi = f.pc_lo + 1;
	} else if (strcmp(what, "every") != 0) {
		snprintf(event, sizeof event, "%.*s", (int)n, what);
		int id = event_find(event);
		if (id < 0 || !what[n])
			bench_hooks_fail("hooks none|rare|pc=PC|every|'EVENT CONDITION' FF INSTS "
			                 "PROGRAM [ARGS...]");
		f.mask = UINT64_C(1) << id;
		e->where = where_compile(s, (enum event_id)id, what + n + 1, &err);
		if (!e->where)
			bench_hooks_fail(err.msg);
		where_narrow(e->where, &f);
		fn = on_where;
	}
	if (!machine_listen(s->machine, &f, fn, e))
		bench_hooks_fail("out of memory");
}

int main(int argc, char **argv)
{
	struct ears e = {0};
	struct err err;
	if (argc < 5)
		bench_hooks_fail(
			"hooks none|rare|pc=PC|every|'EVENT CONDITION' FF INSTS PROGRAM [ARGS...]");
	struct session_options opt = {
		.launch = {.path = argv[4], .argc = argc - 4, .argv = argv + 4, .output = os_no_output},
		.fast_forward = strtoull(argv[2], NULL, 0)};
	config_default(&opt.cfg);
	struct session *s = session_open(&opt, &err);
	if (!s)
		bench_hooks_fail(err.msg);
	bench_hooks_listen(s, argv[1], &e);
	uint64_t insts = strtoull(argv[3], NULL, 0);
	machine_run(s->machine, UINT64_MAX, machine_insts(s->machine) + insts);
	if (e.pcs)
		printf("%#" PRIx64 " %#" PRIx64 "\n", bench_hooks_nearest_key(e.pcs, insts / RARE),
		       bench_hooks_nearest_key(e.addrs, insts / RARE));
	else
		printf("%" PRIu64 "\n", e.heard);
	where_free(e.where);
	free(e.pcs);
	free(e.addrs);
	session_free(s);
	return 0;
}
