/* UTF-8 as a terminal shows it: widths of texts, and where to cut them. */
#ifndef CYCLOPS_HWVIEWS_GRID_UTF8_H
#define CYCLOPS_HWVIEWS_GRID_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the character at s (n bytes left, n > 0) into *code; returns its length in bytes. Invalid
 * UTF-8 gives U+FFFD and length 1. */
size_t utf8_decode(const char *s, size_t n, uint32_t *code);
/* True for a character that a terminal shows, false for control characters and U+FFFD. */
bool utf8_is_shown(uint32_t code);
/* Cells of a terminal that a character takes: 0 (combining), 1 or 2. */
unsigned utf8_char_width(uint32_t code);
/* Cells that a NUL-terminated text takes. */
unsigned utf8_width(const char *s);
/* Bytes of the longest prefix of s that takes at most `cells`. */
size_t utf8_fit(const char *s, unsigned cells);
/* Like utf8_fit(), but never cuts a number, which would read as another number. */
size_t utf8_fit_text(const char *s, unsigned cells);
/* Returns s if it fits `cells`. Else writes a fitting text to buf and returns that: of a name with
 * an offset ("multiply_ijk+0x2a bne") one cut in the name ("multi…+0x2a bne"), of a number a
 * rounded one (3,000,000: "3.00 M"). Callers cut other texts at their end (utf8_fit_text()). */
const char *utf8_shorten(const char *s, unsigned cells, char *buf, size_t n);
/* True if s is a hexadecimal number and nothing else. */
bool utf8_is_hex(const char *s);
/* Copies n bytes of s to out, which has room for 3 * n. Characters that a terminal would act on,
 * except those in `keep`, and invalid UTF-8 become U+FFFD. Returns the bytes written; no NUL is
 * added. */
size_t utf8_clean(char *out, const char *s, size_t n, const char *keep);
/* A replacement for a character where only ASCII is possible. */
char utf8_ascii(uint32_t code);

#endif
