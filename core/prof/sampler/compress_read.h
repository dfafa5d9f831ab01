/* Reading compressors' texts: signs, numbers and words, with errors that name the place. */
#ifndef CYCLOPS_CORE_PROF_SAMPLER_COMPRESS_READ_H
#define CYCLOPS_CORE_PROF_SAMPLER_COMPRESS_READ_H

#include "core/base/err.h"
#include "core/prof/sampler/component.h"

enum { COMPRESS_WORD_MAX = 24, COMPRESS_BITS_MAX = 31, COMPRESS_RATE_MAX = 1 << 30 };

struct compress_reader {
	const char *text, *at;
	struct err *err;
};

/* "at 'x', column 7", "at the end". Returns buf. */
const char *compress_read_place(const struct compress_reader *r, char *buf, size_t n);
void compress_skip_blanks(struct compress_reader *r);
/* False with *r->err. `what`: how the component is written, or the number's name. */
bool compress_read_sign(struct compress_reader *r, char c, const char *what);
bool compress_read_number(struct compress_reader *r, const char *what, uint32_t min, uint32_t max,
                          uint32_t *out);
bool compress_read_hash(struct compress_reader *r, struct component *c);
/* A word, cut to its room; empty if there is none. */
void compress_read_word(struct compress_reader *r, char out[COMPRESS_WORD_MAX]);
/* Skips this sign if it is next; false: it is not. */
bool compress_accept(struct compress_reader *r, char c);

#endif
