/* Microprograms as text: the assembler, and listings.
 *
 * One microinstruction a line, its operations separated by `|`; `#` begins a comment, `name:` is a
 * label, and lines that begin with a dot are directives (micro_directives). `cyclops help
 * microcode` explains all of it; demos/microcode has programs.
 *
 * An image is an assembled text: all that the engine and the filters need, and names and source for
 * display. */
#ifndef CYCLOPS_CORE_PROF_COP_MICRO_ASM_H
#define CYCLOPS_CORE_PROF_COP_MICRO_ASM_H

#include <stddef.h>

#include "core/base/err.h"
#include "core/prof/cop/micro_image.h"

/* n bytes of text; file is its name in messages. False with *err, which has the first mistake and
 * the number of others, and *out untouched. *all, unless NULL, is overwritten with all mistakes:
 * none on success. */
bool micro_assemble_all(const char *text, size_t n, const char *file,
                        const struct micro_define *defines, unsigned define_count,
                        struct micro_image *out, struct micro_mistakes *all, struct err *err);
void micro_mistakes_free(struct micro_mistakes *all);
/* The same without *all. */
bool micro_assemble(const char *text, size_t n, const char *file,
                    const struct micro_define *defines, unsigned define_count,
                    struct micro_image *out, struct err *err);
/* Accepts an image that is all zeros. */
void micro_image_free(struct micro_image *image);

/* Loads an image into an engine: microcode, start table, registers; clears the rest of the
 * microcode and empties the pipeline. False with *err if it doesn't fit. Arrays are not touched. */
bool micro_load(struct micro *m, const struct micro_image *image, struct err *err);

/* The label of an address, NULL if it has none. */
const char *micro_label_at(const struct micro_image *image, unsigned at);
/* micro_disassemble() of one of the image's words, with its labels in place of offsets and its
 * names in place of registers. Returns buf. */
char *micro_text(const struct micro_image *image, unsigned at, char *buf, size_t n);
/* The same for a word that need not be the image's; image may be NULL: no names. */
char *micro_text_of(const struct micro_image *image, struct micro_word w, unsigned at, char *buf,
                    size_t n);

/* Directives, for help. */
struct micro_directive {
	const char *name, *usage, *help;
};
extern const struct micro_directive micro_directives[];
extern const unsigned micro_directive_count;

#endif
