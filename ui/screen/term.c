#include "ui/screen/term.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <ncurses.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/memory_file.h"
#include "core/host/own_program.h"
#include "core/host/process.h"
#include "core/host/terminal_size.h"
#include "core/host/wait_ready.h"
#include "ui/child/environment.h"
#include "ui/console/ending.h"
#include "ui/console/fatal_signals.h"
#include "ui/render/terminal.h"
#include "ui/screen/term_keys.h"

enum { RESTORE_BYTES = 256, CAUGHT_MAX = 1 << 20 };
/* Status of a shell, and of our child, that found no program. */

/* State for signal handlers, prepared in advance. */
static struct {
	bool open;
	SCREEN *screen;
	FILE *out;
	int tty;              /* our own descriptor of the terminal */
	struct termios modes; /* original modes of stdout */
	char restore[RESTORE_BYTES];
	size_t restore_bytes;
	int pipe[2];          /* signals, a byte each */
	int caught;           /* a file in memory with caught output */
	off_t caught_at;      /* end of the output that was taken */
	int real_out, real_err; /* -1: not replaced */
	void (*on_interrupt)(void *ctx);
	void *interrupt_ctx;
} term = {.tty = -1, .pipe = {-1, -1}, .caught = -1, .real_out = -1, .real_err = -1};

/* Signals that the event loop handles, each with the letter it reads from the pipe. Fatal ones are
 * in ui/console/fatal_signals.h. */
static const struct {
	int number;
	char letter;
} handled[] = {
	{SIGWINCH, 'w'}, {SIGINT, 'i'}, {SIGTSTP, 'z'}, {SIGCONT, 'c'},
};
enum { HANDLED = sizeof handled / sizeof *handled };
static struct sigaction before[HANDLED];

/* ---- restoring it ---- */
/* Writes caught output that was not yet taken to the real stderr. Async-signal-safe. */
static void release_caught(void)
{
	char buf[512];
	ssize_t n;
	if (term.real_err < 0)
		return;
	while ((n = pread(term.caught, buf, sizeof buf, term.caught_at)) > 0) {
		terminal_write(term.real_err, buf, (size_t)n);
		term.caught_at += n;
	}
}

static void crash_restore(void)
{
	if (!term.open)
		return;
	term.open = false;
	terminal_write(term.tty, term.restore, term.restore_bytes);
	terminal_set_modes(term.tty, &term.modes);
	release_caught();
}

static void term_on_signal(int number)
{
	int error = errno;
	for (int i = 0; i < HANDLED; i++) {
		if (handled[i].number != number)
			continue;
		if (number == SIGINT && term.on_interrupt)
			term.on_interrupt(term.interrupt_ctx);
		while (write(term.pipe[1], &handled[i].letter, 1) < 0 && errno == EINTR)
			;
	}
	errno = error;
}

/* Requests the session's end from the event loop. */
static void term_request_end(int number)
{
	const char letter = 'e';
	(void)number;
	if (term.on_interrupt)
		term.on_interrupt(term.interrupt_ctx);
	while (write(term.pipe[1], &letter, 1) < 0 && errno == EINTR)
		;
}

void term_end_in_order(bool on)
{
	ending_by(on ? term_request_end : NULL);
}

static void catch_signals(void)
{
	fatal_signals_catch(crash_restore);
	for (int i = 0; i < HANDLED; i++) {
		struct sigaction sa = {.sa_handler = term_on_signal, .sa_flags = SA_RESTART};
		sigemptyset(&sa.sa_mask);
		sigaction(handled[i].number, &sa, &before[i]);
	}
}

/* ---- taking it ---- */
static int append_restore(int c)
{
	if (term.restore_bytes < RESTORE_BYTES)
		term.restore[term.restore_bytes++] = (char)c;
	return c;
}

static void prepare_restore(void)
{
	static const char *const strings[] = {"sgr0", "op", "rmkx", "cnorm", "rmcup"};
	term.restore_bytes = 0;
	for (const char *c = keys_reports_off(); *c; c++)
		append_restore(*c);
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
		const char *s = tigetstr(strings[i]);
		if (s && s != (const char *)-1)
			tputs(s, 1, append_restore);
	}
}

/* Redirects stdout, and a stderr on the terminal, to a file in memory. */
static void catch_output(void)
{
	fflush(stdout);
	fflush(stderr);
	term.caught = memory_file("cyclops");
	term.caught_at = 0;
	if (term.caught < 0)
		return;
	term.real_out = dup(STDOUT_FILENO);
	dup2(term.caught, STDOUT_FILENO);
	if (isatty(STDERR_FILENO)) {
		term.real_err = dup(STDERR_FILENO);
		dup2(term.caught, STDERR_FILENO);
	}
}

static void release_output(void)
{
	fflush(stdout);
	fflush(stderr);
	if (term.real_out >= 0) {
		dup2(term.real_out, STDOUT_FILENO);
		close(term.real_out);
	}
	if (term.real_err >= 0) {
		dup2(term.real_err, STDERR_FILENO);
		release_caught();
		close(term.real_err);
	}
	if (term.caught >= 0)
		close(term.caught);
	term.real_out = term.real_err = term.caught = -1;
}

/* curses reports no failures, but errno shows them: writes the same sequences again then. Not
 * otherwise: some terminals clear their screen at a second restore. */
static void term_restore_terminal(void)
{
	errno = 0;
	fputs(keys_reports_off(), term.out);
	curs_set(1);
	endwin();
	if (fflush(term.out) != 0 || errno != 0)
		terminal_write(term.tty, term.restore, term.restore_bytes);
	clearerr(term.out);
	terminal_set_modes(term.tty, &term.modes);
}

static void set_modes(void)
{
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keys_begin();
}

/* Sanitizers end a process by themselves: the callback restores the terminal. */
extern void __sanitizer_set_death_callback(void (*fn)(void)) __attribute__((weak));

static char substituted[224];

const char *term_substituted(void)
{
	return *substituted ? substituted : NULL;
}

static bool term_type_is_known(const char *type)
{
	int status;
	environment_avoid_pipe_of_terminal(type);
	return setupterm(type, STDOUT_FILENO, &status) == OK;
}

/* Gives TERM a type that has an entry, and notes it. */
static bool term_substitute(void)
{
	const char *type = getenv("TERM");
	char stem[64], was[64];
	if (!type || !*type || strlen(type) >= sizeof stem)
		return false;
	snprintf(was, sizeof was, "%s", type);
	snprintf(stem, sizeof stem, "%.*s", (int)strcspn(type, "-"), type);
	const char *other = strchr(was, '-') && term_type_is_known(stem) ? stem
	                    : term_type_is_known("xterm-256color")       ? "xterm-256color"
	                                                                 : NULL;
	if (!other || setenv("TERM", other, 1) != 0)
		return false;
	snprintf(substituted, sizeof substituted,
	         "This host does not know the terminal '%s': it is used like '%s'", was, other);
	return true;
}

bool term_possible(void)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
	    (!term_type_is_known(NULL) && !term_substitute()))
		return false;
	const char *place = tigetstr("cup");
	bool can = place && place != (const char *)-1;
	del_curterm(cur_term);
	return can;
}

bool term_open(struct err *err)
{
	const char *type = getenv("TERM");
	if (tcgetattr(STDIN_FILENO, &term.modes) != 0 || tcgetattr(STDOUT_FILENO, &term.modes) != 0)
		return err_set(err, "the screen needs a terminal: %s", strerror(errno));
	term.tty = dup(STDOUT_FILENO);
	term.out = term.tty >= 0 ? alloc_file_of(term.tty, "w") : NULL;
	if (!term.out || pipe2(term.pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
		err_set(err, "the screen can't start: %s", strerror(errno));
		goto failed;
	}
	set_escdelay(25);
	/* Block signals until catch_signals(): before that no handler would restore the terminal.
	 */
	sigset_t all, before_all;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before_all);
	term.screen = newterm(NULL, term.out, stdin);
	if (!term.screen) {
		sigprocmask(SIG_SETMASK, &before_all, NULL);
		err_set(err,
		        "the screen does not support the terminal type '%s'; use "
		        "TERM=xterm-256color or the like",
		        type ? type : "");
		goto failed;
	}
	if (has_colors()) {
		start_color();
		use_default_colors();
	}
	set_modes();
	prepare_restore();
	catch_output();
	term.open = true;
	catch_signals();
	sigprocmask(SIG_SETMASK, &before_all, NULL);
	atexit(term_close);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(crash_restore);
	return true;
failed:
	if (term.out)
		fclose(term.out);
	else if (term.tty >= 0)
		close(term.tty);
	if (term.pipe[0] >= 0) {
		close(term.pipe[0]);
		close(term.pipe[1]);
	}
	term.tty = term.pipe[0] = term.pipe[1] = -1;
	term.out = NULL;
	return false;
}

void term_close(void)
{
	if (!term.open)
		return;
	keys_end();
	term_end_in_order(false);
	term_restore_terminal();
	term.open = false;
	for (int i = 0; i < HANDLED; i++)
		sigaction(handled[i].number, &before[i], NULL);
	fatal_signals_release();
	release_output();
	delscreen(term.screen);
	fclose(term.out);
	close(term.pipe[0]);
	close(term.pipe[1]);
	term.on_interrupt = NULL;
	term.out = NULL;
	term.tty = term.pipe[0] = term.pipe[1] = -1;
}

bool term_copy(const char *base64)
{
	if (!term.open)
		return false;
	fprintf(term.out, "\033]52;c;%s\007", base64);
	return fflush(term.out) == 0;
}

/* ---- signals and waiting ---- */
int term_wait(int timeout_ms)
{
	const int ready = wait_either_input(STDIN_FILENO, term.pipe[0], timeout_ms);
	if (ready <= 0)
		return 0;
	return (ready & 1 ? TERM_INPUT : 0) | (ready & 2 ? TERM_SIGNAL : 0);
}

unsigned term_signals(void)
{
	char letters[64];
	unsigned what = 0;
	ssize_t n;
	while ((n = read(term.pipe[0], letters, sizeof letters)) > 0)
		for (ssize_t i = 0; i < n; i++)
			what |= letters[i] == 'w'   ? TERM_RESIZED
			        : letters[i] == 'i' ? TERM_INTERRUPT
			        : letters[i] == 'c' ? TERM_CONTINUED
			        : letters[i] == 'e' ? TERM_GONE
			                            : TERM_STOP;
	/* A terminal that is gone without SIGHUP always reads as end of file. */
	if (wait_end_is_gone(STDIN_FILENO))
		what |= TERM_GONE;
	return what;
}

void term_on_interrupt(void (*fn)(void *ctx), void *ctx)
{
	term.interrupt_ctx = ctx;
	term.on_interrupt = fn;
}

static void stop_here(void)
{
	struct sigaction stop = {.sa_handler = SIG_DFL}, ours;
	sigset_t set;
	sigaction(SIGTSTP, &stop, &ours);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &ours, NULL);
}

void term_suspend(void)
{
	term_restore_terminal();
	stop_here();
	refresh(); /* leaves the state that endwin() has entered */
	term_continue();
}

bool term_lend(char *const argv[], struct err *err)
{
	int status = 0;
	pid_t child;
	char self[PATH_MAX];
	own_program_to_run(self, sizeof self);
	const struct process p = {.program = *argv[0] == '/' ? argv[0] : self,
	                          .argv = argv,
	                          .stream = {-1, term.tty, term.real_err}, /* uncaught output */
	                          .closes = true};
	term_restore_terminal();
	const bool started = process_start(&p, &child, NULL);
	const int why = errno;
	/* If the child is stopped, stop too. */
	while (started && process_wait_or_stop(child, &status) && WIFSTOPPED(status)) {
		stop_here();
		process_signal(child, SIGCONT);
	}
	refresh();
	/* Drop signals that were meant for the child, but none that ends this process. */
	if (term_signals() & TERM_GONE)
		term_request_end(0);
	term_continue();
	return started || err_set(err, "%s could not be started: %s", p.program, strerror(why));
}

void term_continue(void)
{
	reset_prog_mode();
	curs_set(0);
	fputs(keys_reports_on(), term.out);
	fflush(term.out);
	term_redraw();
	term_resize();
}

void term_resize(void)
{
	const struct terminal_size size = terminal_size(term.tty);
	const int height = (int)size.height, width = (int)size.width;
	if (height && width && (height != LINES || width != COLS))
		resizeterm(height, width);
}

void term_redraw(void)
{
	clearok(curscr, TRUE);
}

char *term_caught(void)
{
	fflush(stdout);
	fflush(stderr);
	if (term.caught < 0)
		return NULL;
	off_t end = lseek(term.caught, 0, SEEK_END), from = term.caught_at;
	if (end <= from)
		return NULL;
	if (end - from > CAUGHT_MAX)
		from = end - CAUGHT_MAX;
	char *text = alloc_bytes((size_t)(end - from) + 1);
	if (!text)
		return NULL;
	ssize_t n = pread(term.caught, text, (size_t)(end - from), from);
	text[n < 0 ? 0 : n] = '\0';
	/* Empty the file to limit its growth. */
	term.caught_at =
		ftruncate(term.caught, 0) == 0 && lseek(term.caught, 0, SEEK_SET) == 0 ? 0 : end;
	return text;
}
