#include "ui/screen/wrap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/grid/utf8.h"

/* Expands tabs, to every eighth column. */
static char *wrap_expand_tabs(const char *s, size_t n)
{
	char *line = alloc_bytes(n * 8 + 1);
	size_t at = 0;
	for (size_t i = 0; line && i < n; i++) {
		if (s[i] != '\t') {
			line[at++] = s[i];
			continue;
		}
		do
			line[at++] = ' ';
		while (at % 8);
	}
	if (line)
		line[at] = '\0';
	return line;
}

/* Indent in cells of a line's continuation: the start of the line's last column (columns are
 * separated by two blanks), or the line's own indent. */
static unsigned wrap_hanging_indent(const char *line, unsigned cells)
{
	unsigned at = 0, indent = (unsigned)strspn(line, " ");
	for (const char *s = line; *s && at < cells / 2;) {
		const size_t gap = strspn(s, " ");
		uint32_t code;
		if (gap > 1)
			indent = at + (unsigned)gap;
		if (!*(s += gap))
			break;
		at += (unsigned)gap;
		s += utf8_decode(s, strlen(s), &code);
		at += utf8_char_width(code);
	}
	return indent < cells / 2 ? indent : 0;
}

/* If the last column of a line that is too wide has no room, its columns stand two blanks apart. */
static void wrap_close_columns(char *line, unsigned cells)
{
	const size_t own = strspn(line, " ");
	if (utf8_width(line) <= cells || wrap_hanging_indent(line, cells) > own)
		return;
	char *to = line + own;
	for (const char *s = to; *s; s++)
		if (s[0] != ' ' || s[1] != ' ' || s[2] != ' ')
			*to++ = *s;
	*to = '\0';
}

/* Passes a line to add in pieces of at most `cells` cells, cut between words. Takes the line over.
 */
static void break_line(char *line, unsigned cells, void (*add)(void *ctx, char *line), void *ctx)
{
	const unsigned indent = wrap_hanging_indent(line, cells);
	while (utf8_width(line) > cells) {
		const size_t fits = utf8_fit(line, cells), begins = strspn(line, " ");
		size_t cut = fits;
		while (cut > begins && line[cut] != ' ')
			cut--;
		if (cut <= begins)
			cut = fits;
		const char *rest = line + cut + strspn(line + cut, " ");
		if (!*rest || rest == line)
			break;
		char *next = alloc_bytes(indent + strlen(rest) + 1);
		if (!next)
			break;
		memset(next, ' ', indent);
		strcpy(next + indent, rest);
		line[cut] = '\0';
		add(ctx, line);
		line = next;
	}
	add(ctx, line);
}

void wrap_text(const char *text, unsigned cells, void (*add)(void *ctx, char *line), void *ctx)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = wrap_expand_tabs(text, n);
		if (line) {
			wrap_close_columns(line, cells);
			break_line(line, cells, add, ctx);
		}
		text += n + (text[n] == '\n');
	}
}
