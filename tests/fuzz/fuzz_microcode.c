/* Untrusted microprograms. Properties: no crash, no leak, no undefined behaviour; an error is one
 * line that names the file; an assembled program is canonical, and its listing assembles to the
 * same words. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/prof/cop/micro_asm.h"
#include "core/prof/cop/micro_code.h"
#include "tests/fuzz/hold.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void try_word(struct micro_word w)
{
	char text[MICRO_TEXT_MAX + 8];
	struct micro_image again;
	struct err err;
	micro_disassemble(w, text, MICRO_TEXT_MAX);
	strcat(text, "\ndone");
	hold(micro_assemble(text, strlen(text), "again", NULL, 0, &again, &err));
	hold(!memcmp(again.words, &w, sizeof w));
	micro_image_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct micro_image image;
	struct err err = {""};
	if (!micro_assemble((const char *)data, n, "fuzz", NULL, 0, &image, &err)) {
		hold(!strncmp(err.msg, "fuzz:", 5) && !strchr(err.msg, '\n'));
		return 0;
	}
	for (unsigned i = 0; i < image.count && i < 64; i++)
		try_word(image.words[i]);
	micro_image_free(&image);
	return 0;
}
