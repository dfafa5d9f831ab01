#include "core/prof/common/firmware.h"

#include "core/defs/config_fields.h"
#include "core/isa/csr.h"
#include "core/prof/common/prof.h"

static void firmware_place_state(struct prof *d, struct arena *a)
{
	d->firmware->st = arena_take(a, "firmware timers", 1, sizeof *d->firmware->st);
}

static void firmware_reset_timers(struct prof *d)
{
	*d->firmware->st = (struct firmware_state){.mtimecmp = UINT64_MAX, .minstcmp = UINT64_MAX};
}

static uint64_t firmware_pending_irqs(const struct prof *d)
{
	const struct firmware_state *st = d->firmware->st;
	return (uint64_t)(prof_now(d) >= st->mtimecmp) << IRQ_TIMER |
	       (uint64_t)(prof_insts(d) >= st->minstcmp) << IRQ_INSTRUCTIONS;
}

static uint64_t next_cycle(const struct prof *d)
{
	uint64_t at = d->firmware->st->mtimecmp;
	return at > prof_now(d) ? at : UINT64_MAX;
}

static uint64_t firmware_next_irq_inst(const struct prof *d)
{
	uint64_t at = d->firmware->st->minstcmp;
	return at > prof_insts(d) ? at : UINT64_MAX;
}

static uint64_t firmware_read_register(struct prof *d, unsigned offset)
{
	switch (offset) {
	case FW_MTIME:
		return prof_now(d);
	case FW_MTIMECMP:
		return d->firmware->st->mtimecmp;
	case FW_MINST:
		return prof_insts(d);
	case FW_MINSTCMP:
		return d->firmware->st->minstcmp;
	default:
		return 0;
	}
}

static void firmware_write_register(struct prof *d, unsigned offset, uint64_t value)
{
	if (offset == FW_MTIMECMP)
		d->firmware->st->mtimecmp = value;
	else if (offset == FW_MINSTCMP)
		d->firmware->st->minstcmp = value;
}

static const struct state_field state_fields[] = {
#define STATE(...) STATE_ROW(firmware_state, __VA_ARGS__)
#include "core/prof/common/firmware_state.def"
#undef STATE
};

static unsigned firmware_state_tables(const struct prof *d, struct state_part out[STATE_PARTS_MAX])
{
	out[0] = STATE_PART("firmware timers", state_fields, d->firmware->st, 1);
	return 1;
}

const struct device device_firmware = {
	.bytes = sizeof(struct firmware),
	.tables = firmware_state_tables,
	.place = firmware_place_state,
	.reset = firmware_reset_timers,
	.pending = firmware_pending_irqs,
	.next_cycle = next_cycle,
	.next_inst = firmware_next_irq_inst,
	.read = firmware_read_register,
	.write = firmware_write_register,
};
