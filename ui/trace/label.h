/* Labels of instructions, formatted once for each place and encoding: "find+0x10: addi a0,a0,1". */
#ifndef CYCLOPS_UI_TRACE_LABEL_H
#define CYCLOPS_UI_TRACE_LABEL_H

#include <stdbool.h>

#include "core/pipe/pipe.h"
#include "hwviews/session/session.h"

enum { LABEL_BYTES_MAX = 2560 };

struct label {
	uint64_t pc;
	struct inst inst;
	uint16_t prefix_len;
	uint8_t profile_type;
	uint32_t bytes; /* of the text, 0: empty entry */
	char *text;     /* owned */
};

struct labels {
	struct label *kept;       /* owned; direct-mapped cache by pc */
	const struct session *s;  /* borrowed */
	bool json;                /* as JSON strings, quotes included */
};

bool labels_init(struct labels *l, const struct session *s, bool json);
void labels_deinit(struct labels *l);
/* Puts u's label, at most LABEL_BYTES_MAX bytes, at `at`; returns its end. */
char *labels_put(struct labels *l, const struct uop *u, char *at);

#endif
