/* UTF-8 as a terminal shows it: how many cells a text takes, and where to cut it. */
#ifndef CYCLOPS_HWVIEWS_GRID_UTF8_H
#define CYCLOPS_HWVIEWS_GRID_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the character at s (n bytes left, n > 0) into *code; returns its length in bytes. What is
 * not UTF-8 gives U+FFFD and length 1. */
size_t utf8_decode(const char *s, size_t n, uint32_t *code);
/* Whether a terminal shows it: it is none that a terminal would act on, and not U+FFFD. */
bool utf8_is_shown(uint32_t code);
/* Cells of a terminal that a character takes: 0 (combining), 1 or 2. */
unsigned utf8_char_width(uint32_t code);
/* Cells that a NUL-terminated text takes. */
unsigned utf8_width(const char *s);
/* Bytes of the longest prefix of s that takes at most `cells`. */
size_t utf8_fit(const char *s, unsigned cells);
/* s, or, if that takes more than `cells` and begins with a name and an offset ("multiply_ijk+0x2a
 * bne"), a text in buf that fits, cut in the name ("multi…+0x2a bne"). Other texts are cut at their
 * end by who shows them. */
const char *utf8_shorten(const char *s, unsigned cells, char *buf, size_t n);
/* Copies n bytes of s to out, which has room for 3 * n: characters that a terminal would act on,
 * except those in `keep`, and what is not UTF-8 become U+FFFD. Returns the bytes written; no NUL is
 * added. */
size_t utf8_clean(char *out, const char *s, size_t n, const char *keep);
/* What stands for a character where only ASCII will do. */
char utf8_ascii(uint32_t code);

#endif
