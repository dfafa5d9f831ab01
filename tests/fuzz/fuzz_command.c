/* Untrusted command lines, over a real program: parsing, expressions, motions, views. Properties:
 * no crash, no leak, no undefined behaviour, an error always has a message of one line, and views
 * never change the machine. Commands that write or read files or run programs are left out. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/machine.h"
#include "ui/console/command.h"
#include "tests/fuzz/hold.h"

enum { LINES_MAX = 24, LINE_MAX_BYTES = 400, PROGRESS_MAX = 5 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void fuzz_command_drop_text(void *ctx, const char *text, size_t n)
{
	(void)ctx;
	hold(text != NULL || n == 0);
}

static bool fuzz_command_progress_exceeded(void *ctx, uint64_t cycle)
{
	(void)cycle;
	return ++*(unsigned *)ctx > PROGRESS_MAX;
}

/* "!" runs a command of the host, "!=" compares. */
static bool has_shell(const char *line)
{
	for (const char *s = line; (s = strchr(s, '!')); s++)
		if (s[1] != '=')
			return true;
	return strstr(line, "sh");
}

/* Any word of the line may turn out to be a command: after `;`, an alias, display. */
static bool fuzz_command_touches_files(const char *line)
{
	static const char *const words[] = {"save", "restore", "source", "trace", "sav",
	                                    "sa",   "sou",     "so",     "tra",   "rest"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(line, words[i]))
			return true;
	return has_shell(line);
}

static bool fuzz_command_is_read_only(const char *line)
{
	static const char *const words[] = {"print ", "x/",     "info ", "view ",     "why",
	                                    "stats",  "config", "list",  "backtrace", "help"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strncmp(line, words[i], strlen(words[i])) && !strchr(line, ';'))
			return true;
	return false;
}

static bool fuzz_command_run_line(struct console *c, const char *line)
{
	size_t from;
	char *word;
	bool looks = fuzz_command_is_read_only(line);
	uint64_t before = looks ? machine_hash(c->session->machine) : 0;
	enum command_result r = console_run(c, line);
	hold(r != CMD_ERROR || (*c->err.msg && !strchr(c->err.msg, '\n')));
	hold(!looks || machine_hash(c->session->machine) == before);
	for (unsigned i = 0; i < 50 && (word = console_complete(c, line, strlen(line), i, &from));
	     i++) {
		hold(from <= strlen(line));
		free(word);
	}
	return r != CMD_QUIT;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *path = getenv("CYCLOPS_FUZZ_PROGRAM");
	struct session_options o = {.launch = {.path = path ? path : "build/tests/cmd/guest",
	                                       .stdin_fd = -1,
	                                       .output = os_no_output},
	                            .history = {.history = true}};
	struct console c;
	struct err err;
	unsigned calls = 0, lines = 0;
	config_default(&o.cfg);
	struct session *s = session_open(&o, &err);
	hold(s && console_init(&c, s, fuzz_command_drop_text, NULL, &err));
	run_set_progress(s->run, fuzz_command_progress_exceeded, &calls);
	while (n && lines++ < LINES_MAX) {
		char line[LINE_MAX_BYTES + 1];
		const uint8_t *newline = memchr(data, '\n', n);
		size_t whole = newline ? (size_t)(newline - data) : n,
		       len = whole < LINE_MAX_BYTES ? whole : LINE_MAX_BYTES;
		memcpy(line, data, len);
		line[len] = '\0';
		data += whole + (newline != NULL);
		n -= whole + (newline != NULL);
		if (!fuzz_command_touches_files(line) && !fuzz_command_run_line(&c, line))
			break;
	}
	console_deinit(&c);
	session_free(s);
	return 0;
}
