#include "ui/sweep/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/terminal_size.h"
#include "ui/render/safe_print.h"

/* Least seconds between changes of the line, to keep it readable. */
static const double CALM = 0.2;

bool progress_init(struct progress *p, const struct plan *plan, size_t total, unsigned at_once)
{
	*p = (struct progress){
		.plan = plan,
		.line = isatty(STDERR_FILENO),
		.at_once = at_once,
		.total = total,
		.seconds = alloc_zeroed(plan->program_count, sizeof *p->seconds),
		.counts = alloc_zeroed(plan->program_count, sizeof *p->counts),
	};
	return p->seconds && p->counts;
}

void progress_deinit(struct progress *p)
{
	if (p->line && p->drawn > 0)
		fputs("\r\033[K", stderr);
	free(p->seconds);
	free(p->counts);
}

void progress_ended(struct progress *p, const struct plan_job *j, double seconds, bool failed,
                    const char *how)
{
	char name[256];
	p->ended++;
	p->failed += failed;
	p->seconds[j->program] += seconds;
	p->counts[j->program]++;
	if (p->line && !failed)
		return;
	if (p->line)
		fputs("\r\033[K", stderr);
	say(stderr, "[%zu/%zu] %s: %s, %.1f s\n", p->ended, p->total,
	    plan_job_name(p->plan, j, name, sizeof name), how, seconds);
	p->drawn = 0;
}

/* Mean seconds of a run of this program so far; 0: unknown. */
static double usual_seconds(const struct progress *p, size_t program)
{
	double all = 0;
	size_t n = 0;
	if (p->counts[program])
		return p->seconds[program] / (double)p->counts[program];
	for (size_t g = 0; g < p->plan->program_count; g++) {
		all += p->seconds[g];
		n += p->counts[g];
	}
	return n ? all / (double)n : 0;
}

/* Estimated seconds until all jobs have ended; negative: unknown yet. */
static double seconds_left(const struct progress *p, const struct job *jobs, size_t count)
{
	double work = 0, longest = 0, now = jobs_now();
	if (!p->ended)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const struct plan_job *j = jobs[i].ctx;
		if (jobs[i].state != JOB_WAITING && jobs[i].state != JOB_RUNNING)
			continue;
		double left = usual_seconds(p, j->program);
		if (jobs[i].state == JOB_RUNNING)
			left -= now - jobs[i].began;
		if (left > longest)
			longest = left;
		if (left > 0)
			work += left;
	}
	work /= p->at_once;
	return work > longest ? work : longest;
}

static const char *progress_format_duration(double seconds, char *buf, size_t n)
{
	long s = (long)(seconds + 0.5);
	if (s < 60)
		snprintf(buf, n, "%ld s", s);
	else if (s < 3600)
		snprintf(buf, n, "%ld min %02ld s", s / 60, s % 60);
	else
		snprintf(buf, n, "%ld h %02ld min", s / 3600, s / 60 % 60);
	return buf;
}

void progress_draw(struct progress *p, const struct job *jobs, size_t count)
{
	char text[200], left[64];
	size_t running = 0;
	double now = jobs_now();
	if (!p->line || now - p->drawn < CALM)
		return;
	p->drawn = now;
	for (size_t i = 0; i < count; i++)
		running += jobs[i].state == JOB_RUNNING;
	double seconds = seconds_left(p, jobs, count);
	snprintf(left, sizeof left, "about ");
	if (seconds >= 0)
		progress_format_duration(seconds, left + 6, sizeof left - 6);
	int n = snprintf(text, sizeof text, "%zu of %zu done, %zu failed, %zu running%s%s%s",
	                 p->ended, p->total, p->failed, running, seconds >= 0 ? ", " : "",
	                 seconds >= 0 ? left : "", seconds >= 0 ? " left" : "");
	const int columns = (int)terminal_size(STDERR_FILENO).width;
	const int width = columns > 1 ? columns - 1 : 79;
	fprintf(stderr, "\r%.*s\033[K", n < width ? n : width, text);
}
