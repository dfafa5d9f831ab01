/* Writes Markdown as GitHub, pandoc and most others read it: headings whose anchors follow from
 * their text, tables with bars, fenced text. Functions report no errors; the caller checks ferror()
 * in the end. */
#ifndef CYCLOPS_UI_REFERENCE_MARKDOWN_H
#define CYCLOPS_UI_REFERENCE_MARKDOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes a heading, level 1 to 6, between empty lines. */
void md_heading(FILE *f, int level, const char *text);
/* Writes a paragraph of prose. `Words` between backticks are code; all else is escaped. */
void md_paragraph(FILE *f, const char *text);
/* Writes paragraphs of a help text: lines indented by four blanks are an example, which gets a
 * fence. Writes nothing for "". */
void md_text(FILE *f, const char *language, const char *text);
/* Writes a table's text as a paragraph: "an instruction retired" becomes a sentence. */
void md_sentence(FILE *f, const char *text);
/* Writes prose within a line; cell: in a cell of a table. */
void md_prose(FILE *f, const char *text, bool cell);
/* Writes text as code within a line. */
void md_code(FILE *f, const char *text, bool cell);
/* Writes unchanged lines in a fence; nothing for "". */
void md_fence(FILE *f, const char *language, const char *text);
/* Writes the head of a table: titles separated by bars, "name|what it is". The caller writes the
 * rows, `| ` cell ` | ` cell ` |` and a newline. */
void md_table(FILE *f, const char *titles);
/* Computes the anchor of a heading with this text. Returns buf. */
char *md_anchor(const char *text, char *buf, size_t n);
/* [`text`](PAGE.md#anchor of heading) */
void md_link(FILE *f, const char *text, const char *page, const char *heading);

#endif
