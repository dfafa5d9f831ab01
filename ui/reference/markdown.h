/* Writing Markdown as GitHub, pandoc and most others read it: headings whose anchors follow from
 * their text, tables with bars, fenced text. Nothing here fails; who has the stream looks at
 * ferror() in the end. */
#ifndef CYCLOPS_UI_REFERENCE_MARKDOWN_H
#define CYCLOPS_UI_REFERENCE_MARKDOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A heading on a line of its own, level 1 to 6, between empty lines. */
void md_heading(FILE *f, int level, const char *text);
/* A paragraph of prose. `Words` between backticks are code; all else stands as it is written. */
void md_paragraph(FILE *f, const char *text);
/* Paragraphs as help texts have them: lines indented by four blanks are an example, which gets a
 * fence. "" is nothing at all. */
void md_text(FILE *f, const char *language, const char *text);
/* A paragraph from what a table says: "an instruction retired" becomes a sentence. */
void md_sentence(FILE *f, const char *text);
/* Prose as part of a line; in a cell of a table, or elsewhere. */
void md_prose(FILE *f, const char *text, bool cell);
/* Text as code in a line. */
void md_code(FILE *f, const char *text, bool cell);
/* Lines as they are, in a fence; "" is nothing at all. */
void md_fence(FILE *f, const char *language, const char *text);
/* The head of a table: titles separated by bars, "name|what it is". Rows are `| ` cell ` | ` cell `
 * |` and a line's end. */
void md_table(FILE *f, const char *titles);
/* The anchor of a heading with this text. Returns buf. */
char *md_anchor(const char *text, char *buf, size_t n);
/* [`text`](PAGE.md#anchor of heading) */
void md_link(FILE *f, const char *text, const char *page, const char *heading);

#endif
