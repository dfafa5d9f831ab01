#include "ui/child/child_words.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/descendants.h"
#include "core/host/process.h"
#include "core/host/sandbox.h"
#include "core/host/wait_ready.h"
#include "ui/child/environment.h"

/* ---- words ---- */
void child_words_init(struct child_words *w)
{
	*w = (struct child_words){0};
}

void child_words_deinit(struct child_words *w)
{
	for (unsigned i = 0; i < w->count; i++)
		free(w->word[i]);
	child_words_init(w);
}

/* Appends a word, and takes it over. */
static void child_append(struct child_words *w, char *word)
{
	w->no_memory |= !word;
	w->too_many |= w->count == CHILD_WORDS_MAX;
	if (!word || w->count == CHILD_WORDS_MAX) {
		free(word);
		return;
	}
	w->word[w->count++] = word;
	w->word[w->count] = NULL;
}

void child_word(struct child_words *w, const char *text)
{
	child_append(w, alloc_text(text));
}

void child_command(struct child_words *w, const char *text)
{
	while (*(text += strspn(text, " \t"))) {
		const size_t n = strcspn(text, " \t");
		child_append(w, alloc_text_n(text, n));
		text += n;
	}
}

bool child_file_misleads(const char *name)
{
	return *name == '-' || *name == '+' || *name == '@' || !*name;
}

void child_file(struct child_words *w, const char *name)
{
	child_append(w, alloc_format("%s%s", child_file_misleads(name) ? "./" : "", name));
}

/* ---- the program ---- */
static bool child_can_execute(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool child_program(const char *word, char *out, size_t n)
{
	const char *folders = getenv("PATH");
	if (strchr(word, '/'))
		return snprintf(out, n, "%s", word) < (int)n && child_can_execute(out);
	while (*word && folders && *folders) {
		const size_t length = strcspn(folders, ":");
		if (*folders == '/' &&
		    snprintf(out, n, "%.*s/%s", (int)length, folders, word) < (int)n &&
		    child_can_execute(out))
			return true;
		folders += length + (folders[length] == ':');
	}
	return false;
}

/* ---- the process ---- */
/* Prepares the child, in it. */
static unsigned child_enter(void *ctx)
{
	enum { CONFINES = SANDBOX_NAMESPACES | SANDBOX_LANDLOCK };
	const struct child_way *how = ctx;
	if (how->bare_environment)
		environment_keep_bare();
	if (how->temporary)
		setenv("TMPDIR", how->temporary, 1);
	const unsigned held = how->sandbox ? sandbox_enter(how->sandbox) : 0;
	if (how->sandbox && !(held & CONFINES) && how->unconfined)
		how->unconfined();
	return held;
}

static bool child_start_writing(const struct child_words *w, const struct child_way *how,
                                int output, pid_t *pid, struct err *err)
{
	static const struct child_way as_we_are = {0};
	char program[PATH_MAX];
	if (w->no_memory || w->too_many || !w->count)
		return err_set(err, w->no_memory ? "out of memory" : "a command has 1 to %d words",
		               CHILD_WORDS_MAX);
	how = how ? how : &as_we_are;
	const struct process p = {.program = program,
	                          .argv = w->word,
	                          .stream = {how->input > 0 ? how->input : -1, output, output},
	                          .closes = true,
	                          .enter = child_enter,
	                          .ctx = (void *)(uintptr_t)how};
	int why = ENOENT;
	if (child_program(w->word[0], program, sizeof program)) {
		fflush(NULL);
		why = process_start(&p, pid, NULL) ? 0 : errno;
	} else if (process_lack()) {
		return err_set(err, "%s: %s", w->word[0], process_lack());
	}
	errno = why;
	return !why || err_set(err, "%s: %s", w->word[0], strerror(why));
}

bool child_start(const struct child_words *w, const struct child_way *how, pid_t *pid,
                 struct err *err)
{
	return child_start_writing(w, how, -1, pid, err);
}

int child_wait(pid_t pid)
{
	int status = 0;
	if (!process_wait(pid, &status))
		return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Bytes of a full buffer to pass on: whole lines, else whole characters, else all. */
static size_t child_whole_lines(const char *text, size_t n)
{
	const char *end = memrchr(text, '\n', n);
	size_t cut = n;
	if (end)
		return (size_t)(end + 1 - text);
	while (cut && ((unsigned char)text[cut - 1] & 0xc0) == 0x80)
		cut--;
	cut -= cut && (unsigned char)text[cut - 1] >= 0xc0;
	return cut ? cut : n;
}

/* Passes on the child's output until the child has ended. Later output of its own children, which
 * may keep the pipe open, is lost. */
static void child_relay_output(const struct child_way *how, int from, pid_t pid)
{
	char text[CHILD_LINE_MAX];
	size_t n = 0;
	const int end = process_descriptor(pid);
	/* a compiler that is a script may have pipes of its own, which soon have a writer */
	enum { LOOK_MS = 100, LOOKS = 20 };
	unsigned looks = 0;
	for (int ready;
	     (ready = wait_either_input(from, end, how->met_pipe ? LOOK_MS : -1)) >= 0 ||
	     errno == EINTR;) {
		if (ready == 0)
			looks = child_waits_for_pipe(pid) ? looks + 1 : 0;
		if (looks == LOOKS) {
			*how->met_pipe = true;
			child_signal_descendants(pid, SIGKILL);
			process_signal(pid, SIGKILL);
		}
		if (ready <= 0)
			continue;
		if (ready == 2)
			break;
		const ssize_t got = read(from, text + n, sizeof text - n);
		if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
			break;
		n += got > 0 ? (size_t)got : 0;
		if (n < sizeof text && !memchr(text, '\n', n))
			continue;
		const size_t cut = child_whole_lines(text, n);
		how->take_output(how->ctx, text, cut);
		memmove(text, text + cut, n -= cut);
	}
	if (n)
		how->take_output(how->ctx, text, n);
	if (end >= 0)
		close(end);
}

/* -1: not started. */
static int child_run_relayed(const struct child_words *w, const struct child_way *how,
                             struct err *err)
{
	int ends[2];
	pid_t pid;
	if (pipe2(ends, O_CLOEXEC) != 0) {
		const int why = errno;
		err_set(err, "%s: %s", w->word[0], strerror(why));
		return errno = why, -1;
	}
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	const bool started = child_start_writing(w, how, ends[1], &pid, err);
	const int why = errno;
	close(ends[1]);
	if (started)
		child_relay_output(how, ends[0], pid);
	close(ends[0]);
	const int status = started ? child_wait(pid) : -1;
	errno = why;
	return status;
}

int child_run(const struct child_words *w, const struct child_way *how, struct err *err)
{
	pid_t pid;
	child_attend();
	const int status = how && how->take_output          ? child_run_relayed(w, how, err)
	                   : child_start(w, how, &pid, err) ? child_wait(pid)
	                                                    : -1,
		  why = errno;
	child_attended(status < 0 ? 0 : W_EXITCODE(status, 0));
	errno = why;
	return status;
}

int child_shell(const char *command)
{
	struct child_words w;
	struct err err;
	child_words_init(&w);
	child_word(&w, "/bin/sh");
	child_word(&w, "-c");
	child_word(&w, command);
	const int status = child_run(&w, NULL, &err);
	child_words_deinit(&w);
	return status < 0 ? -1 : W_EXITCODE(status, 0);
}
