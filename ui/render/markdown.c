#include "ui/render/markdown.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "core/host/terminal_size.h"
#include "hwviews/grid/utf8.h"
#include "ui/child/child_words.h"
#include "ui/render/safe_print.h"

enum { COLUMNS_MAX = 16, WIDTH_MAX = 100, WIDTH_MIN = 40, PAGE_MAX = 4 << 20 };
#define BOLD "\033[1m"
#define UNDERLINED "\033[4m"
#define PLAIN "\033[0m"

struct page {
	FILE *f;
	unsigned width;
	bool styled;
};

/* ---- words ---- */
/* Styles each word separately: a line may be broken after any word. */
static void put_styled(FILE *out, const char *look, const char *s, size_t n)
{
	bool open = false;
	for (size_t i = 0; i < n; i++) {
		const bool blank = isspace((unsigned char)s[i]);
		if (blank == open && *look)
			fputs(open ? PLAIN : look, out), open = !open;
		if (blank)
			putc(' ', out);
		else if ((unsigned char)s[i] >= ' ' && s[i] != 127)
			putc(s[i], out);
	}
	if (open && *look)
		fputs(PLAIN, out);
}

/* Finds the end of a span between two marks that begins at s; NULL: s begins none. */
static const char *markdown_find_span_end(const char *s, const char *end, const char *mark)
{
	const size_t n = strlen(mark);
	if ((size_t)(end - s) <= 2 * n || strncmp(s, mark, n) != 0 || isspace((unsigned char)s[n]))
		return NULL;
	return memmem(s + n + 1, (size_t)(end - s) - n - 1, mark, n);
}

/* Parses [TEXT](TARGET) at s. Returns its end and sets TEXT; NULL: s begins none. */
static const char *link_at(const char *s, const char *end, const char **text, size_t *n)
{
	const char *close = *s == '[' ? memchr(s, ']', (size_t)(end - s)) : NULL;
	const char *paren = close && close + 1 < end && close[1] == '('
	                            ? memchr(close, ')', (size_t)(end - close))
	                            : NULL;
	*text = s + 1;
	*n = close ? (size_t)(close - s) - 1 : 0;
	return paren ? paren + 1 : NULL;
}

static void inline_text(const struct page *p, const char *s, size_t length, FILE *out)
{
	const char *const bold = p->styled ? BOLD : "", *const under = p->styled ? UNDERLINED : "";
	for (const char *end = s + length, *c, *text; s < end;) {
		size_t n;
		if ((c = markdown_find_span_end(s, end, "`"))) {
			put_styled(out, bold, s + 1, (size_t)(c - s) - 1);
			s = c + 1;
		} else if ((c = markdown_find_span_end(s, end, "**"))) {
			put_styled(out, bold, s + 2, (size_t)(c - s) - 2);
			s = c + 2;
		} else if ((c = markdown_find_span_end(s, end, "*"))) {
			put_styled(out, under, s + 1, (size_t)(c - s) - 1);
			s = c + 1;
		} else if (*s == '!' && s + 1 < end && (c = link_at(s + 1, end, &text, &n))) {
			fputs("(picture: ", out);
			put_styled(out, "", text, n);
			putc(')', out);
			s = c;
		} else if ((c = link_at(s, end, &text, &n))) {
			inline_text(p, text, n, out);
			s = c;
		} else {
			s += *s == '\\' && s + 1 < end && ispunct((unsigned char)s[1]);
			put_styled(out, "", s++, 1);
		}
	}
}

/* malloc'd */
static char *markdown_render_inline(const struct page *p, const char *s, size_t n)
{
	char *out = NULL;
	size_t size;
	FILE *f = alloc_stream(&out, &size);
	if (!f)
		return NULL;
	inline_text(p, s, n, f);
	return fclose(f) ? free(out), NULL : out;
}

/* Cells that text takes, without its styling. */
static unsigned markdown_cell_width(const char *s, size_t n)
{
	char *bare = alloc_bytes(n + 1);
	size_t k = 0;
	for (size_t i = 0; bare && i < n; i++) {
		if (s[i] == '\033')
			while (i + 1 < n && s[++i] != 'm')
				;
		else
			bare[k++] = s[i];
	}
	if (!bare)
		return 0;
	bare[k] = '\0';
	const unsigned width = (unsigned)utf8_width(bare);
	free(bare);
	return width;
}

/* Takes the next line of at most `width` cells, but at least a word, off *at. Returns its length.
 */
static size_t markdown_wrap_next_line(const char **at, unsigned width, const char **line)
{
	const char *s = *at + strspn(*at, " ");
	size_t end = 0;
	*line = s;
	for (size_t next = 0; s[next];) {
		next += strspn(s + next, " ");
		next += strcspn(s + next, " ");
		if (end && markdown_cell_width(s, next) > width)
			break;
		end = next;
	}
	*at = s + end;
	return end;
}

static void markdown_print_wrapped(const struct page *p, const char *text, const char *first,
                                   const char *others)
{
	const unsigned indent = (unsigned)utf8_width(first);
	const char *line, *at = text;
	for (size_t n; (n = markdown_wrap_next_line(&at, p->width - indent, &line)); first = others)
		fprintf(p->f, "%s%.*s\n", first, (int)n, line);
}

/* ---- tables ---- */
struct table {
	char **cell; /* owned; [rows * columns] */
	unsigned rows, columns;
	bool right[COLUMNS_MAX];
};

static bool is_rule(const char *line)
{
	return *line == '|' && line[strspn(line, "|-: \t")] == '\0' && strchr(line, '-');
}

static void markdown_add_table_row(const struct page *p, struct table *t, char *line)
{
	const bool rule = is_rule(line);
	unsigned column = 0;
	if (!rule) {
		char **more = alloc_resize(t->cell, (t->rows + 1) * COLUMNS_MAX * sizeof *more);
		if (!more)
			return;
		t->cell = more;
		memset(&more[t->rows * COLUMNS_MAX], 0, COLUMNS_MAX * sizeof *more);
	}
	for (char *s = line + 1; *s && column < COLUMNS_MAX; column++) {
		size_t n = 0;
		bool code = false;
		for (; s[n] && (s[n] != '|' || code); n++) {
			code ^= s[n] == '`';
			n += s[n] == '\\' && s[n + 1];
		}
		char *next = s[n] ? s + n + 1 : s + n;
		if (!*next && !s[n] && s[strspn(s, " \t")] == '\0')
			break;
		while (n && isspace((unsigned char)*s))
			s++, n--;
		while (n && isspace((unsigned char)s[n - 1]))
			n--;
		if (rule)
			t->right[column] = n && s[n - 1] == ':';
		else
			t->cell[t->rows * COLUMNS_MAX + column] = markdown_render_inline(p, s, n);
		s = next;
	}
	t->columns = column > t->columns ? column : t->columns;
	t->rows += !rule;
}

/* Makes columns as wide as their contents, then narrows the widest until all fit. */
static void table_widths(const struct page *p, const struct table *t, unsigned width[COLUMNS_MAX])
{
	unsigned sum = 0;
	for (unsigned c = 0; c < t->columns; c++) {
		width[c] = 1;
		for (unsigned r = 0; r < t->rows; r++) {
			const char *s = t->cell[r * COLUMNS_MAX + c];
			const unsigned n = s ? markdown_cell_width(s, strlen(s)) : 0;
			width[c] = n > width[c] ? n : width[c];
		}
		sum += width[c] + 2;
	}
	while (sum > p->width + 2) {
		unsigned most = 0;
		for (unsigned c = 1; c < t->columns; c++)
			most = width[c] > width[most] ? c : most;
		if (width[most] < 6)
			return;
		width[most]--;
		sum--;
	}
}

static void markdown_print_table_row(const struct page *p, const struct table *t, unsigned r,
                                     const unsigned *width)
{
	const char *at[COLUMNS_MAX];
	bool more = true;
	for (unsigned c = 0; c < t->columns; c++)
		at[c] = t->cell[r * COLUMNS_MAX + c] ? t->cell[r * COLUMNS_MAX + c] : "";
	while (more) {
		unsigned blank = 0;
		more = false;
		for (unsigned c = 0; c < t->columns; c++) {
			const char *line;
			const size_t n = markdown_wrap_next_line(&at[c], width[c], &line);
			const unsigned used = markdown_cell_width(line, n),
				       pad = used < width[c] ? width[c] - used : 0;
			more |= at[c][strspn(at[c], " ")] != '\0';
			if (n)
				fprintf(p->f, "%*s%.*s", (int)(blank + (t->right[c] ? pad : 0)), "",
				        (int)n, line);
			blank = (n ? (t->right[c] ? 0 : pad) : blank + width[c]) + 2;
		}
		putc('\n', p->f);
	}
}

static void markdown_print_table(const struct page *p, struct table *t)
{
	unsigned width[COLUMNS_MAX];
	if (t->rows) {
		table_widths(p, t, width);
		for (unsigned r = 0; r < t->rows; r++) {
			markdown_print_table_row(p, t, r, width);
			for (unsigned c = 0; !r && c < t->columns; c++) {
				for (unsigned i = 0; i < width[c]; i++)
					putc('-', p->f);
				fputs(c + 1 < t->columns ? "  " : "\n", p->f);
			}
		}
	}
	for (unsigned i = 0; i < t->rows * COLUMNS_MAX; i++)
		free(t->cell[i]);
	free(t->cell);
	*t = (struct table){0};
}

/* ---- lines ---- */
struct reading {
	struct table table;
	char *text;                 /* of the current paragraph; owned, "" if none */
	char first[16], others[16]; /* prefixes of the first and the other lines */
	bool code;
};

static void end_block(const struct page *p, struct reading *r)
{
	char *text = *r->text ? markdown_render_inline(p, r->text, strlen(r->text)) : NULL;
	if (text)
		markdown_print_wrapped(p, text, r->first, r->others);
	free(text);
	*r->text = r->first[0] = r->others[0] = '\0';
	markdown_print_table(p, &r->table);
}

static void markdown_print_heading(const struct page *p, const char *line)
{
	const size_t level = strspn(line, "#");
	char *text = markdown_render_inline(p, line + level + strspn(line + level, " "),
	                                    strlen(line + level + strspn(line + level, " ")));
	if (!text)
		return;
	fprintf(p->f, "%s%s%s\n", p->styled ? BOLD : "", text, p->styled ? PLAIN : "");
	for (unsigned i = markdown_cell_width(text, strlen(text)); i && level < 3; i--)
		putc(level == 1 ? '=' : '-', p->f);
	if (level < 3)
		putc('\n', p->f);
	free(text);
}

/* Length of "- " or "12. " at the beginning of s; 0: none. */
static size_t markdown_bullet_length(const char *s)
{
	const size_t digits = strspn(s, "0123456789");
	if ((*s == '-' || *s == '*' || *s == '>') && s[1] == ' ')
		return 2;
	return digits && digits < 4 && s[digits] == '.' && s[digits + 1] == ' ' ? digits + 2 : 0;
}

static void markdown_append_words(struct reading *r, const char *s)
{
	strcat(strcat(r->text, *r->text ? " " : ""), s);
}

static void markdown_render_line(const struct page *p, struct reading *r, char *line)
{
	char *s = line + strspn(line, " \t");
	const size_t indent = (size_t)(s - line), mark = markdown_bullet_length(s);
	if (!strncmp(s, "```", 3)) {
		end_block(p, r);
		r->code = !r->code;
	} else if (r->code || (indent >= 4 && *s && !*r->text)) {
		const char *text = r->code ? line : line + 4;
		markdown_print_table(p, &r->table);
		fputs("    ", p->f);
		say_text(p->f, text, strlen(text));
		putc('\n', p->f);
	} else if (!*s) {
		end_block(p, r);
		putc('\n', p->f);
	} else if (*s == '#') {
		end_block(p, r);
		markdown_print_heading(p, s);
	} else if (*s == '|') {
		if (*r->text)
			end_block(p, r);
		markdown_add_table_row(p, &r->table, s);
	} else if (mark && !(*s == '>' && r->first[0] == '>')) {
		end_block(p, r);
		snprintf(r->first, sizeof r->first, "%*s%.*s", (int)(indent < 8 ? indent : 8), "",
		         (int)mark, s);
		snprintf(r->others, sizeof r->others, "%*s",
		         (int)((indent < 8 ? indent : 8) + mark), "");
		markdown_append_words(r, s + mark);
	} else if (mark) {
		markdown_append_words(r, s + mark);
	} else {
		markdown_append_words(r, s);
	}
}

void markdown_text(const char *page, unsigned width, bool styled, FILE *f)
{
	const struct page p = {f, width < WIDTH_MIN ? WIDTH_MIN : width, styled};
	const size_t n = strlen(page);
	char *copy = alloc_text(page), *at = copy, *line;
	/* Joining a paragraph's lines puts a blank in place of each line end. */
	struct reading r = {.text = alloc_zeroed(1, n + 2)};
	while (copy && r.text && (line = strsep(&at, "\n")) && (at || *line)) {
		line[strcspn(line, "\r")] = '\0';
		markdown_render_line(&p, &r, line);
	}
	if (r.text)
		end_block(&p, &r);
	free(r.text);
	free(copy);
}

/* ---- showing ---- */
static char *markdown_read_page(const char *path)
{
	FILE *f = open_input(path);
	char *text = f ? alloc_bytes(PAGE_MAX + 1) : NULL;
	const size_t n = text ? fread(text, 1, PAGE_MAX, f) : 0;
	if (!f) {
		say_error("%s: %s", path, open_input_error());
		return NULL;
	}
	fclose(f);
	if (text)
		text[n] = '\0';
	else
		say_error("out of memory");
	return text;
}

/* Starts PAGER, a command line for the shell, or else the first pager found. */
static bool pager_start(int input, pid_t *pid)
{
	static const char *const found[] = {"less", "more", "cat"};
	const char *own = getenv("PAGER");
	char path[PATH_MAX];
	struct child_words w;
	child_words_init(&w);
	if (own && *own) {
		child_word(&w, "/bin/sh");
		child_word(&w, "-c");
		child_word(&w, "exec $PAGER");
	}
	for (size_t i = 0; i < sizeof found / sizeof *found && !w.count; i++)
		if (child_program(found[i], path, sizeof path))
			child_word(&w, path);
	setenv("LESS", "-FRX -Ps?eq goes on:Space reads on, q goes on.$", 0);
	const bool ok = child_start(&w, &(struct child_way){.input = input}, pid, NULL);
	child_words_deinit(&w);
	return ok;
}

static bool through_pager(const char *text, unsigned width)
{
	int fd[2];
	pid_t pid;
	if (pipe2(fd, O_CLOEXEC) != 0)
		return false;
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	const bool begun = pager_start(fd[0], &pid);
	close(fd[0]);
	FILE *f = begun ? alloc_file_of(fd[1], "w") : NULL;
	if (f) {
		const char *term = getenv("TERM");
		markdown_text(text, width, term && strcmp(term, "dumb") != 0, f);
		fclose(f);
	} else {
		close(fd[1]);
	}
	if (begun)
		child_wait(pid);
	signal(SIGPIPE, before);
	return f;
}

int markdown_show(const char *path)
{
	char *text = markdown_read_page(path);
	if (!text)
		return 125;
	const bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	const unsigned columns = terminal ? terminal_size(STDOUT_FILENO).width : 0;
	const unsigned width = columns ? columns : 80;
	if (!terminal || !through_pager(text, width < WIDTH_MAX ? width : WIDTH_MAX))
		say_text(stdout, text, strlen(text));
	free(text);
	return 0;
}

/* EDITOR is a command line for the shell. */
int markdown_edit(const char *path)
{
	struct child_words w;
	struct err err;
	if (!isatty(STDIN_FILENO))
		return say_error("%s: there is no terminal to edit it on", path);
	child_words_init(&w);
	child_word(&w, "/bin/sh");
	child_word(&w, "-c");
	child_word(&w, "exec ${EDITOR:-vi} \"$0\"");
	child_file(&w, path);
	const int status = child_run(&w, NULL, &err);
	child_words_deinit(&w);
	return status < 0 ? say_error("%s", err.msg) : status;
}
