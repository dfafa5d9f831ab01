#include "ui/sweep/digest.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/host/own_program.h"

uint64_t digest_file(const char *path)
{
	static const size_t BLOCK = 1 << 16;
	struct stat st;
	uint64_t h = hash_text("file");
	FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? alloc_file(path, "rb") : NULL;
	unsigned char *block = f ? alloc_bytes(BLOCK) : NULL;
	if (!block) {
		if (f)
			fclose(f);
		return hash_text("none");
	}
	for (size_t n; (n = fread(block, 1, BLOCK, f));)
		h = hash_bytes(h, block, n);
	free(block);
	fclose(f);
	return h;
}

void digest_build(char text[static DIGEST_TEXT_BYTES])
{
	char self[PATH_MAX];
	own_program_to_run(self, sizeof self);
	snprintf(text, DIGEST_TEXT_BYTES, "%016" PRIx64, digest_file(self));
}
