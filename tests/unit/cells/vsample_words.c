/* How the value sampler's levels, registers and values are written in views, for tests. */
#include "tests/unit/cells/vsample_words.h"

#include "tests/unit/cells/view_cells.h"

/* ---- words ---- */
const char *level_of(uint64_t at, uint64_t of)
{
	char *out = some_text();
	*out = '\0';
	for (unsigned i = 0; i < WIDTH; i++) {
		const double full = of ? (double)(at < of ? at : of) * WIDTH / (double)of : 0;
		strcat(out, full >= i + 1 || (!i && at) ? "█" : full >= i + 0.5 ? "▌" : "░");
	}
	return out;
}

static const char *vsample_words_format_register(unsigned reg, bool unknown, uint64_t v)
{
	char *out = some_text();
	const int64_t small = (int64_t)v;
	const int n = snprintf(out, 256, "%s ", reg_name(reg));
	char *to = out + n;
	if (unknown) {
		strcpy(to, "?");
	} else if (reg >= 32) {
		double d;
		float f;
		memcpy(&d, &v, sizeof d);
		memcpy(&f, &v, sizeof f);
		snprintf(to, 64, "%.6g", v >> 32 == UINT32_MAX ? (double)f : d);
	} else if (small > -4097 && small < 4096) {
		snprintf(to, 64, "%lld", (long long)small);
	} else if (small < 0 && small >= -(INT64_C(1) << 40)) {
		snprintf(to, 64, "-0x%llx", (ull)-small);
	} else {
		snprintf(to, 64, "0x%llx", (ull)v);
	}
	return out;
}

const char *values_of(const struct look *l, const struct vsample_tuple *t)
{
	char out[512] = "";
	struct inst in;
	inst_decode(t->word, &in);
	const unsigned capture = l->all->capture->fields[in.op],
		       source[3] = {in.rs1, in.rs2, in.rs3};
	for (unsigned i = 0; i < 3; i++)
		if ((capture & VSAMPLE_OPERANDS) && source[i])
			sprintf(out + strlen(out), "%s%s", *out ? ", " : "",
			        vsample_words_format_register(source[i], t->unknown >> i & 1,
			                                      t->operand[i]));
	if ((capture & VSAMPLE_RESULT) && in.rd != REG_SINK)
		sprintf(out + strlen(out), "%s→ %s", *out ? " " : "",
		        vsample_words_format_register(in.rd, t->unknown & VSAMPLE_NO_RESULT,
		                                      t->result));
	if ((capture & VSAMPLE_ADDRESS) &&
	    (op_info[in.op].flags & (OPF_LOAD | OPF_STORE | OPF_ATOMIC)))
		sprintf(out + strlen(out), "%sat %s", *out ? ", " : "",
		        t->unknown & VSAMPLE_NO_ADDRESS ? "?" : addr_of(l->s, t->address));
	if (t->latency)
		sprintf(out + strlen(out), "%s%s%s%u cycle%s", *out ? ", " : "",
		        served_by(t->level), t->level ? ", " : "", t->latency,
		        t->latency == 1 ? "" : "s");
	if (capture & VSAMPLE_CONTEXT) {
		sprintf(out + strlen(out), "%s%s", *out ? ", " : "",
		        vsample_words_format_register(1, t->unknown & VSAMPLE_NO_RA, t->ra));
		sprintf(out + strlen(out), t->unknown & VSAMPLE_NO_TOP ? ", top ?" : ", top 0x%llx",
		        (ull)t->top);
	}
	assert_true(strlen(out) < 256);
	return strcpy(some_text(), out);
}
