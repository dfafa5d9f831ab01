#include "ui/cli/option_text.h"

#include <stdint.h>
#include <string.h>

#include "core/host/terminal_size.h"

/* Columns of the terminal that f writes to, or of a page if f is no terminal. */
static unsigned option_text_columns(FILE *f)
{
	enum { PAGE_COLUMNS = 80 };
	const int fd = fileno(f);
	const unsigned width = fd >= 0 ? terminal_size(fd).width : 0;
	return width ? width : PAGE_COLUMNS;
}

void option_text_print(FILE *f, const char *left, const char *help)
{
	enum { INDENT = 33, LEAST = 20 };
	const unsigned columns = option_text_columns(f);
	const size_t room = columns > INDENT + LEAST ? columns - INDENT - 1 : SIZE_MAX;
	if (strlen(left) >= INDENT - 2)
		fprintf(f, "  %s\n%*s", left, INDENT, "");
	else
		fprintf(f, "  %-30s ", left);
	while (strlen(help) > room) {
		size_t n = room;
		while (n && help[n] != ' ')
			n--;
		if (!n) /* a word that is longer than the line */
			n = strcspn(help, " ");
		fprintf(f, "%.*s", (int)n, help);
		help += n + (help[n] == ' ');
		if (*help)
			fprintf(f, "\n%*s", INDENT, "");
	}
	fprintf(f, "%s\n", help);
}

/* Prints a line of n characters, wrapped to the columns; later ones begin at `indent`. */
static void option_text_print_line(FILE *f, const char *line, size_t n, size_t indent,
                                   unsigned columns)
{
	enum { LEAST = 40 };
	const size_t room = columns > LEAST ? columns - 1 : SIZE_MAX;
	size_t used = 0; /* columns before `line` */
	while (used + n > room) {
		size_t cut = room - used;
		while (cut > indent && line[cut] != ' ')
			cut--;
		if (cut <= indent)
			break;
		fprintf(f, "%.*s\n%*s", (int)cut, line, (int)indent, "");
		line += cut + 1;
		n -= cut + 1;
		used = indent;
	}
	fprintf(f, "%.*s\n", (int)n, line);
}

/* Prints the words of a line of prose after `used` columns. Returns the columns used then. */
static size_t option_text_print_words(FILE *f, const char *line, size_t n, size_t used, size_t room)
{
	for (const char *end = line + n; line < end;) {
		const size_t word = strcspn(line, " \n");
		if (used && used + 1 + word > room) {
			fputc('\n', f);
			used = 0;
		}
		fprintf(f, "%s%.*s", used ? " " : "", (int)word, line);
		used += (used != 0) + word;
		line += word + strspn(line + word, " ");
	}
	return used;
}

/* Wraps the paragraphs of a text. Lines that begin with a blank are not joined. */
static void option_text_print_prose(FILE *f, const char *text, unsigned columns)
{
	size_t used = 0;
	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		const size_t n = strcspn(at, "\n");
		if (n && *at != ' ') {
			used = option_text_print_words(f, at, n, used, columns - 1);
			continue;
		}
		if (used)
			fputc('\n', f);
		used = 0;
		option_text_print_line(f, at, n, strspn(at, " "), columns);
	}
	if (used)
		fputc('\n', f);
}

void option_text_usage(FILE *f, const char *before, const char *usage)
{
	char line[1024];
	snprintf(line, sizeof line, "%scyclops %s", before, usage);
	option_text_print_line(f, line, strlen(line), strlen(before) + strlen("cyclops "),
	                       option_text_columns(f));
}

void option_text_head(FILE *f, const char *usage, const char *help)
{
	option_text_usage(f, "", usage);
	option_text_print_prose(f, help, option_text_columns(f));
	fputc('\n', f);
}
