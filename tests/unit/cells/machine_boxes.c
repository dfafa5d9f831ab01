/* A box of the picture of the machine: what its row must show. */
#include "tests/unit/cells/machine_boxes.h"

#include "core/prof/cop/cop.h"
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/values/vsample.h"

const char *const blamed[SLOT_COUNT + 1] = {
	[SLOT_wrong_path] = "predictor",
	[SLOT_branch_refill] = "predictor",
	[SLOT_UNRESOLVED] = "predictor",
	[SLOT_replayed] = "load/store queue",
	[SLOT_replay_refill] = "load/store queue",
	[SLOT_forward] = "load/store queue",
	[SLOT_store_order] = "load/store queue",
	[SLOT_interrupted] = "decode",
	[SLOT_decode_width] = "decode",
	[SLOT_serial] = "decode",
	[SLOT_os_switch] = "decode",
	[SLOT_fault] = "decode",
	[SLOT_itlb] = "ITLB",
	[SLOT_icache_l2] = "L1I",
	[SLOT_icache_memory] = "L1I",
	[SLOT_fetch_fill] = "L1I",
	[SLOT_misfetch] = "BTB",
	[SLOT_fetch_port] = "fetch",
	[SLOT_fetch_width] = "fetch",
	[SLOT_fetch_taken] = "fetch",
	[SLOT_fetch_line] = "fetch",
	[SLOT_fetch_queue] = "fetch queue",
	[SLOT_profile_dropped] = "profile flags",
	[SLOT_profile_wait] = "profile flags",
	[SLOT_profile_fetch] = "block table",
	[SLOT_unit_int] = "int",
	[SLOT_in_order] = "issue queue",
	[SLOT_latency_int] = "int",
	[SLOT_unit_imuldiv] = "imuldiv",
	[SLOT_latency_imuldiv] = "imuldiv",
	[SLOT_unit_fadd] = "fadd",
	[SLOT_latency_fadd] = "fadd",
	[SLOT_unit_fmuldiv] = "fmuldiv",
	[SLOT_latency_fmuldiv] = "fmuldiv",
	[SLOT_unit_mem] = "mem",
	[SLOT_unit_div] = "div",
	[SLOT_issue_width] = "issue queue",
	[SLOT_write_port] = "issue queue",
	[SLOT_register_write] = "issue queue",
	[SLOT_early_branch] = "issue queue",
	[SLOT_commit_width] = "reorder buffer",
	[SLOT_commit_delay] = "reorder buffer",
	[SLOT_dtlb] = "DTLB",
	[SLOT_l1d] = "L1D",
	[SLOT_l1d_port] = "L1D",
	[SLOT_l2] = "L2",
	[SLOT_l2_held] = "L2",
	[SLOT_memory] = "memory",
	[SLOT_bus] = "bus",
	[SLOT_mshr] = "miss registers",
	[SLOT_write_buffer] = "write buffer",
	[SLOT_firmware] = "firmware",
	[SLOT_vsample] = "value sampler",
};
unsigned lost_told;
uint64_t lost_slots;         /* of the last cycle */
uint64_t wait_for_registers; /* misses, in all checked cycles */
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
