/* The variants of a cycle (core/pipe/variant.h) are equivalent: machines of all kinds, quiet and
 * watched, end in the same state with the same counts. The plain machines' variant supports none of
 * the settings, and must not be chosen for them. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/machine/machine.h"
#include "core/machine/params.h"
#include "loader/launch.h"
#include "tests/cases.h"

enum { CYCLES = 150000 };

static void variants_count_event(void *ctx, const struct machine *m, const struct event *ev)
{
	(void)m, (void)ev;
	++*(uint64_t *)ctx;
}

static void variants_set_config(struct config *cfg, const char *name, const char *value)
{
	struct err err;
	if (!config_set(cfg, name, value, &err))
		fail_msg("%s", err.msg);
}

struct ending {
	uint64_t hash, insts;
	struct stats stats;
};

static struct ending variants_run_guest(const struct config *cfg, bool watched)
{
	static const struct event_filter all = {.mask = UINT64_MAX};
	static char *words[] = {"build/demos/lisp", "demos/programs/input/deriv.lisp", NULL};
	struct err err;
	uint64_t heard = 0;
	struct launch l = {.path = words[0], .argc = 2, .argv = words, .stdin_fd = -1};
	struct program *p = launch_program(&l, &err);
	struct machine *m = p ? launch_machine(&l, p, cfg, &err) : NULL;
	if (!m)
		fail_msg("%s", err.msg);
	if (watched)
		assert_true(machine_listen(m, &all, variants_count_event, &heard) > 0);
	machine_run(m, CYCLES, UINT64_MAX);
	assert_int_equal(heard > 0, watched);
	const struct ending e = {machine_hash(m), machine_insts(m), *machine_stats(m)};
	machine_free(m);
	program_free(p);
	return e;
}

/* Several settings with commas between them. */
static void variants_compare_watched(const char *settings)
{
	struct config cfg;
	char text[128];
	config_default(&cfg);
	snprintf(text, sizeof text, "%s", settings);
	char *at = NULL;
	for (char *one = strtok_r(text, ",", &at); one; one = strtok_r(NULL, ",", &at)) {
		char *value = strchr(one, '=');
		*value++ = '\0';
		variants_set_config(&cfg, one, value);
	}
	const struct ending quiet = variants_run_guest(&cfg, false),
			    watched = variants_run_guest(&cfg, true);
	assert_true(quiet.insts > CYCLES / 50);
	if (quiet.hash != watched.hash || quiet.insts != watched.insts ||
	    memcmp(&quiet.stats, &watched.stats, sizeof quiet.stats) != 0)
		fail_msg("%s: quiet and watched machines differ", settings);
}

TEST(quiet_and_watched_are_the_same)
{
	static const char *const settings[] = {
		"pipe.rob_size=64",
		"pipe.rob_size=256,lsq.size=128",
		/* loads that are refused repeatedly, which quiet runs only count */
		"l1d.size=1024,l1d.mshrs=1",
		"l1d.size=1024,l1d.mshrs=2,l1d.mshr_targets=1,lsq.speculate=true",
		"pipe.rob_size=100,lsq.size=128,l1d.size=1024,l1d.mshrs=1",
		"pipe.rob_size=512,lsq.size=256,l1d.size=2048,l1d.mshr_targets=1",
		"pipe.fetch_lines=3",
		"pipe.fetch_past_taken=true",
		"l1i.perfect=true",
		"l1i.replacement=fifo",
		"bpred.kind=perfect",
		"bpred.kind=perceptron,bpred.update=commit",
		"lsq.speculate=true,lsq.predictor=store-sets",
		"lsq.speculate=true,lsq.predictor=wait-table",
		"pipe.in_order=true",
		"pipe.in_order=true,pipe.completion=out-of-order,pipe.int_writes=1",
		"pipe.int_writes=1,pipe.fp_writes=1",
		"pipe.memory_stage=1",
		"lsq.speculate=true,lsq.replay_size=true",
		"lsq.speculate=true,lsq.replay_synonym=8192",
		"l1d.ports=1",
		"l2.ports=1",
		"l2.mshrs=1",
	};
	(void)state;
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		variants_compare_watched(settings[i]);
}
