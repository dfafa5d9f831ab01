#include "tests/xprof/random.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tests/diff/random/items.h"
#include "tests/diff/random/layout.h"

const uint64_t random_gp = GP_BASE, random_tp = TP_BASE;

size_t random_text(uint64_t seed, uint8_t *text, size_t n)
{
	struct gen g = {.keep = KEEP_ALWAYS, .xprof = XPROF_ANY, .rng = seed};
	gen_bases(&g);
	emit32(&g.code, enc_csri(OP_CSRRWI, X0, 0, 2)); /* frm */
	gen_items(&g, 60 + gen_below(&g, 100));
	emit32(&g.code, enc_i(OP_ADDI, A0, X0, 0));
	emit32(&g.code, enc_i(OP_ADDI, A7, X0, 93));
	emit32(&g.code, encodings[OP_ECALL].match);
	const size_t size = emit_text_offset(&g.code);
	assert(size <= n);
	memcpy(text, g.code.parcels, size);
	free(g.code.parcels);
	return size;
}
