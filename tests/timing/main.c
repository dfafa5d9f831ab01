/* Runs the groups. Then, for every parameter of timing, runs the groups that check it again, with
 * the parameter's settings dropped: if no check fails, the parameter is not tested. */
#include <stdlib.h>
#include <string.h>

#include "core/machine/params.h"
#include "tests/timing/bench.h"

static const struct {
	const char *name;
	group_fn *run;
} groups[] = {
	{"units", group_units},       {"widths", group_widths},     {"latency", group_latency},
	{"capacity", group_capacity}, {"overlap", group_overlap},   {"order", group_order},
	{"pending", group_pending},   {"fetch", group_fetch},       {"branch", group_branch},
	{"predict", group_predict},   {"board", group_board}, {"textbook", group_textbook},
	{"ports", group_ports},       {"cpi", group_cpi},           {"slots", group_slots},
	{"prefetch", group_prefetch}, {"replay", group_replay},     {"monotone", group_monotone},
};
enum { GROUPS = sizeof groups / sizeof *groups };

void bench_claim(struct bench *b, const char *parameter)
{
	for (unsigned i = 0; i < b->claims; i++)
		if (b->claim[i].group == b->group && !strcmp(b->claim[i].parameter, parameter))
			return;
	if (b->claims < CLAIMS) {
		b->claim[b->claims].parameter = parameter;
		b->claim[b->claims++].group = b->group;
	}
}

static bool timing_is_selected(int argc, char **argv, const char *name)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc == 1;
}

bool bench_is_timing(const char *parameter)
{
	static const char *const parts[] = {"pipe.", "lsq.",  "fu.",   "lat.", "occ.", "bpred.",
	                                    "btb.",  "ras.",  "l1i.",  "l1d.", "l2.",  "mem.",
	                                    "bus.",  "itlb.", "dtlb.", "tlb."};
	/* These only choose a plug-in, which reverse/test_plugin compares with what is built in. */
	if (!strcmp(parameter, "bpred.indirect") || !strcmp(parameter, "btb.kind"))
		return false;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (!strncmp(parameter, parts[i], strlen(parts[i])))
			return true;
	return false;
}

static void self_test(struct bench *b, const struct param *p)
{
	bool claimed = false;
	b->ignore = p->name;
	b->noticed = false;
	for (unsigned i = 0; i < b->claims && !b->noticed; i++) {
		if (strcmp(b->claim[i].parameter, p->name))
			continue;
		claimed = true;
		groups[b->claim[i].group].run(b);
	}
	b->ignore = NULL;
	b->passed += b->noticed;
	b->failed += !b->noticed;
	if (!b->noticed)
		printf("FAIL   %s: %s\n", p->name,
		       claimed ? "ignoring it changes no figure" : "nothing checks it");
}

int main(int argc, char **argv)
{
	struct bench *b = calloc(1, sizeof *b);
	if (!b)
		return 2;
	for (b->group = 0; b->group < GROUPS; b->group++) {
		if (!timing_is_selected(argc, argv, groups[b->group].name))
			continue;
		printf("%s\n", groups[b->group].name);
		groups[b->group].run(b);
	}
	const char *scale = getenv("CYCLOPS_TEST_SCALE");
	if (argc == 1 && !(scale && !strcmp(scale, "small")))
		for (size_t i = 0; i < param_count; i++)
			if (bench_is_timing(params[i].name))
				self_test(b, &params[i]);
	printf("%d passed, %d failed\n", b->passed, b->failed);
	bool ok = !b->failed;
	free(b);
	return !ok;
}
