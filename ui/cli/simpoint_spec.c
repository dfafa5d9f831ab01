#include "ui/cli/simpoint_spec.h"

#include <stdio.h>
#include <string.h>

#include "core/run/phases.h"
#include "ui/console/counts.h"

enum { INTERVAL_LEAST = 1000, INTERVAL_MOST = 1000000000 };

static bool simpoint_spec_report_syntax(const char *text, struct err *err)
{
	return err_set(err,
	               "--simpoint %.60s: expected K, 1 to %d, and after it interval=N, %d to %d, "
	               "or seed=N: --simpoint 10,interval=1M,seed=1",
	               text, PHASES_MAX, INTERVAL_LEAST, INTERVAL_MOST);
}

bool simpoint_spec_parse(struct simpoint_spec *s, const char *text, struct err *err)
{
	struct err why;
	*s = (struct simpoint_spec){.interval = 1000000, .seed = 1};
	for (const char *at = text; at;) {
		const size_t n = strcspn(at, ",");
		char word[64];
		uint64_t v;
		const char *value = strchr(at, '=');
		value = value && value < at + n ? value + 1 : at;
		if (n >= sizeof word)
			return simpoint_spec_report_syntax(text, err);
		snprintf(word, sizeof word, "%.*s", (int)(at + n - value), value);
		if (!count_parse(word, &v, &why))
			return simpoint_spec_report_syntax(text, err);
		if (value == at && v >= 1 && v <= PHASES_MAX)
			s->k = (unsigned)v;
		else if (!strncmp(at, "interval=", 9) && v >= INTERVAL_LEAST && v <= INTERVAL_MOST)
			s->interval = v;
		else if (!strncmp(at, "seed=", 5))
			s->seed = v;
		else
			return simpoint_spec_report_syntax(text, err);
		at = at[n] ? at + n + 1 : NULL;
	}
	return s->k || simpoint_spec_report_syntax(text, err);
}
