/* A box of the picture of the machine: what its row must show. */
#include "tests/unit/cells/machine_boxes.h"

#include "core/prof/cop/cop.h"
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/values/vsample.h"

const char *const blamed[SLOT_COUNT + 1] = {"predictor",
                                            "predictor",
                                            "load/store queue",
                                            "load/store queue",
                                            "decode",
                                            "ITLB",
                                            "L1I",
                                            "L1I",
                                            "BTB",
                                            "L1I",
                                            "fetch",
                                            "fetch",
                                            "fetch",
                                            "fetch queue",
                                            "decode",
                                            "profile flags",
                                            "profile flags",
                                            "block table",
                                            "int",
                                            "imuldiv",
                                            "fadd",
                                            "fmuldiv",
                                            "mem",
                                            "div",
                                            "issue queue",
                                            "issue queue",
                                            "reorder buffer",
                                            "int",
                                            "imuldiv",
                                            "fadd",
                                            "fmuldiv",
                                            "decode",
                                            "load/store queue",
                                            "load/store queue",
                                            "DTLB",
                                            "L1D",
                                            "L2",
                                            "L2",
                                            "memory",
                                            "bus",
                                            "miss registers",
                                            "write buffer",
                                            "decode",
                                            "firmware",
                                            "value sampler",
                                            "predictor"};
unsigned lost_told;
uint64_t lost_slots;         /* of the cycle just done */
uint64_t wait_for_registers; /* misses, in all cycles looked at */
uint64_t lost_to_l2;         /* slots, likewise */

void read_box(struct cells *c, const struct session *s, const char *name, const char *view,
              struct told t)
{
	const struct pipe *p = pipe_of(s);
	char bar[100] = "";
	const struct grid_row *row = cells_row(c);
	says(c, "box", "%s", name);
	if (t.counted)
		says_uint(c, "occupancy", t.held);
	else
		says_nothing(c, "occupancy");
	if (t.size)
		says_uint(c, "size", t.size);
	else
		says_nothing(c, "size");
	for (int k = 0;
	     t.counted && t.size && k < (int)((double)t.held / (double)t.size * 24 + 0.5); k++)
		strcat(bar, "█");
	says(c, "bar", "%s", bar);
	if (t.counted || t.device)
		says_uint(c, "busy", t.busy);
	else
		says_nothing(c, "busy");
	if (lost_slots && !strcmp(blamed[p->st->slot_row], name)) {
		lost_told++;
		says_uint(c, "lost", lost_slots);
	} else {
		says_nothing(c, "lost");
	}
	says(c, "stalled_by", "%s", t.stalled ? t.stalled : "");
	if (t.oldest) {
		says_word(c, "oldest", RAW_UINT, t.oldest->seq, "%s", number_of(p, t.oldest));
		says(c, "instruction", "%s", assembly_of(s, t.oldest));
	} else {
		says_nothing(c, "oldest");
		says_nothing(c, "instruction");
	}
	if (t.latency >= 0)
		says_uint(c, "latency", (uint64_t)t.latency);
	else
		says_nothing(c, "latency");
	says(c, "about", "%s", t.about ? t.about : "");
	says(c, "view", "%s", view);
	assert_string_equal(row->opens, view);
	assert_non_null(view_named(NULL, view));
}

struct told queue(const struct pipe *p, uint64_t held, uint64_t size, uint64_t busy,
                  const struct uop *oldest)
{
	return (struct told){.counted = true,
	                     .held = held,
	                     .size = size,
	                     .busy = busy,
	                     .latency = -1,
	                     .oldest = oldest,
	                     .stalled = oldest ? wait_of(p, oldest) : ""};
}

const char *text_of(const char *fmt, ...)
{
	char *out = some_text();
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(out, 256, fmt, ap);
	va_end(ap);
	return out;
}
