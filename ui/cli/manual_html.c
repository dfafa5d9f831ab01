/* Parses pages with md4c and writes their HTML; pictures stand in the file itself. */
#include "ui/cli/manual_html.h"

#include <ctype.h>
#include <limits.h>
#include <md4c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"

enum { MANUAL_PAGE_MAX = 4 << 20, MANUAL_PICTURE_MAX = 8 << 20, MANUAL_SLUG = 128 };

struct writer {
	FILE *f;
	const char *const *paths, *const *names;
	unsigned count, page; /* page: being written */
	bool head;            /* cells of a table are its head's */
	bool alt;             /* the text is a picture's description */
	bool in_heading;
	char slug[MANUAL_SLUG]; /* of the heading, as on GitHub */
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

/* Reads a whole file; NULL if it can't be read or has more than `most` bytes. */
static char *manual_html_read(const char *path, size_t most, size_t *n)
{
	FILE *f = alloc_file(path, "r");
	char *text = f ? alloc_bytes(most + 1) : NULL;
	*n = text ? fread(text, 1, most + 1, f) : 0;
	if (f)
		fclose(f);
	if (!text || *n > most) {
		free(text);
		return NULL;
	}
	return text;
}

static void manual_html_write_base64(FILE *f, const unsigned char *s, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < n; i += 3) {
		const size_t left = n - i;
		const unsigned second = left > 1 ? s[i + 1] : 0, third = left > 2 ? s[i + 2] : 0,
			       word = (unsigned)s[i] << 16 | second << 8 | third;
		fputc(digits[word >> 18], f);
		fputc(digits[word >> 12 & 63], f);
		fputc(left > 1 ? digits[word >> 6 & 63] : '=', f);
		fputc(left > 2 ? digits[word & 63] : '=', f);
	}
}

/* ---- links and pictures ---- */
/* Path of a link's target, seen from the page that is written; "" if it is too long. */
static void manual_html_path(const struct writer *w, const char *target, size_t n,
                             char out[PATH_MAX])
{
	const char *page = w->paths[w->page], *slash = strrchr(page, '/');
	const int folder = slash ? (int)(slash - page) : 0;
	if (snprintf(out, PATH_MAX, "%.*s/%.*s", folder, page, (int)n, target) >= PATH_MAX)
		*out = '\0';
}

/* Index of the page at this path; symbolic links are resolved. -1: none. */
static int manual_html_page_at(const struct writer *w, const char *path)
{
	char target[PATH_MAX], page[PATH_MAX];
	if (!realpath(path, target))
		return -1;
	for (unsigned i = 0; i < w->count; i++)
		if (realpath(w->paths[i], page) && !strcmp(page, target))
			return (int)i;
	return -1;
}

/* Writes a link's target: for a page or a heading, its anchor in this file; for another file of the
 * tree, its file:// address. */
static void manual_html_write_target(struct writer *w, const char *s, size_t n)
{
	char path[PATH_MAX];
	const char *hash = memchr(s, '#', n);
	const size_t file = hash ? (size_t)(hash - s) : n;
	if (memmem(s, n, "://", 3) || (n > 7 && !strncmp(s, "mailto:", 7))) {
		manual_html_write_escaped(w->f, s, n);
		return;
	}
	manual_html_path(w, s, file, path);
	const int page = file ? manual_html_page_at(w, path) : (int)w->page;
	if (page < 0) {
		fputs("file://", w->f);
		manual_html_write_escaped(w->f, path, strlen(path));
		return;
	}
	fprintf(w->f, "#%s", w->names[page]);
	if (hash) {
		fputc('-', w->f);
		manual_html_write_escaped(w->f, hash + 1, n - file - 1);
	}
}

static void manual_html_write_picture(struct writer *w, const char *s, size_t n)
{
	char path[PATH_MAX];
	size_t bytes;
	manual_html_path(w, s, n, path);
	char *picture = manual_html_read(path, MANUAL_PICTURE_MAX, &bytes);
	const bool png = n > 4 && !strncmp(s + n - 4, ".png", 4);
	fprintf(w->f, "<img src=\"data:image/%s;base64,", png ? "png" : "svg+xml");
	if (picture)
		manual_html_write_base64(w->f, (const unsigned char *)picture, bytes);
	free(picture);
}

/* ---- callbacks ---- */
static const char *manual_html_block_tag(const struct writer *w, MD_BLOCKTYPE type)
{
	switch (type) {
	case MD_BLOCK_QUOTE:
		return "blockquote";
	case MD_BLOCK_UL:
		return "ul";
	case MD_BLOCK_OL:
		return "ol";
	case MD_BLOCK_LI:
		return "li";
	case MD_BLOCK_P:
		return "p";
	case MD_BLOCK_TABLE:
		return "table";
	case MD_BLOCK_TR:
		return "tr";
	case MD_BLOCK_TH:
		return "th";
	case MD_BLOCK_TD:
		return w->head ? "th" : "td";
	case MD_BLOCK_CODE:
		return "pre";
	default:
		return NULL;
	}
}

static int manual_html_enter_block(MD_BLOCKTYPE type, void *detail, void *ctx)
{
	struct writer *w = ctx;
	const char *tag = manual_html_block_tag(w, type);
	if (type == MD_BLOCK_HR) {
		fputs("<hr>\n", w->f);
	} else if (type == MD_BLOCK_H) {
		fprintf(w->f, "<h%u>", ((MD_BLOCK_H_DETAIL *)detail)->level);
		w->in_heading = true;
		w->slug[0] = '\0';
	} else if (type == MD_BLOCK_TH || type == MD_BLOCK_TD) {
		const MD_ALIGN align = ((MD_BLOCK_TD_DETAIL *)detail)->align;
		fprintf(w->f, "<%s%s>", tag, align == MD_ALIGN_RIGHT ? " class=\"r\"" : "");
	} else if (type == MD_BLOCK_OL) {
		fprintf(w->f, "<ol start=\"%u\">\n", ((MD_BLOCK_OL_DETAIL *)detail)->start);
	} else if (tag) {
		fprintf(w->f, "<%s>", tag);
	}
	return 0;
}

static int manual_html_leave_block(MD_BLOCKTYPE type, void *detail, void *ctx)
{
	struct writer *w = ctx;
	const char *tag = manual_html_block_tag(w, type);
	if (type == MD_BLOCK_H) {
		fprintf(w->f, "<a id=\"%s-%s\"></a></h%u>\n", w->names[w->page], w->slug,
		        ((MD_BLOCK_H_DETAIL *)detail)->level);
		w->in_heading = false;
	} else if (tag) {
		fprintf(w->f, "</%s>\n", tag);
	}
	return 0;
}

static const char *manual_html_span_tag(MD_SPANTYPE type)
{
	return type == MD_SPAN_EM       ? "em"
	       : type == MD_SPAN_STRONG ? "b"
	       : type == MD_SPAN_CODE   ? "code"
	       : type == MD_SPAN_DEL    ? "del"
	       : type == MD_SPAN_A      ? "a"
	                                : NULL;
}

static int manual_html_enter_span(MD_SPANTYPE type, void *detail, void *ctx)
{
	struct writer *w = ctx;
	const char *tag = manual_html_span_tag(type);
	if (type == MD_SPAN_IMG) {
		const MD_ATTRIBUTE *src = &((MD_SPAN_IMG_DETAIL *)detail)->src;
		manual_html_write_picture(w, src->text, src->size);
		fputs("\" alt=\"", w->f);
		w->alt = true;
	} else if (type == MD_SPAN_A) {
		const MD_ATTRIBUTE *href = &((MD_SPAN_A_DETAIL *)detail)->href;
		fputs("<a href=\"", w->f);
		manual_html_write_target(w, href->text, href->size);
		fputs("\">", w->f);
	} else if (tag && !w->alt) {
		fprintf(w->f, "<%s>", tag);
	}
	return 0;
}

static int manual_html_leave_span(MD_SPANTYPE type, void *detail, void *ctx)
{
	struct writer *w = ctx;
	const char *tag = manual_html_span_tag(type);
	(void)detail;
	if (type == MD_SPAN_IMG) {
		fputs("\">", w->f);
		w->alt = false;
	} else if (tag && !w->alt) {
		fprintf(w->f, "</%s>", tag);
	}
	return 0;
}

static void manual_html_add_to_slug(struct writer *w, const char *s, size_t n)
{
	size_t used = strlen(w->slug);
	for (; n && used + 1 < sizeof w->slug; n--, s++)
		if (isalnum((unsigned char)*s) || *s == '-' || *s == '_' || *s == ' ')
			w->slug[used++] = *s == ' ' ? '-' : (char)tolower((unsigned char)*s);
	w->slug[used] = '\0';
}

static int manual_html_text(MD_TEXTTYPE type, const MD_CHAR *s, MD_SIZE n, void *ctx)
{
	struct writer *w = ctx;
	if (w->in_heading)
		manual_html_add_to_slug(w, s, n);
	if (type == MD_TEXT_BR)
		fputs(w->alt ? " " : "<br>\n", w->f);
	else if (type == MD_TEXT_SOFTBR)
		fputc('\n', w->f);
	else if (type == MD_TEXT_ENTITY)
		fwrite(s, 1, n, w->f);
	else if (type != MD_TEXT_NULLCHAR)
		manual_html_write_escaped(w->f, s, n);
	return 0;
}

/* HTML in a page is shown as text. */
static bool manual_html_write_page(struct writer *w, const char *path)
{
	static const MD_PARSER parser = {
		.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_NOHTML,
		.enter_block = manual_html_enter_block,
		.leave_block = manual_html_leave_block,
		.enter_span = manual_html_enter_span,
		.leave_span = manual_html_leave_span,
		.text = manual_html_text,
	};
	size_t n;
	char *text = manual_html_read(path, MANUAL_PAGE_MAX, &n);
	const bool ok = text && md_parse(text, (MD_SIZE)n, &parser, w) == 0;
	free(text);
	return ok;
}

static const char manual_html_style[] =
	"nav ul{columns:18em}"
	"body{font:16px/1.5 sans-serif;max-width:62em;margin:2em auto;padding:0 1em}"
	"pre{background:#8882;padding:.7em;overflow-x:auto;font-size:clamp(11px,1.25vw,13px);line-height:1.35}"
	"code{background:#8882;padding:0 .2em}pre code{background:none}"
	"h1,h2,h3,p,li{overflow-wrap:anywhere}"
	"table{border-collapse:collapse;display:block;overflow-x:auto}"
	"td,th{border:1px solid #8886;padding:.2em .6em;text-align:left;vertical-align:top}"
	".r{text-align:right}img{max-width:100%;height:auto}"
	"section{border-top:2px solid #8886;margin-top:3em}"
	"@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}a{color:#8bf}}"
	"@page{margin:12mm}@media print{nav{display:none}section{border:0;margin:0}"
	"section+section{break-before:page}body{font-size:12px;line-height:1.3;max-width:none;margin:0}"
	"pre{font-size:10px;white-space:pre-wrap;overflow-wrap:anywhere}}";

static void manual_html_write_contents(const struct writer *w, const char *const *titles)
{
	fputs("<nav><ul>\n", w->f);
	for (unsigned i = 0; i < w->count; i++) {
		fprintf(w->f, "<li><a href=\"#%s\">", w->names[i]);
		manual_html_write_escaped(w->f, titles[i], strlen(titles[i]));
		fputs("</a></li>\n", w->f);
	}
	fputs("</ul></nav>\n", w->f);
}

bool manual_html(const char *out, const char *const *paths, const char *const *names,
                 const char *const *titles, unsigned count, struct err *err)
{
	struct output_file o;
	bool complete = true;
	if (!output_begin(&o, out, OUTPUT_FILE_REGULAR, err))
		return false;
	struct writer w = {.f = o.f, .paths = paths, .names = names, .count = count};
	fprintf(o.f,
	        "<!doctype html><meta charset=\"utf-8\"><meta name=\"viewport\" "
	        "content=\"width=device-width\"><title>Cyclops</title>\n<style>%s</style>\n",
	        manual_html_style);
	if (count > 1)
		manual_html_write_contents(&w, titles);
	for (w.page = 0; w.page < count; w.page++) {
		fprintf(o.f, "<section id=\"%s\">\n", names[w.page]);
		complete &= manual_html_write_page(&w, paths[w.page]);
		fputs("</section>\n", o.f);
	}
	return output_end(&o, out, err) &&
	       (complete || err_set(err, "%s lacks a page that could not be read", out));
}
