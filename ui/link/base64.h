/* Base64: with '+' and '/' and padding for terminals, with '-' and '_' without it for addresses. */
#ifndef CYCLOPS_UI_LINK_BASE64_H
#define CYCLOPS_UI_LINK_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/* Encodes bytes, malloc'd; `address`: the form for addresses. NULL: out of memory. */
char *base64_encode(const void *bytes, size_t n, bool address);
/* Decodes text[n] of the form for addresses, malloc'd, *size bytes. NULL: *wrong is the place of
 * the first character that can't be there, or n if the text is cut short; or SIZE_MAX: memory is
 * out. */
unsigned char *base64_decode(const char *text, size_t n, size_t *size, size_t *wrong);

#endif
