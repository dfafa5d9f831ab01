/* One counter of a component of the sampler's compressor, row by row: `view buckets STAGE
 * ENTRY`. */
#ifndef CYCLOPS_HWVIEWS_SAMPLER_BUCKET_ENTRY_H
#define CYCLOPS_HWVIEWS_SAMPLER_BUCKET_ENTRY_H

#include "hwviews/sampler/sampler_rows.h"

enum {
	BUCKETS_LISTED = 8, /* most entries listed of the hottest, or of tuples of one entry */
	BUCKET_GLYPH = 3,   /* most bytes of a character */
	BUCKET_BAR = 16
};

/* The component whose counters are shown. */
struct buckets {
	const struct session *s;
	const struct sampler *sm;
	const struct prof *d;
	unsigned stage;
	const struct component *part;
	const struct sampler_step *step;
	uint32_t touched; /* entry touched in the cycle just done; UINT32_MAX: none */
	/* [sets], owned by the view of the map; NULL: there is no oracle, or nothing is hashed */
	struct exact_bucket *exact;
};

enum { BUCKET_ENTRY_COLUMNS = 3 };
extern const struct grid_column bucket_entry_columns[BUCKET_ENTRY_COLUMNS];

/* The oracle's bucket number of an entry. */
uint32_t bucket_set_of(const struct buckets *a, uint32_t entry);
/* Initialises g with everything known about one entry. */
void bucket_entry_grid(struct grid *g, const struct buckets *a, uint32_t entry);

#endif
