/* Reads what a microprogram has counted, by its .column directives: a row for each entry of the
 * associative array. */
#ifndef CYCLOPS_HWVIEWS_COP_COP_SLOTS_H
#define CYCLOPS_HWVIEWS_COP_COP_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/prof/cop/micro.h"
#include "core/prof/cop/micro_asm.h"

struct slot_value {
	bool known;    /* false: beyond the array, or divided by 0 */
	bool ratio;    /* it is d, else n */
	uint64_t n;
	double d;
};

/* image: of the program that is loaded; column < image->column_count, entry < m->cam_n. */
struct slot_value slot_value(const struct micro *m, const struct micro_image *image,
                             unsigned column, unsigned entry);
bool slot_valid(const struct micro *m, unsigned entry);
/* Valid, or it was, and its counts are still in the data array. Of programs that keep none there:
 * it has bits. */
bool slot_used(const struct micro *m, const struct micro_image *image, unsigned entry);
/* Whether a word of the data array belongs to the entry in one of the columns. */
bool slot_has_word(const struct micro *m, const struct micro_image *image, unsigned entry,
                   unsigned address);
/* Number of the column of this name; -1: there is none. */
int slot_column(const struct micro_image *image, const char *name);

#endif
