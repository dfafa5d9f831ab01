#include "core/machine/params.h"
#include "tests/predict/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void give_up(const char *what)
{
	fprintf(stderr, "predict: %s\n", what);
	exit(2);
}

void check(struct bench *b, bool ok, const char *config, const char *what, uint64_t machine,
           uint64_t model)
{
	b->passed += ok;
	b->failed += !ok;
	if (!ok)
		printf("FAIL   %s: %s: machine %" PRIu64 ", expected %" PRIu64 "\n", config, what,
		       machine, model);
}

static void predict_bench_parse_options(struct config *cfg, const char *options)
{
	struct err err;
	char text[512], *rest = text;
	config_default(cfg);
	snprintf(text, sizeof text, "%s", options);
	for (char *word; (word = strtok_r(rest, " ", &rest));)
		if (!config_set_assignment(cfg, word, &err))
			give_up(err.msg);
}

struct session *open_guest(const char *path, int arguments, const char *options, struct config *cfg)
{
	char *argv[] = {(char *)"guest", (char *)"1", (char *)"2", NULL};
	struct err err;
	struct session_options opt = {
		.launch = {.path = path,
	                   .argc = 1 + arguments,
	                   .argv = argv,
	                   .stdin_fd = -1,
	                   .output = os_no_output},
	};
	predict_bench_parse_options(&opt.cfg, options);
	*cfg = opt.cfg;
	struct session *s = session_open(&opt, &err);
	if (!s)
		give_up(err.msg);
	return s;
}
