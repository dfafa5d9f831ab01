#include "ui/reference/man.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "ui/cli/cli.h"
#include "ui/cli/version.h"

/* Writes text escaped for troff; backticks make bold. */
static void man_write_escaped(FILE *f, const char *text)
{
	bool code = false, line = true;
	for (; *text; text++) {
		if (line && (*text == '.' || *text == '\''))
			fputs("\\&", f);
		line = *text == '\n';
		switch (*text) {
		case '`': fputs((code = !code) ? "\\fB" : "\\fR", f); break;
		case '\\': fputs("\\e", f); break;
		case '-': fputs("\\-", f); break;
		case '\'': fputs("\\(aq", f); break;
		case '~': fputs("\\(ti", f); break;
		case '^': fputs("\\(ha", f); break;
		default: fputc(*text, f);
		}
	}
}

/* Writes paragraphs of a help text: separated by empty lines; lines indented by four blanks are
 * unchanged. */
static void put_paragraphs(FILE *f, const char *text)
{
	bool example = false, gap = false;
	char line[512];
	for (size_t n; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		if (!n) {
			gap = true;
			continue;
		}
		const bool indented = !strncmp(text, "    ", 4);
		if (example && !indented)
			fputs(".fi\n", f);
		if (gap || indented != example)
			fputs(".PP\n", f);
		if (indented && !example)
			fputs(".nf\n", f);
		example = indented, gap = false;
		snprintf(line, sizeof line, "%.*s", (int)n, text);
		man_write_escaped(f, line);
		fputc('\n', f);
	}
	if (example)
		fputs(".fi\n", f);
}

static void put_option(FILE *f, const struct cli_option_text *o)
{
	fputs(".TP\n", f);
	if (o->letter)
		fprintf(f, "\\fB\\-%c\\fR, ", o->letter);
	fputs("\\fB\\-\\-", f);
	man_write_escaped(f, o->name);
	fputs("\\fR", f);
	if (o->arg) {
		fputs(" \\fI", f);
		man_write_escaped(f, o->arg);
		fputs("\\fR", f);
	}
	fprintf(f, "\n%c", toupper((unsigned char)*o->help));
	man_write_escaped(f, o->help + 1);
	fputs(".\n", f);
}

static const char examples[] =
	"Open the screen on a program, with its input:\n\n    cyclops ./prog words.txt "
        "<phrases.txt\n\n"
	"Commands instead of a screen:\n\n    cyclops --batch -e 'tbreak main' -e continue -e "
        "'view pipe' ./prog\n\n"
	"All statistics of a run on a smaller machine:\n\n    cyclops run -o pipe.rob_size=16 "
        "--stats out.json ./prog\n\n"
	"Two machines beside each other:\n\n    cyclops compare classic5 default -- ./prog\n";

void man_put(FILE *f)
{
	struct cli_option_text o;
	fprintf(f, ".TH CYCLOPS 1 \"\" \"cyclops %s\" \"User Commands\"\n", CYCLOPS_VERSION);
	fputs(".SH NAME\ncyclops \\- interactive inspector and stepping debugger of an "
	      "out\\-of\\-order RISC\\-V processor\n.SH SYNOPSIS\n.nf\n",
	      f);
	for (int i = 0; cli_commands[i]; i++) {
		if (!cli_commands[i]->usage)
			continue;
		fputs("\\fBcyclops\\fR ", f);
		man_write_escaped(f, cli_commands[i]->usage);
		fputc('\n', f);
	}
	fputs(".fi\n.SH DESCRIPTION\n", f);
	put_paragraphs(f, "Cyclops runs an RV64GC Linux program, static or dynamic, on a simulated "
	                  "out-of-order processor, and shows the processor "
	                  "at work: cycle by cycle, forwards and backwards, with the reason why "
	                  "each instruction is where it is. The machine "
	                  "carries profiling hardware of five research systems.\n\n"
	                  "The first word is a command, or a program to inspect. What is typed in "
	                  "a session has its own help: `cyclops help`, "
	                  "and the reference below share/doc/cyclops.\n");
	fputs(".SH COMMANDS\n", f);
	for (int i = 0; cli_commands[i]; i++) {
		const struct cli_command *c = cli_commands[i];
		if (!c->usage)
			continue;
		fputs(".SS \"cyclops ", f);
		man_write_escaped(f, c->name);
		fputs("\"\n", f);
		put_paragraphs(f, c->help);
		for (int k = 0; cli_next_option(c, &k, &o);)
			put_option(f, &o);
	}
	fputs(".SH EXIT STATUS\n", f);
	put_paragraphs(f, "That of the program where it ended by itself, and 128 more than the "
	                  "number of a signal that ended it.\n");
	fprintf(f,
	        ".TP\n%d\nA limit ended the run.\n.TP\n%d\nAn error of the command line or of the "
	        "host, or output that could not be written.\n",
	        STATUS_LIMIT, STATUS_ERROR);
	fputs(".TP\n1\nOf \\fB\\-\\-batch\\fR: a command failed.\n.SH "
	      "FILES\n.TP\n\\fI\\(ti/.config/cyclops/init\\fR\n"
	      "Commands that a session runs first.\n.SH EXAMPLES\n",
	      f);
	put_paragraphs(f, examples);
	fputs(".SH SEE ALSO\n.BR gdb (1),\n.BR qemu\\-riscv64 (1)\n", f);
}
