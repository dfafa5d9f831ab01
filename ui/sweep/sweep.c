#include "ui/sweep/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"
#include "core/base/output_folder.h"
#include "core/base/sort.h"
#include "core/host/own_program.h"
#include "core/host/process.h"
#include "ui/cli/jobs.h"
#include "ui/sweep/progress.h"

/* Creates a folder and its parents. */
static bool sweep_create_folder_path(const char *path, struct err *err)
{
	char part[4096];
	size_t len = strlen(path);
	if (len >= sizeof part)
		return err_set(err, "%s: the name is too long", path);
	for (size_t i = 1; i <= len; i++) {
		if (path[i] != '/' && path[i])
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdir(part, 0777) < 0 && errno != EEXIST)
			return err_set(err, "%s: %s", part, strerror(errno));
	}
	return true;
}

bool sweep_make_folders(const char *out, struct err *err)
{
	static const char *const names[] = {"jobs", "logs"};
	char path[4096];
	for (size_t i = 0; i < 2; i++) {
		int n = snprintf(path, sizeof path, "%s/%s", out, names[i]);
		if (n < 0 || (size_t)n >= sizeof path - 1)
			return err_set(err, "%s: the name is too long", out);
		if (!sweep_create_folder_path(path, err))
			return false;
		strcpy(path + n, "/");
		output_keep_folder(path);
	}
	return true;
}

bool sweep_init(struct sweep *s, struct plan *plan, bool make, struct err *err)
{
	*s = (struct sweep){.plan = plan, .lock = -1};
	if (make && !sweep_make_folders(plan->out, err))
		return false;
	s->records = alloc_zeroed(plan->job_count, sizeof *s->records);
	if (!s->records)
		return err_set(err, "out of memory");
	for (size_t i = 0; i < plan->job_count; i++)
		s->records[i] = record_read(plan_job_file(plan, &plan->jobs[i], "jobs", ".json"));
	return true;
}

void sweep_deinit(struct sweep *s)
{
	for (size_t i = 0; s->records && i < s->plan->job_count; i++)
		record_deinit(&s->records[i]);
	free(s->records);
	if (s->lock >= 0)
		close(s->lock);
	*s = (struct sweep){.lock = -1};
}

bool sweep_wants(const struct sweep *s, size_t job, const struct sweep_options *o)
{
	return record_outdated(&s->records[job], s->plan->build, o->force, o->retry, o->any_build);
}

struct keyed {
	const char *key;
	size_t job;
};

static int sweep_compare_by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	int d = strcmp(x->key, y->key);
	return d ? d : (x->job > y->job) - (x->job < y->job);
}

size_t *sweep_first_alike(struct plan *p)
{
	struct keyed *k = plan_alloc(p, p->job_count * sizeof *k);
	size_t *first = plan_alloc(p, p->job_count * sizeof *first);
	for (size_t i = 0; i < p->job_count; i++)
		k[i] = (struct keyed){p->jobs[i].key, i};
	sort_stable(k, p->job_count, sizeof *k, sweep_compare_by_key);
	for (size_t i = 0; i < p->job_count; i++)
		first[k[i].job] =
			i && !strcmp(k[i].key, k[i - 1].key) ? first[k[i - 1].job] : k[i].job;
	return first;
}

bool sweep_lock(struct sweep *s, struct err *err)
{
	const char *path = plan_text(s->plan, "%s/lock", s->plan->out);
	s->lock = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (s->lock < 0)
		return err_set(err, "%s: %s", path, strerror(errno));
	if (flock(s->lock, LOCK_EX | LOCK_NB) == 0)
		return true;
	if (errno != EWOULDBLOCK)
		return true; /* this file system has no locks */
	return err_set(err, "another sweep is at work in %s; wait for it, or give another --out",
	               s->plan->out);
}

/* ---- running ---- */

struct running {
	struct sweep *s;
	struct progress progress;
	bool failed; /* a record could not be written */
	struct err err;
};

static struct record_files files_of(struct plan *p, const struct plan_job *j)
{
	return (struct record_files){
		.record = plan_job_file(p, j, "jobs", ".json"),
		.stats = plan_job_file(p, j, "jobs", ".partial.json"),
	};
}

static struct job process_of(struct plan *p, struct plan_job *j, const struct sweep_options *o)
{
	const struct plan_program *g = &p->programs[j->program];
	struct words argv = {0};
	/* By a descriptor: the program may write files, and rename the folder. */
	char stats[PATH_MAX], self[PATH_MAX];
	output_inherited(plan_job_file(p, j, "jobs", ".partial.json"), stats, sizeof stats);
	/* this build, even if another file now has its name */
	own_program_to_run(self, sizeof self);
	words_add(p, &argv, plan_text(p, "%s", self));
	words_add(p, &argv, "run");
	words_add(p, &argv, plan_text(p, "--stats=%s", stats));
	for (size_t i = 1; i < j->run.count; i++)
		words_add(p, &argv, j->run.text[i]);
	return (struct job){
		.argv = argv.text,
		.in = g->stdin_path,
		.out = plan_job_file(p, j, "logs", ".out"),
		.err = plan_job_file(p, j, "logs", ".log"),
		.keeps_err = true,
		.timeout = o->timeout > 0 ? o->timeout : g->timeout,
		.ctx = j,
	};
}

static void job_ended(void *ctx, struct job *process)
{
	struct running *r = ctx;
	struct plan *p = r->s->plan;
	struct plan_job *j = process->ctx;
	struct record_files f = files_of(p, j);
	struct record *to = &r->s->records[j - p->jobs];
	if (process->state == JOB_INTERRUPTED) {
		output_remove(f.stats); /* of an incomplete run */
		if (process->log >= 0)
			close(process->log);
		return;
	}
	if (!record_make(&f, j->key, p->build, process, p->programs[j->program].status, &r->err)) {
		r->failed = true;
		return;
	}
	record_deinit(to);
	*to = record_read(f.record);
	progress_ended(&r->progress, j, process->seconds, to->status == RECORD_FAILED,
	               to->status == RECORD_FAILED ? to->reason : record_status_name[to->status]);
}

static void sweep_on_tick(void *ctx, const struct job *jobs, size_t count)
{
	struct running *r = ctx;
	progress_draw(&r->progress, jobs, count);
}

int sweep_run(struct sweep *s, const struct sweep_options *o, struct err *err)
{
	struct plan *p = s->plan;
	struct running r = {.s = s};
	unsigned at_once = o->at_once ? o->at_once : process_cores();
	struct jobs_watcher w = {
		.ended = job_ended, .tick = sweep_on_tick, .ctx = &r, .stop = &r.failed};
	struct job *jobs = plan_alloc(p, p->job_count * sizeof *jobs);
	const size_t *first = sweep_first_alike(p);
	size_t count = 0;
	for (size_t i = 0; i < p->job_count; i++)
		if (first[i] == i && sweep_wants(s, i, o))
			jobs[count++] = process_of(p, &p->jobs[i], o);
	if (!progress_init(&r.progress, p, count, at_once))
		return err_set(err, "out of memory"), -1;
	int sig = jobs_run(jobs, count, at_once, &w);
	progress_deinit(&r.progress);
	for (size_t i = 0; i < p->job_count; i++)
		if (first[i] != i)
			s->records[i] = record_read(plan_job_file(p, &p->jobs[i], "jobs", ".json"));
	if (r.failed) {
		*err = r.err;
		return -1;
	}
	return sig;
}
