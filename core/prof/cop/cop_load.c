/* Loads a microprogram into the co-processor, by writing its registers. */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/defs/config_fields.h"
#include "core/defs/events.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"
#include "core/prof/cop/micro_asm.h"

static bool cop_load_program_fits(const struct config *cfg, const struct micro_image *image,
                                  struct err *err)
{
	if (image->count <= (unsigned)cfg->cop_microcode)
		return true;
	return err_set(err,
	               "the program has %u microinstructions, and the microcode array room for %u: "
	               "-o cop.microcode=%u would do",
	               image->count, (unsigned)cfg->cop_microcode, image->count);
}

struct list {
	struct device_write *at;
	size_t n;
};

static void cop_load_append_write(struct list *l, uint64_t offset, uint64_t value)
{
	l->at[l->n++] = (struct device_write){offset, value};
}

static void cop_load_append_words(struct list *l, uint64_t offset, const uint64_t *values,
                                  unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		cop_load_append_write(l, offset + 8 * i, values[i]);
}

static void put_halves(struct list *l, uint64_t offset, const uint16_t *values, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		cop_load_append_write(l, offset + 8 * i, values[i]);
}

static void cop_load_append_registers(struct list *l, const struct micro_image *image)
{
	cop_load_append_words(l, COP_VALUES, image->v, MICRO_VALUES);
	cop_load_append_words(l, COP_CONSTANTS, image->k, MICRO_VALUES);
	put_halves(l, COP_INDEXES, image->x, MICRO_INDEXES);
	put_halves(l, COP_BASES, image->b, MICRO_BASES);
	put_halves(l, COP_TARGETS, image->t, MICRO_TARGETS);
	put_halves(l, COP_START, image->start, MICRO_CLASSES);
	put_halves(l, COP_FIELDS, image->fields, MICRO_CLASSES);
}

struct device_write *cop_load(const struct config *cfg, const struct micro_image *image, size_t *n,
                              struct err *err)
{
	static const uint16_t first[] = {COP_CONTROL, COP_MASK,   COP_MATCH,
	                                 COP_TABLES,  COP_ENGINE, COP_EVERY};
	static const uint16_t clear[] = {COP_RESUME,     COP_INVALIDATE, COP_CLEAR_DATA,
	                                 COP_CLEAR_HIGH, COP_CLEAR_LOW,  COP_FLUSH};
	const unsigned code = 2 * (unsigned)cfg->cop_microcode,
		       registers = 2 * MICRO_VALUES + MICRO_INDEXES + MICRO_BASES + MICRO_TARGETS +
	                           2 * MICRO_CLASSES;
	if (!cop_load_program_fits(cfg, image, err))
		return NULL;
	struct list l = {alloc_zeroed(sizeof first / sizeof *first + sizeof clear / sizeof *clear +
	                                      registers + code + 2,
	                              sizeof *l.at),
	                 0};
	if (!l.at) {
		err_set(err, "out of memory for a program of the co-processor");
		return NULL;
	}
	for (unsigned i = 0; i < sizeof first / sizeof *first; i++)
		cop_load_append_write(&l, first[i], 0);
	for (unsigned i = 0; i < sizeof clear / sizeof *clear; i++)
		cop_load_append_write(&l, clear[i], 0);
	cop_load_append_registers(&l, image);
	for (unsigned i = 0; i < code; i++)
		cop_load_append_write(&l, COP_CODE + 8 * i,
		                      i / 2 < image->count ? image->words[i / 2].w[i % 2] : 0);
	cop_load_append_write(&l, COP_CLASSES, image->classes);
	cop_load_append_write(&l, COP_CONTROL, COP_RUN | COP_TAG);
	*n = l.n;
	return l.at;
}
