/* Firmware that writes all of the co-processor's state, reads it back, tries the special
 * operations, and then serves its interrupts. tests/unit/prof/test_cop_host.c reads its results. */
#include "cop.h"

volatile uint64_t cop_stage;   /* 1: everything is written and read back; 2: tried; then the program begins */
volatile uint64_t cop_wrong;   /* registers that read back another value */
volatile uint64_t wrong_at;    /* the last such register */
volatile uint64_t interrupts, last_status, last_header, last_pc, last_waiting, last_dropped, waited;

/* The value written to a register, before its width cuts it: also of the test. */
static uint64_t pattern(uint64_t offset)
{
	return (offset + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static void expect(uint64_t at, uint64_t right)
{
	if (DEVICE_REGISTER(at) == right)
		return;
	cop_wrong++;
	wrong_at = at - COP_BASE;
}

static void firmware_fill(uint64_t at, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		DEVICE_REGISTER(at + 8 * i) = pattern(at + 8 * i - COP_BASE);
}

static void check(uint64_t at, unsigned n, uint64_t bits)
{
	for (unsigned i = 0; i < n; i++)
		expect(at + 8 * i, pattern(at + 8 * i - COP_BASE) & bits);
}

static void check_zero(uint64_t at, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		expect(at + 8 * i, 0);
}

static void for_all(void (*words)(uint64_t at, unsigned n, uint64_t bits), uint64_t sizes)
{
	const unsigned table = cop_size_filter(sizes) / 64;
	words(COP_V(0), 32, ~UINT64_C(0)); /* v and k */
	words(COP_X(0), 24, 0xffff);       /* x, b, t */
	words(COP_START(0), 32, 0xffff);
	words(COP_FIELDS(0), 32, 0x7f);
	words(COP_CODE, 2 * (sizes & 0xffff), ~UINT64_C(0));
	words(COP_CAM, cop_size_cam(sizes) / 2, ~UINT64_C(0));
	words(COP_VALID, cop_size_cam(sizes) / 64, ~UINT64_C(0));
	words(COP_DATA, cop_size_data(sizes) / 2, ~UINT64_C(0));
	words(COP_HIGH, table, ~UINT64_C(0));
	words(COP_LOW, table, ~UINT64_C(0));
}

static void fill_words(uint64_t at, unsigned n, uint64_t bits)
{
	(void)bits;
	firmware_fill(at, n);
}

static void singles(void)
{
	firmware_fill(COP_CLASSES, 5);
	firmware_fill(COP_LFSR, 2);
	expect(COP_CLASSES, pattern(0x18) & 0x3ff);
	expect(COP_SHIFT, pattern(0x20) & 63);
	expect(COP_MASK, pattern(0x28));
	expect(COP_MATCH, pattern(0x30));
	expect(COP_TABLES, pattern(0x38) & 3);
	expect(COP_LFSR, pattern(0x80) & 0xffffffff);
	expect(COP_ENGINE, pattern(0x88) & 0xffff00ff);
	expect(COP_CONTROL, 0);
	expect(COP_STATUS, COP_IDLE);
}

static void special(uint64_t sizes)
{
	const unsigned table = cop_size_filter(sizes) / 64;
	DEVICE_REGISTER(COP_INVALIDATE) = 1;
	check_zero(COP_VALID, cop_size_cam(sizes) / 64);
	check(COP_CAM, cop_size_cam(sizes) / 2, ~UINT64_C(0));
	check(COP_DATA, cop_size_data(sizes) / 2, ~UINT64_C(0));
	DEVICE_REGISTER(COP_CLEAR_DATA) = 1;
	check_zero(COP_DATA, cop_size_data(sizes) / 2);
	check(COP_HIGH, table, ~UINT64_C(0));
	DEVICE_REGISTER(COP_CLEAR_HIGH) = 1;
	check_zero(COP_HIGH, table);
	check(COP_LOW, table, ~UINT64_C(0));
	DEVICE_REGISTER(COP_CLEAR_LOW) = 1;
	check_zero(COP_LOW, table);
	/* Writes beyond the arrays' sizes are ignored. */
	const uint64_t beyond[] = {COP_CODE + 16 * (sizes & 0xffff), COP_CAM + 4 * cop_size_cam(sizes)}, end[] = {COP_CAM, COP_VALID};
	for (unsigned i = 0; i < 2; i++) {
		if (beyond[i] == end[i])
			continue;
		DEVICE_REGISTER(beyond[i]) = 1;
		expect(beyond[i], 0);
	}
	expect(COP_BASE + 0x6fff8, 0);
	cop_mask(COP_LOW, 0x12345678, sizes);
}

void firmware_init(void)
{
	const uint64_t sizes = DEVICE_REGISTER(COP_SIZES);
	singles();
	for_all(fill_words, sizes);
	for_all(check, sizes);
	cop_stage = 1;
	special(sizes);
	cop_stage = 2;
	csr_write(mie, UINT64_C(1) << IRQ_COP);
}

void firmware_interrupt(uint64_t cause)
{
	if (cause != IRQ_COP)
		return;
	last_status = DEVICE_REGISTER(COP_STATUS);
	last_waiting = DEVICE_REGISTER(COP_WAITING);
	last_dropped = DEVICE_REGISTER(COP_DROPPED) + DEVICE_REGISTER(COP_LOST);
	last_header = DEVICE_REGISTER(COP_RECORD(0));
	last_pc = DEVICE_REGISTER(COP_RECORD(0) + 8);
	/* The buffer fills meanwhile, and no other interrupt comes. */
	for (unsigned i = 0; i < 20; i++)
		waited += csr_read(mip) >> IRQ_COP & 1;
	interrupts++;
	DEVICE_REGISTER(COP_RESUME) = 1;
	if (csr_read(mip) >> IRQ_COP & 1)
		cop_wrong++;
}
