#include "ui/cli/option_text.h"

#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Columns of the terminal that f writes to; 0: it is none. */
static unsigned option_text_columns(FILE *f)
{
	struct winsize size;
	const int fd = fileno(f);
	return fd >= 0 && isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void option_text_print(FILE *f, const char *left, const char *help)
{
	enum { INDENT = 33, LEAST = 20 };
	const unsigned columns = option_text_columns(f);
	const size_t room = columns > INDENT + LEAST ? columns - INDENT - 1 : SIZE_MAX;
	fprintf(f, "  %-30s ", left);
	if (columns && strlen(left) >= INDENT - 2)
		fprintf(f, "\n%*s", INDENT, "");
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

/* Prints a line of n characters, wrapped to the columns; 0: not. */
static void option_text_print_line(FILE *f, const char *line, size_t n, unsigned columns)
{
	enum { LEAST = 40 };
	const size_t indent = strspn(line, " "), room = columns > LEAST ? columns - 1 : SIZE_MAX;
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

void option_text_head(FILE *f, const char *usage, const char *help)
{
	const unsigned columns = option_text_columns(f);
	char line[1024];
	snprintf(line, sizeof line, "cyclops %s", usage);
	option_text_print_line(f, line, strlen(line), columns);
	for (const char *at = help; *at; at += strcspn(at, "\n"), at += *at == '\n')
		option_text_print_line(f, at, strcspn(at, "\n"), columns);
	fputc('\n', f);
}
