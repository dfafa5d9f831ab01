#include <stdint.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/host/process.h"
#include "ui/cli/jobs.h"
#include "tests/cases.h"

static char folder[64];

static const char *in_folder(const char *name, char *buf, size_t n)
{
	snprintf(buf, n, "%s/%s", folder, name);
	return buf;
}

static void jobs_write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void assert_file(const char *path, const char *text)
{
	char buf[256] = "";
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	buf[fread(buf, 1, sizeof buf - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(buf, text);
}

/* A job of the shell. */
struct shell {
	char *argv[4];
};

static struct job shell_job(struct shell *s, const char *script)
{
	*s = (struct shell){{"sh", "-c", (char *)(uintptr_t)script, NULL}};
	return (struct job){.argv = s->argv};
}

TEST(each_end_is_told)
{
	struct shell s[2];
	char text[128];
	char *nowhere[] = {"/nowhere/at/all", NULL};
	char *sleeper[] = {"sleep", "100", NULL}; /* a shell would unblock its signals by itself */
	struct job jobs[] = {
		shell_job(&s[0], "i=0; while [ $i -lt 9999 ]; do i=$((i + 1)); done; exit 3"),
		shell_job(&s[1], "kill -KILL $$"),
		{.argv = sleeper, .timeout = 0.05},
		{.argv = nowhere},
		{.argv = s[0].argv, .in = "/nowhere/input"},
	};
	assert_int_equal(jobs_run(jobs, 5, 2, NULL), 0);
	assert_int_equal(jobs[0].state, JOB_EXITED);
	assert_int_equal(jobs[0].code, 3);
	assert_true(jobs[0].cpu_seconds > 0);
	assert_string_equal(job_end_text(&jobs[0], text, sizeof text), "exit status 3");
	assert_int_equal(jobs[1].state, JOB_SIGNALLED);
	assert_string_equal(job_end_text(&jobs[1], text, sizeof text), "killed by SIGKILL");
	assert_int_equal(jobs[2].state, JOB_TIMED_OUT);
	assert_int_equal(jobs[2].code, SIGTERM); /* so it can receive the signal */
	assert_string_equal(job_end_text(&jobs[2], text, sizeof text), "took over 0.05 s");
	assert_int_equal(jobs[3].state, JOB_NOT_STARTED);
	assert_int_equal(jobs[3].code, ENOENT);
	assert_non_null(strstr(job_end_text(&jobs[3], text, sizeof text), "/nowhere/at/all"));
	assert_int_equal(jobs[4].state, JOB_NOT_STARTED);
	assert_string_equal(jobs[4].what, "/nowhere/input");
}

/* A child that ignores SIGTERM is killed. */
TEST(deaf_ones_are_killed)
{
	char *sleeper[] = {"sleep", "100", NULL};
	struct job j = {.argv = sleeper, .timeout = 0.05};
	signal(SIGTERM, SIG_IGN); /* inherited, so blocked from its start */
	assert_int_equal(jobs_run(&j, 1, 1, NULL), 0);
	signal(SIGTERM, SIG_DFL);
	assert_int_equal(j.state, JOB_TIMED_OUT);
	assert_int_equal(j.code, SIGKILL);
}

TEST(streams_are_files)
{
	struct shell s[3];
	char in[96], out[96], err[96], both[96];
	jobs_write_file(in_folder("in", in, sizeof in), "some words\n");
	in_folder("out", out, sizeof out);
	in_folder("err", err, sizeof err);
	in_folder("both", both, sizeof both);
	struct job jobs[] = {
		shell_job(&s[0], "cat; echo wrong >&2"),
		shell_job(&s[1], "echo a; echo b >&2; echo c"),
		shell_job(&s[2], "read x || exit 9"),
	};
	jobs[0].in = in;
	jobs[0].out = out;
	jobs[0].err = err;
	jobs[1].out = jobs[1].err = both;
	assert_int_equal(jobs_run(jobs, 3, 3, NULL), 0);
	assert_file(out, "some words\n");
	assert_file(err, "wrong\n");
	assert_file(both, "a\nb\nc\n");
	assert_int_equal(jobs[2].code, 9); /* nothing to read */
}

/* A pipe without a writer is an empty input: neither we nor the job wait.
 */
TEST(pipes_without_a_writer_are_empty)
{
	struct shell s[2];
	char in[96];
	assert_int_equal(mkfifo(in_folder("pipe", in, sizeof in), 0600), 0);
	struct job jobs[] = {shell_job(&s[0], "read x || exit 9"), shell_job(&s[1], "exit 0")};
	jobs[0].in = in;
	jobs[1].in = folder;
	alarm(120);
	assert_int_equal(jobs_run(jobs, 2, 1, NULL), 0);
	alarm(0);
	assert_int_equal(jobs[0].state, JOB_EXITED);
	assert_int_equal(jobs[0].code, 9);
	assert_int_equal(jobs[1].state, JOB_NOT_STARTED);
	assert_int_equal(jobs[1].code, EISDIR);
	assert_string_equal(jobs[1].what, folder);
}

struct counts {
	unsigned running, most, begun, ended, ticks;
};

static void count_began(void *ctx, struct job *j)
{
	struct counts *c = ctx;
	assert_int_equal(j->state, JOB_RUNNING);
	c->begun++;
	if (++c->running > c->most)
		c->most = c->running;
}

static void count_ended(void *ctx, struct job *j)
{
	struct counts *c = ctx;
	assert_int_equal(j->state, JOB_EXITED);
	c->ended++;
	c->running--;
}

static void count_tick(void *ctx, const struct job *jobs, size_t count)
{
	struct counts *c = ctx;
	assert_int_equal(count, 7);
	assert_non_null(jobs);
	c->ticks++;
}

TEST(so_many_at_once_and_no_more)
{
	struct shell s[7];
	struct job jobs[7];
	struct counts c = {0};
	const struct jobs_watcher w = {
		.began = count_began, .ended = count_ended, .tick = count_tick, .ctx = &c};
	for (unsigned i = 0; i < 7; i++)
		jobs[i] = shell_job(&s[i], "sleep 0.02");
	jobs[4].state = JOB_EXITED; /* done before */
	assert_int_equal(jobs_run(jobs, 7, 3, &w), 0);
	assert_int_equal(c.begun, 6);
	assert_int_equal(c.ended, 6);
	assert_int_equal(c.most, 3);
	assert_int_equal(c.running, 0);
	assert_true(c.ticks >= 12);
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(jobs[i].state, JOB_EXITED);
}

static void stop_now(void *ctx, struct job *j)
{
	(void)j;
	*(bool *)ctx = true;
}

TEST(watchers_can_stop_it)
{
	struct shell s[3];
	struct job jobs[] = {
		shell_job(&s[0], "exit 0"),
		shell_job(&s[1], "while :; do sleep 1; done"),
		shell_job(&s[2], "exit 0"),
	};
	bool stop = false;
	const struct jobs_watcher w = {.ended = stop_now, .ctx = &stop, .stop = &stop};
	assert_int_equal(jobs_run(jobs, 3, 2, &w), SIGTERM);
	assert_int_equal(jobs[0].state, JOB_EXITED);
	assert_int_equal(jobs[1].state, JOB_INTERRUPTED);
	assert_int_equal(jobs[2].state, JOB_WAITING);
}

static void tell_pid(void *ctx, struct job *j)
{
	assert_int_equal(write(*(int *)ctx, &j->pid, sizeof j->pid), sizeof j->pid);
}

/* Starts a process that runs two endless jobs and a third; pids[]: the processes. It ends with the
 * interrupting signal as status, or 99. */
static pid_t fork_endless(pid_t pids[2])
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct shell s[3];
		struct job jobs[3];
		const struct jobs_watcher w = {.began = tell_pid, .ctx = &ends[1]};
		for (unsigned i = 0; i < 3; i++)
			jobs[i] = shell_job(&s[i], "while :; do sleep 1; done");
		int sig = jobs_run(jobs, 3, 2, &w);
		bool right = jobs[0].state == JOB_INTERRUPTED && jobs[1].state == JOB_INTERRUPTED &&
		             jobs[2].state == JOB_WAITING;
		_exit(right ? sig : 99);
	}
	assert_int_equal(read(ends[0], &pids[0], sizeof *pids), sizeof *pids);
	assert_int_equal(read(ends[0], &pids[1], sizeof *pids), sizeof *pids);
	close(ends[0]);
	close(ends[1]);
	return pid;
}

/* Waits until a process, which may be no child of this one, is gone or a zombie. */
static bool jobs_process_is_gone(pid_t pid)
{
	for (unsigned i = 0; i < 1000; i++) {
		char path[64], name[64], letter = 'Z';
		snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
		FILE *f = fopen(path, "r");
		if (!f)
			return true;
		int n = fscanf(f, "%*d %63s %c", name, &letter);
		fclose(f);
		if (n != 2 || letter == 'Z')
			return true;
		usleep(10000);
	}
	return false;
}

TEST(an_interrupt_ends_children)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	for (unsigned i = 0; i < 3; i++) {
		pid_t pids[2];
		int status;
		pid_t pid = fork_endless(pids);
		kill(pid, signals[i]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), signals[i]);
		assert_true(jobs_process_is_gone(pids[0]));
		assert_true(jobs_process_is_gone(pids[1]));
	}
}

TEST(children_die_with_us)
{
	pid_t pids[2];
	int status;
	pid_t pid = fork_endless(pids);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(jobs_process_is_gone(pids[0]));
	assert_true(jobs_process_is_gone(pids[1]));
}

/* nohup, and shells in the background: our parent has interrupts ignored, also for our children. */
TEST(ignored_interrupts_stay_ignored)
{
	struct shell s;
	struct job j = shell_job(&s, "kill -INT $PPID; kill -INT $$; exit 5");
	void (*old)(int) = signal(SIGINT, SIG_IGN);
	assert_int_equal(jobs_run(&j, 1, 1, NULL), 0);
	signal(SIGINT, old);
	assert_int_equal(j.state, JOB_EXITED);
	assert_int_equal(j.code, 5);
}

TEST(signals_are_put_back)
{
	struct shell s;
	struct job j = shell_job(&s, "exit 0");
	sigset_t mask;
	jobs_run(&j, 1, 1, NULL);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	assert_false(sigismember(&mask, SIGINT));
	assert_false(sigismember(&mask, SIGCHLD));
	assert_true(process_cores() >= 1);
}

static int jobs_setup_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/cyclops-jobs-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int jobs_teardown_folder(void **state)
{
	(void)state;
	static const char *const names[] = {"in", "pipe", "out", "err", "both"};
	char path[96];
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		unlink(in_folder(names[i], path, sizeof path));
	return rmdir(folder);
}

TEST_GROUP(jobs_setup_folder, jobs_teardown_folder)
