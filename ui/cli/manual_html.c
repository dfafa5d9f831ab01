/* Converts headings, paragraphs, lists, tables, code and links. */
#include "ui/cli/manual_html.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"

struct writer {
	FILE *f;
	const char *const *names;
	unsigned count;
	const char *open; /* the open element, NULL: none */
};

static void manual_html_write_escaped(FILE *f, const char *s, size_t n)
{
	for (; n; n--, s++) {
		const char *as = *s == '<'   ? "&lt;"
		                 : *s == '>' ? "&gt;"
		                 : *s == '&' ? "&amp;"
		                 : *s == '"' ? "&quot;"
		                             : NULL;
		if (as)
			fputs(as, f);
		else
			fputc(*s, f);
	}
}

/* Writes a link's target: for another page its anchor here. */
static void link_target(struct writer *w, const char *s, size_t n)
{
	const char *base = s, *dot = memmem(s, n, ".md", 3);
	for (const char *c = s; dot && c < dot; c++)
		base = *c == '/' ? c + 1 : base;
	for (unsigned i = 0; dot && i < w->count; i++)
		if (strlen(w->names[i]) == (size_t)(dot - base) &&
		    !strncasecmp(w->names[i], base, (size_t)(dot - base))) {
			fprintf(w->f, "#%s", w->names[i]);
			return;
		}
	manual_html_write_escaped(w->f, s, n);
}

static void manual_html_write_inline(struct writer *w, const char *s, size_t n)
{
	for (const char *end = s + n; s < end;) {
		const char *close, *paren;
		const size_t left = (size_t)(end - s);
		if (*s == '`' && (close = memchr(s + 1, '`', left - 1))) {
			fputs("<code>", w->f);
			manual_html_write_escaped(w->f, s + 1, (size_t)(close - s - 1));
			fputs("</code>", w->f);
			s = close + 1;
		} else if (left > 4 && s[0] == '*' && s[1] == '*' &&
		           (close = memmem(s + 2, left - 2, "**", 2))) {
			fputs("<b>", w->f);
			manual_html_write_inline(w, s + 2, (size_t)(close - s - 2));
			fputs("</b>", w->f);
			s = close + 2;
		} else if (*s == '[' && (close = memmem(s, left, "](", 2)) &&
		           (paren = memchr(close, ')', (size_t)(end - close)))) {
			fputs("<a href=\"", w->f);
			link_target(w, close + 2, (size_t)(paren - close - 2));
			fputs("\">", w->f);
			manual_html_write_inline(w, s + 1, (size_t)(close - s - 1));
			fputs("</a>", w->f);
			s = paren + 1;
		} else {
			manual_html_write_escaped(w->f, s++, 1);
		}
	}
}

static void close_open(struct writer *w)
{
	if (w->open)
		fprintf(w->f, "</%s>\n", w->open);
	w->open = NULL;
}

static bool manual_html_open_element(struct writer *w, const char *element)
{
	if (w->open && !strcmp(w->open, element))
		return false;
	close_open(w);
	fprintf(w->f, "<%s>", element);
	w->open = element;
	return true;
}

static void manual_html_write_table_row(struct writer *w, const char *line, size_t n)
{
	if (strspn(line, "|-: ") == n)
		return;
	const bool head = manual_html_open_element(w, "table");
	fputs("<tr>", w->f);
	for (const char *at = line + 1, *end = line + n; at < end;) {
		const char *bar = at;
		while (bar < end && !(*bar == '|' && bar[-1] != '\\'))
			bar++;
		fputs(head ? "<th>" : "<td>", w->f);
		manual_html_write_inline(w, at, (size_t)(bar - at));
		at = bar + 1;
	}
	fputs("</tr>\n", w->f);
}

static void manual_html_write_line(struct writer *w, const char *line, size_t n)
{
	const size_t hashes = strspn(line, "#"), blank = strspn(line, " ");
	const char *text = line + blank;
	const bool item = (*text == '-' || *text == '*') && text[1] == ' ';
	const size_t digits = strspn(text, "0123456789");
	const bool numbered =
		digits && digits < 3 && text[digits] == '.' && text[digits + 1] == ' ';
	if (!n) {
		close_open(w);
	} else if (hashes && hashes < 6 && line[hashes] == ' ') {
		close_open(w);
		fprintf(w->f, "<h%zu>", hashes);
		manual_html_write_inline(w, line + hashes + 1, n - hashes - 1);
		fprintf(w->f, "</h%zu>\n", hashes);
	} else if (*line == '|') {
		manual_html_write_table_row(w, line, n);
	} else if (item || numbered) {
		const size_t skip = blank + (item ? 2 : digits + 2);
		manual_html_open_element(w, item ? "ul" : "ol");
		fputs("<li>", w->f);
		manual_html_write_inline(w, line + skip, n - skip);
		fputc('\n', w->f);
	} else if (blank >= 4 && (!w->open || !strcmp(w->open, "pre"))) {
		manual_html_open_element(w, "pre");
		manual_html_write_escaped(w->f, line + 4, n - 4);
		fputc('\n', w->f);
	} else {
		if (!w->open || !strcmp(w->open, "table") || !strcmp(w->open, "pre"))
			manual_html_open_element(w, "p");
		manual_html_write_inline(w, line, n);
		fputc('\n', w->f);
	}
}

static void manual_html_write_page(struct writer *w, FILE *from)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	bool fenced = false;
	while ((n = alloc_line(&line, &room, from)) >= 0) {
		while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
			line[--n] = '\0';
		if (!strncmp(line, "```", 3)) {
			close_open(w);
			fenced = !fenced;
			fputs(fenced ? "<pre>" : "</pre>\n", w->f);
		} else if (fenced) {
			manual_html_write_escaped(w->f, line, (size_t)n);
			fputc('\n', w->f);
		} else {
			manual_html_write_line(w, line, (size_t)n);
		}
	}
	close_open(w);
	if (fenced)
		fputs("</pre>\n", w->f);
	free(line);
}

bool manual_html(const char *out, const char *const *paths, const char *const *names,
                 const char *const *titles, unsigned count, struct err *err)
{
	struct output_file o;
	if (!output_begin(&o, out, OUTPUT_FILE_REGULAR, err))
		return false;
	struct writer w = {.f = o.f, .names = names, .count = count};
	fputs("<!doctype html><meta "
	      "charset=\"utf-8\"><title>Cyclops</title>\n<style>body{font:16px/1.5 sans-serif;"
	      "max-width:60em;margin:2em auto;padding:0 "
	      "1em}pre{background:#8882;padding:.7em;overflow-x:auto}"
	      "table{border-collapse:collapse}td,th{border:1px solid #8886;padding:.2em "
	      ".6em;text-align:left}"
	      "section{border-top:2px solid #8886;margin-top:3em}</style>\n<nav><ul>\n",
	      o.f);
	for (unsigned i = 0; i < count; i++) {
		fprintf(o.f, "<li><a href=\"#%s\">", names[i]);
		manual_html_write_inline(&w, titles[i], strlen(titles[i]));
		fputs("</a></li>\n", o.f);
	}
	fputs("</ul></nav>\n", o.f);
	for (unsigned i = 0; i < count; i++) {
		FILE *from = alloc_file(paths[i], "r");
		if (!from)
			continue;
		fprintf(o.f, "<section id=\"%s\">\n", names[i]);
		manual_html_write_page(&w, from);
		fputs("</section>\n", o.f);
		fclose(from);
	}
	return output_end(&o, out, err);
}
