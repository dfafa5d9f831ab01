#include "ui/reference/markdown.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

/* True if *s would be read as Markdown syntax. An underscore within a word is not. */
static bool md_needs_escape(const char *text, const char *s, bool cell)
{
	if (*s == '_')
		return s == text || !isalnum((unsigned char)s[-1]) || !isalnum((unsigned char)s[1]);
	return strchr("\\`*[]<>~", *s) || (cell && *s == '|');
}

void md_prose(FILE *f, const char *text, bool cell)
{
	for (const char *s = text; *s; s++) {
		const char *end = *s == '`' ? strchr(s + 1, '`') : NULL;
		if (end) {
			for (; s < end; s++) {
				if (cell && *s == '|')
					fputc('\\', f);
				fputc(*s, f);
			}
			fputc('`', f);
		} else {
			if (md_needs_escape(text, s, cell))
				fputc('\\', f);
			fputc(*s == '\n' && cell ? ' ' : *s, f);
		}
	}
}

void md_paragraph(FILE *f, const char *text)
{
	md_prose(f, text, false);
	fputs("\n\n", f);
}

void md_sentence(FILE *f, const char *text)
{
	fputc(toupper((unsigned char)*text), f);
	md_prose(f, text + 1, false);
	fputs(".\n\n", f);
}

void md_code(FILE *f, const char *text, bool cell)
{
	/* A text with backticks needs a fence of two, and blanks, which are not rendered. */
	const char *fence = strchr(text, '`') ? "``" : "`", *blank = fence[1] ? " " : "";
	fprintf(f, "%s%s", fence, blank);
	for (const char *s = text; *s; s++) {
		if (cell && *s == '|')
			fputc('\\', f);
		fputc(*s, f);
	}
	fprintf(f, "%s%s", blank, fence);
}

void md_heading(FILE *f, int level, const char *text)
{
	fprintf(f, "%.*s ", level, "######");
	md_prose(f, text, false);
	fputs("\n\n", f);
}

void md_fence(FILE *f, const char *language, const char *text)
{
	if (!*text)
		return;
	fprintf(f, "```%s\n", language);
	/* Drop blanks at line ends, which are syntax in Markdown. */
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n"), shown = n;
		while (shown && line[shown - 1] == ' ')
			shown--;
		fprintf(f, "%.*s\n", (int)shown, line);
		line += n + (line[n] == '\n');
	}
	fputs("```\n\n", f);
}

enum line_kind { LINE_NONE, LINE_PROSE, LINE_EXAMPLE };

static enum line_kind line_kind(const char *line, size_t n)
{
	if (strspn(line, " ") >= n)
		return LINE_NONE;
	return strncmp(line, "    ", 4) ? LINE_PROSE : LINE_EXAMPLE;
}

void md_text(FILE *f, const char *language, const char *text)
{
	while (*text) {
		char *part = NULL;
		size_t bytes, n = strcspn(text, "\n");
		enum line_kind kind = line_kind(text, n), next = kind;
		FILE *lines = alloc_stream(&part, &bytes);
		if (!lines)
			return;
		for (; *text && next == kind; n = strcspn(text, "\n"), next = line_kind(text, n)) {
			const char *line = kind == LINE_EXAMPLE ? text + 4 : text;
			fprintf(lines, "%s%.*s", ftell(lines) ? "\n" : "", (int)(text + n - line),
			        line);
			text += n + (text[n] == '\n');
		}
		fclose(lines);
		if (kind == LINE_EXAMPLE && part)
			md_fence(f, language, part);
		else if (kind == LINE_PROSE && part)
			md_paragraph(f, part);
		free(part);
	}
}

void md_table(FILE *f, const char *titles)
{
	fprintf(f, "| ");
	for (const char *s = titles; *s; s++)
		fputs(*s == '|' ? " | " : (char[]){*s, '\0'}, f);
	fputs(" |\n|", f);
	for (const char *s = titles; s; s = strchr(s, '|') ? strchr(s, '|') + 1 : NULL)
		fputs(" --- |", f);
	fputc('\n', f);
}

char *md_anchor(const char *text, char *buf, size_t n)
{
	size_t at = 0;
	for (const char *s = text; *s && at + 1 < n; s++) {
		if (isalnum((unsigned char)*s) || *s == '-' || *s == '_')
			buf[at++] = (char)tolower((unsigned char)*s);
		else if (*s == ' ')
			buf[at++] = '-';
	}
	buf[at] = '\0';
	return buf;
}

void md_link(FILE *f, const char *text, const char *page, const char *heading)
{
	char anchor[128];
	fputc('[', f);
	md_code(f, text, false);
	fprintf(f, "](%s.md", page);
	if (*heading)
		fprintf(f, "#%s", md_anchor(heading, anchor, sizeof anchor));
	fputc(')', f);
}
