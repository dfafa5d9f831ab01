/* What sampled addresses say of a load: whether it could be made once for all. */
#ifndef CYCLOPS_HWVIEWS_REPORTS_ADDRESS_EVIDENCE_H
#define CYCLOPS_HWVIEWS_REPORTS_ADDRESS_EVIDENCE_H

#include "hwviews/program/code_lines.h"

struct address_evidence {
	/* addresses of this load that were sampled; 0: nobody records them, or none came */
	uint64_t seen;
	bool same;        /* next to all of them were one */
	uint64_t address; /* that one */
	uint64_t stores;  /* samples of stores that wrote to its bytes, and matter: see below */
	uint64_t store;   /* pc of the store that has most of them */
};

/* Of the load at c. Stores count if they lie in one loop with it, or if they write there more often
 * than once in a hundred loads: what fills a structure beforehand hurts nobody. */
struct address_evidence address_evidence(const struct session *s, const struct code *c);

#endif
