#include "loader/microprogram.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "core/defs/devices.h"
#include "core/machine/machine.h"
#include "core/pipe/pipe.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"

struct microprogram *microprogram_new(const char *text, size_t n, const char *name,
                                      const struct micro_define *defines, unsigned count,
                                      struct micro_mistakes *all, struct err *err)
{
	if (all)
		*all = (struct micro_mistakes){0};
	struct microprogram *p = alloc_zeroed(1, sizeof *p);
	if (p && (p->path = alloc_text(name))) {
		if (micro_assemble_all(text, n, name, defines, count, &p->image, all, err))
			return p;
	} else {
		err_set(err, "out of memory for a microprogram");
	}
	microprogram_free(p);
	return NULL;
}

void microprogram_free(struct microprogram *p)
{
	if (!p)
		return;
	micro_image_free(&p->image);
	free(p->path);
	free(p);
}

/* malloc'd; NULL with errno: ESPIPE if it is no regular file. */
static char *loader_microprogram_read_file(const char *path, size_t *n)
{
	char *text = NULL, block[4096];
	size_t got;
	FILE *from = open_input(path);
	FILE *to = from ? alloc_stream(&text, n) : NULL;
	while (to && (got = fread(block, 1, sizeof block, from)))
		fwrite(block, 1, got, to);
	bool ok = to && !ferror(from);
	int why = errno;
	if (to)
		ok = !fclose(to) && ok;
	if (from)
		fclose(from);
	if (ok)
		return text;
	free(text);
	errno = why;
	return NULL;
}

struct microprogram *microprogram_open(const char *path, const struct micro_define *defines,
                                       unsigned count, struct micro_mistakes *all, struct err *err)
{
	size_t n;
	if (all)
		*all = (struct micro_mistakes){0};
	char *text = loader_microprogram_read_file(path, &n);
	if (!text) {
		err_set(err, "%s: %s", path, open_input_error());
		return NULL;
	}
	struct microprogram *p = microprogram_new(text, n, path, defines, count, all, err);
	free(text);
	return p;
}

bool microprogram_load(const struct microprogram *p, struct machine *m, struct err *err)
{
	size_t n;
	struct prof *d = machine_pipe(m)->prof;
	if (!cop_of(d))
		return err_set(err, "%s: this machine has no co-processor: start with %s", p->path,
		               device_rows[DEVICE_COP].option);
	struct device_write *writes = cop_load(machine_config(m), &p->image, &n, err);
	if (!writes)
		return false;
	prof_write_all(d, DEVICE_COP, writes, n);
	free(writes);
	return true;
}
