#include "ui/cli/sample_run.h"

#include <string.h>
#include <sys/resource.h>

#include "core/defs/devices.h"
#include "core/defs/stats.h"
#include "core/prof/common/device.h"
#include "ui/cli/sample_report.h"

/* Options that need timing of every instruction, or whose effects would happen more than once. */
static const struct refusal {
	enum option_id id;
	const char *why;
} refusals[] = {
	{OPT_FUNCTIONAL, "--functional has no timing to sample"},
	{OPT_FF, "units are spread over the whole program; give --max-insts for its beginning"},
	{OPT_WARMUP, "caches and predictors are always warm between units"},
	{OPT_MAX_CYCLES, "the cycles of the whole program are not known; use --max-insts"},
	{OPT_RESTORE, "it begins with the program"},
	{OPT_SAVE_EVERY, "no run with timing from beginning to end exists to save"},
	{OPT_SAVE_TO, "no run with timing from beginning to end exists to save"},
	{OPT_HISTORY, "there is no run with timing from beginning to end to go back in"},
	{OPT_REPORT, "reports need the events of every instruction"},
	{OPT_EXPORT, "profiles need the events of every instruction"},
	{OPT_VALUES, "the value sampler needs the time between units"},
	{OPT_FIRMWARE, "firmware needs the time between units"},
	{OPT_COP, "the co-processor needs the instructions between units"},
	{OPT_PLUGIN, "a plug-in's variables can't be in several executions at once"},
	{OPT_CCT, "the program is executed several times, and would write several times"},
	{OPT_RW, "the program is executed several times, and would write several times"},
};

static const struct option_row *sample_run_option_row(enum option_id id)
{
	static const struct option_row rows[] = {
#define OPTION(id, letter, name, arg, commands, help) {letter, name, arg, commands, NULL},
#include "ui/cli/options.def"
#undef OPTION
	};
	return &rows[id];
}

bool sample_run_allows(const struct options *o, struct err *err)
{
	const char *name = o->given[OPT_SIMPOINT] ? "simpoint" : "sample";
	if (o->given[OPT_SIMPOINT] && (o->given[OPT_SAMPLE] || o->checkpoints))
		return err_set(err, "--simpoint with --%s: one of the two",
		               o->given[OPT_SAMPLE] ? "sample" : "checkpoints");
	if (o->checkpoints && !o->given[OPT_SAMPLE])
		return err_set(err, "--checkpoints keeps the units of --sample: add --sample; for "
		                    "checkpoints to resume from use --save-every");
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		if (o->given[refusals[i].id])
			return err_set(err, "--%s with --%s: %s", name,
			               sample_run_option_row(refusals[i].id)->name,
			               refusals[i].why);
	for (unsigned i = 0; i < o->folder_count; i++)
		if (o->folders[i].writing)
			return err_set(err,
			               "--%s with --dir :rw: the program is executed several "
			               "times, and would write several times",
			               name);
	for (size_t i = 0; i < stat_row_count; i++) {
		const enum device_id d = stat_device(&stat_rows[i]);
		if (d != DEVICE_COUNT && stat_exists(&o->config, &stat_rows[i]))
			return err_set(err,
			               "--%s: this machine has the device %s, which needs the "
			               "instructions and the time between units",
			               name, device_rows[d].name);
	}
	return true;
}

static double seconds_of(int who)
{
	struct rusage u;
	if (getrusage(who, &u) != 0)
		return 0;
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

void sample_run_begin(struct sample_passes *p, const struct session *s, const struct options *o,
                      const struct sample_input *in, struct sample_points *points,
                      void (*interruptible)(struct machine *m))
{
	*p = (struct sample_passes){
		.spec = o->sample,
		.session = s,
		.input = in,
		.points = points->folder ? points : NULL,
		.jobs = o->jobs ? o->jobs : 1,
		.interruptible = interruptible,
	};
	if (points->there) {
		p->spec = points->spec;
		p->spec.target = o->sample.target;
		p->spec.confidence = o->sample.confidence;
		p->spec.n = 1; /* the kept units only */
	} else if (!p->spec.parts)
		p->spec.parts = p->jobs < SAMPLE_PARTS_MAX ? p->jobs : SAMPLE_PARTS_MAX;
}

bool sample_run(struct sample_passes *passes, const struct options *o, struct sample_points *points,
                struct err *err)
{
	const struct session *s = passes->session;
	passes->insts = points->insts;
	struct sample_report report = {
		.passes = passes,
		.program = program_path(s->program),
		.config = o->config_name,
		.syscalls = points->syscalls,
	};
	bool ok = sample_passes_run(passes, err);
	if (ok && passes->end == SAMPLE_NO_MEMORY)
		ok = err_set(err, "--sample: out of memory for the units");
	if (ok && passes->sample.count < 2)
		ok = err_set(err, "--sample: %s",
		             passes->end == SAMPLE_INTERRUPTED
		                     ? "interrupted before there were two units"
		                     : "the program ended before there were two units: a second "
		                       "execution differs from the first");
	if (ok && points->folder && !points->there && passes->end != SAMPLE_INTERRUPTED) {
		points->spec = passes->spec;
		points->passes = passes->passes;
		memcpy(points->plan, passes->plan, sizeof points->plan);
		ok = sample_points_finish(points, s, err);
	}
	if (ok && !sample_report_begin(&report))
		ok = err_set(err, "--sample: out of memory");
	if (ok) {
		report.processor_seconds = seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN);
		sample_report_text(stderr, &report);
		ok = !o->stats || sample_report_write(o->stats, &report, err);
	}
	sample_report_end(&report);
	return ok;
}
