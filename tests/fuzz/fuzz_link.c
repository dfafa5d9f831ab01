/* Links from strangers. Properties: no crash, no leak, no undefined behaviour; an error is one
 * line; a link that is read is written and read again. The input is a fragment if it begins with
 * "1.", else the lines that one packs. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tests/fuzz/hold.h"
#include "ui/link/base64.h"
#include "ui/link/link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* The fragment of these lines, malloc'd. */
static char *fuzz_link_pack(const uint8_t *data, size_t n)
{
	uLongf size = compressBound(n);
	uint8_t *packed = malloc(size);
	char *digits = NULL, *out = NULL;
	hold(packed && compress(packed, &size, data, n) == Z_OK);
	hold((digits = base64_encode(packed, size, true)) != NULL);
	hold((out = malloc(strlen(digits) + 3)) != NULL);
	sprintf(out, "1.%s", digits);
	free(digits);
	free(packed);
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct link l;
	struct err err = {""};
	const bool whole = n > 2 && !memcmp(data, "1.", 2);
	char *fragment = whole ? strndup((const char *)data, n) : fuzz_link_pack(data, n), *again;
	if (link_read(&l, fragment, &err)) {
		/* Longer than a link may be if the input is: then it is refused. */
		if ((again = link_write(&l, &err))) {
			link_deinit(&l);
			hold(link_read(&l, again, &err));
		}
		free(again);
		link_deinit(&l);
	} else {
		hold(*err.msg && !strchr(err.msg, '\n') && !l.text_count && !l.tree);
	}
	free(fragment);
	return 0;
}
