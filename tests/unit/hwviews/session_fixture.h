/* Sessions that tests look at: a program on a machine with settings. Include after cases.h. */
#ifndef CYCLOPS_TESTS_UNIT_HWVIEWS_SESSION_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_HWVIEWS_SESSION_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "core/machine/params.h"
#include "core/run/run.h"
#include "hwviews/session/session.h"
#include "scripting/config/config_lua.h"

/* Settings are `name=value;name=value`, perhaps after a preset's name; NULL: none. History keeps a
 * snapshot every `spacing` cycles at first. Input and output of the launch are set here. */
static inline struct session *session_on(const struct launch *launch, const char *settings,
                                         uint64_t spacing)
{
	struct err err;
	struct session_options opt = {.launch = *launch,
	                              .history = {.history = true, .first_spacing = spacing}};
	char copy[512], *save;
	opt.launch.stdin_fd = -1;
	opt.launch.output = os_no_output;
	config_default(&opt.cfg);
	snprintf(copy, sizeof copy, "%s", settings ? settings : "");
	char *one = strtok_r(copy, ";", &save);
	if (one && !strchr(one, '=')) {
		assert_true(config_load(&opt.cfg, one, &err));
		one = strtok_r(NULL, ";", &save);
	}
	for (; one; one = strtok_r(NULL, ";", &save))
		if (!config_set_assignment(&opt.cfg, one, &err))
			fail_msg("%s", err.msg);
	struct session *s = session_open(&opt, &err);
	if (!s)
		fail_msg("%s", err.msg);
	return s;
}

static inline void session_fixture_run_cycles(struct session *s, uint64_t cycles)
{
	struct run_stop_info info;
	struct err err;
	if (!run_cycles(s->run, cycles, false, &info, &err))
		fail_msg("%s", err.msg);
}

#endif
