/* Reads a microprogram's counters by its .column directives: a row for each entry of the
 * associative array. */
#ifndef CYCLOPS_HWVIEWS_COP_COP_SLOTS_H
#define CYCLOPS_HWVIEWS_COP_COP_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/prof/cop/micro.h"
#include "core/prof/cop/micro_asm.h"

struct slot_value {
	bool known;    /* false: beyond the array, or division by 0 */
	bool ratio;    /* the value is d, else n */
	uint64_t n;
	double d;
};

/* image: the loaded program; column < image->column_count, entry < m->cam_n. */
struct slot_value slot_value(const struct micro *m, const struct micro_image *image,
                             unsigned column, unsigned entry);
bool slot_valid(const struct micro *m, unsigned entry);
/* True if the entry is valid, or its counts are not 0. If the program has no columns in the data
 * array, an entry whose tag is not 0 is used. */
bool slot_used(const struct micro *m, const struct micro_image *image, unsigned entry);
/* True if the word of the data array belongs to the entry in one of the columns. */
bool slot_has_word(const struct micro *m, const struct micro_image *image, unsigned entry,
                   unsigned address);
/* Index of the column of this name, or -1. */
int slot_column(const struct micro_image *image, const char *name);

#endif
