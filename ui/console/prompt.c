#include "ui/console/prompt.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "core/base/alloc.h"
#include "core/host/wait_ready.h"
#include "hwviews/grid/grid.h"
#include "ui/console/command_history.h"
#include "ui/console/fatal_signals.h"
#include "ui/console/interrupt.h"
#include "ui/console/stop_commands.h"
#include "ui/render/safe_print.h"
#include "ui/render/terminal.h"

/* ---- completion: readline's callbacks have no context ---- */
static struct console *completing;

/* Returns the next match. The word that console_complete() replaces may begin later than
 * readline's. */
static char *next_match(const char *text, int state)
{
	static unsigned i;
	size_t from = (size_t)rl_point, start = (size_t)rl_point - strlen(text);
	if (!state)
		i = 0;
	char *match = console_complete(completing, rl_line_buffer, (size_t)rl_point, i++, &from);
	if (!match || from <= start)
		return match;
	char *whole = NULL;
	whole = alloc_format("%.*s%s", (int)(from - start), rl_line_buffer + start, match);
	free(match);
	return whole;
}

static char **prompt_complete_word(const char *text, int start, int end)
{
	(void)start;
	(void)end;
	rl_attempted_completion_over = 1;
	char **matches = rl_completion_matches(text, next_match);
	size_t n = matches && matches[0] ? strlen(matches[0]) : 0;
	/* No blank after a folder, a family of statistics, or a file before its line: the word
	 * continues. */
	rl_completion_append_character = n && strchr("/.:", matches[0][n - 1]) ? '\0' : ' ';
	return matches;
}

/* Lets readline complete through console_complete(). */
static void prompt_complete_with(struct console *c)
{
	completing = c;
	rl_readline_name = "cyclops";
	rl_basic_word_break_characters = " \t\n;";
	rl_completer_word_break_characters = " \t\n;";
	rl_attempted_completion_function = prompt_complete_word;
	rl_sort_completion_matches = 0; /* names of libraries are last */
}

/* ---- the loop ---- */
struct progress {
	bool shown;
	struct timespec since;
};

/* Context of the line handler, to which readline passes none. */
static struct {
	struct console *c;
	struct progress progress;
	bool over;
} session;

static bool show_progress(void *ctx, uint64_t cycle)
{
	struct progress *p = ctx;
	struct timespec now;
	char digits[32];
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec - p->since.tv_sec < 1)
		return interrupt_came();
	p->shown = true;
	const char *work = run_work(session.c->session->run);
	fprintf(stderr, "\r%s%s   Ctrl-C stops\033[K", work ? "" : "cycle ",
	        work ? work : group_digits(cycle, digits));
	return interrupt_came();
}

/* readline notes a signal and handles it when it reads next, which is after the command. Handles
 * one that came while readline accepted the line; the terminal stays the command's. */
static void prompt_handle_signal(void)
{
	if (!rl_pending_signal())
		return;
	rl_check_signals(); /* prepares the terminal anew */
	if (rl_deprep_term_function)
		rl_deprep_term_function();
	rl_clear_signals();
}

static void prompt_on_line(char *line)
{
	struct progress *p = &session.progress;
	struct console *c = session.c;
	prompt_handle_signal();
	if (interrupt_taken()) { /* Ctrl-C drops the line that it came with */
		putchar('\n');
		free(line);
		return;
	}
	if (!line && stop_commands_taking(c)) { /* Ctrl-D ends the list, as in gdb */
		putchar('\n');
		line = alloc_text("end");
	}
	if (!line) {
		putchar('\n');
		session.over = true;
		rl_callback_handler_remove();
		return;
	}
	history_append(line);
	p->shown = false;
	clock_gettime(CLOCK_MONOTONIC, &p->since);
	enum command_result r = console_run(c, line);
	free(line);
	if (p->shown)
		fputs("\r\033[K", stderr);
	fflush(stdout);
	if (r == CMD_ERROR)
		say(stderr, "%s\n", c->err.msg);
	interrupt_taken(); /* it stopped the command, and drops no line */
	rl_set_prompt(stop_commands_taking(c) ? "> " : "(cyclops) ");
	if (r == CMD_QUIT) {
		session.over = true;
		rl_callback_handler_remove();
	}
}

/* Ctrl-C at the prompt drops the line, as a shell does. */
static void prompt_discard_line(void)
{
	rl_callback_sigcleanup();
	rl_free_line_state();
	rl_replace_line("", 0);
	putchar('\n');
	rl_on_new_line();
	rl_redisplay();
}

static struct termios terminal_modes; /* modes before readline */
/* readline turns bracketed paste on while it reads */
static bool pastes;

static void give_terminal_back(void)
{
	static const char no_brackets[] = "\033[?2004l\r";
	if (pastes && (RL_ISSTATE(RL_STATE_TERMPREPPED) || ferror(stdout)))
		terminal_write(STDOUT_FILENO, no_brackets, sizeof no_brackets - 1);
	terminal_set_modes(STDIN_FILENO, &terminal_modes);
}

/* The byte that was read for readline; -1: none, -2: end of input. */
static int next_byte = -1;

/* Returns the byte that the loop read. readline needs another one within a character of several
 * bytes or a paste. */
static int prompt_getc(FILE *f)
{
	unsigned char byte;
	ssize_t n;
	const int given = next_byte;
	next_byte = -1;
	if (given != -1)
		return given < 0 ? EOF : given;
	while ((n = read(fileno(f), &byte, 1)) < 0 && errno == EINTR)
		;
	return n == 1 ? byte : EOF;
}

static bool signal_came(void)
{
	return rl_pending_signal() || interrupt_came();
}

/* Waits for a byte and reads it. Returns false if a signal came first. */
static bool prompt_read_byte(void)
{
	unsigned char byte;
	if (!wait_input_unless(STDIN_FILENO, signal_came) || signal_came())
		return false;
	const ssize_t n = read(STDIN_FILENO, &byte, 1);
	if ((n < 0 && errno == EINTR) || signal_came()) /* the byte was typed before the signal */
		return false;
	next_byte = n == 1 ? byte : -2;
	return true;
}

/* Ctrl-C drops the line as typed until then: what is typed after it is another line. */
static void prompt_read_lines(void)
{
	rl_getc_function = prompt_getc;
	rl_num_chars_to_read = INT_MAX; /* no limit, but no reading ahead within a call */
	rl_callback_handler_install("(cyclops) ", prompt_on_line);
	const char *brackets = rl_variable_value("enable-bracketed-paste");
	pastes = isatty(STDOUT_FILENO) && brackets && strcmp(brackets, "on") == 0;
	while (!session.over) {
		if (prompt_read_byte())
			rl_callback_read_char();
		rl_check_signals();
		if (interrupt_taken() && !session.over)
			prompt_discard_line();
	}
}

int prompt_main(struct console *c)
{
	const bool on_terminal = tcgetattr(STDIN_FILENO, &terminal_modes) == 0;
	session.c = c;
	session.over = false;
	history_load();
	prompt_complete_with(c);
	rl_persistent_signal_handlers = 1;
	if (on_terminal)
		fatal_signals_catch(give_terminal_back);
	if (isatty(STDERR_FILENO))
		run_set_progress(c->session->run, show_progress, &session.progress);
	prompt_read_lines();
	if (on_terminal) {
		give_terminal_back(); /* readline has restored it, unless it failed */
		fatal_signals_release();
	}
	run_set_progress(c->session->run, NULL, NULL);
	return 0;
}
