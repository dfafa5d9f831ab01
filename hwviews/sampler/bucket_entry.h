/* One counter of a component of the sampler's compressor, row by row: `view buckets STAGE
 * ENTRY`. */
#ifndef CYCLOPS_HWVIEWS_SAMPLER_BUCKET_ENTRY_H
#define CYCLOPS_HWVIEWS_SAMPLER_BUCKET_ENTRY_H

#include "hwviews/sampler/sampler_rows.h"

enum {
	BUCKETS_LISTED = 8, /* at most, of the hottest, or of tuples of one */
	BUCKET_GLYPH = 3,   /* bytes of a character, at most */
	BUCKET_BAR = 16
};

/* The component whose counters are looked at. */
struct buckets {
	const struct session *s;
	const struct sampler *sm;
	const struct prof *d;
	unsigned stage;
	const struct component *part;
	const struct sampler_step *step;
	uint32_t touched; /* in the cycle just done; UINT32_MAX: none */
	/* [sets], owned by who shows the map; NULL: there is no oracle, or nothing is hashed */
	struct exact_bucket *exact;
};

enum { BUCKET_ENTRY_COLUMNS = 3 };
extern const struct grid_column bucket_entry_columns[BUCKET_ENTRY_COLUMNS];

/* An entry's bucket as the oracle numbers them. */
uint32_t bucket_set_of(const struct buckets *a, uint32_t entry);
/* Initialises g: all that is known of one entry. */
void bucket_entry_grid(struct grid *g, const struct buckets *a, uint32_t entry);

#endif
