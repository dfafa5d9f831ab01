/* Firmware files beside a program: loader/program.h's firmware part and loader/launch.h. */
#include <stdint.h>

#include <string.h>

#include "core/machine/machine.h"
#include "core/mem/mem.h"
#include "loader/launch.h"
#include "tests/cases.h"
#include "tests/unit/loader/cross.h"

#define FIRMWARE_FLAGS                                                                             \
	"-nostdlib -static -g -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany "                   \
	"-Wl,--build-id=none "

static const char firmware_text[] =
	"	.globl firmware_start, shared\n"
	"	.type firmware_start, @function\n"
	"firmware_start:\n"
	"	nop\n"
	"	j shared\n"
	"	.size firmware_start, . - firmware_start\n"
	"	.type shared, @function\n"
	"shared:\n"
	"	j firmware_start\n"
	"	.size shared, . - shared\n"
	"	.data\n"
	"	.globl word\n"
	"	.type word, @object\n"
	"word:	.dword 0x1234\n"
	"	.size word, 8\n";

static const char guest_text[] =
	"int shared(void) { return 3; }\n"
	"int main(void)\n"
	"{\n"
	"	return shared();\n"
	"}\n";

static struct program *firmware_build_program(const char *suffix, const char *text,
                                              const char *flags, bool firmware, struct err *err)
{
	struct cross c;
	assert_true(cross_build(&c, suffix, text, flags));
	struct program *p =
		firmware ? program_open_firmware(c.program, err) : program_open(c.program, err);
	cross_remove(&c);
	return p;
}

static void firmware_expect_refusal(const char *suffix, const char *text, const char *flags,
                                    bool firmware, const char *why)
{
	struct err err;
	assert_null(firmware_build_program(suffix, text, flags, firmware, &err));
	if (!strstr(err.msg, why))
		fail_msg("'%s' should say '%s'", err.msg, why);
}

TEST(only_firmware_is_taken_for_firmware)
{
	if (!cross_available())
		skip();
	firmware_expect_refusal(
		"c", guest_text, "-static", true,
		"is not in firmware's memory, 0x4000000000-0x5000000000 (link it with");
	firmware_expect_refusal("S", firmware_text,
	                        FIRMWARE_FLAGS
	                        "-T demos/firmware/firmware.ld -Wl,-Tdata=0x7f00000000",
	                        true, "0x7f00002010 is not in firmware's memory");
	firmware_expect_refusal(
		"S", firmware_text, "-nostdlib -static-pie -Wl,-e,firmware_start", true,
		"position-independent; firmware has a fixed place (link it with -no-pie)");
	firmware_expect_refusal("S", firmware_text, FIRMWARE_FLAGS "-T demos/firmware/firmware.ld",
	                        false, "lies above user memory");
	struct err err;
	assert_null(program_open_firmware("/nonexistent/firmware", &err));
	assert_string_equal(err.msg, "/nonexistent/firmware: No such file or directory");
}

/* A guest with firmware attached. */
static struct program *firmware_build_attached_guest(void)
{
	struct err err;
	struct program *guest = firmware_build_program("c", guest_text, "-static -g", false, &err);
	struct program *firmware = firmware_build_program(
		"S", firmware_text, FIRMWARE_FLAGS "-T demos/firmware/firmware.ld", true, &err);
	assert_non_null(guest);
	assert_non_null(firmware);
	assert_null(program_firmware(guest));
	assert_true(program_attach(guest, firmware));
	assert_ptr_equal(program_firmware(guest), firmware);
	return guest;
}

TEST(symbols_of_both_are_known)
{
	if (!cross_available())
		skip();
	struct program *p = firmware_build_attached_guest();
	char text[64];
	size_t n, above = 0;
	const struct symbol *all = program_symbols(p, &n);
	for (size_t i = 0; i < n; i++) {
		assert_true(i == 0 || all[i].addr >= all[i - 1].addr);
		above += all[i].addr >= FIRMWARE_BASE;
		/* A symbol's name finds it, or a preferred symbol of that name. */
		const struct symbol *found = program_symbol_by_name(p, all[i].name);
		assert_non_null(found);
		assert_string_equal(found->name, all[i].name);
	}
	assert_true(above >= 4 && above < n);
	const struct symbol *start = program_symbol_by_name(p, "firmware_start");
	assert_non_null(start);
	assert_int_equal(start->addr, FIRMWARE_BASE);
	assert_string_equal(program_addr_text(p, start->addr + 2, text, sizeof text),
	                    "firmware_start+0x2");
	const struct symbol *word = program_symbol_by_name(p, "word");
	assert_true(word && !word->code && word->addr > start->addr);
	/* A name in both files means the program's symbol; the firmware's symbol is found by its
	 * address. */
	const struct symbol *shared = program_symbol_by_name(p, "shared");
	assert_true(shared && shared->addr < MEM_TOP);
	assert_string_equal(program_addr_text(p, start->addr + start->size, text, sizeof text),
	                    "shared");
	assert_string_equal(program_addr_text(p, shared->addr, text, sizeof text), "shared");
	program_free(p);
}

TEST(lines_of_both_are_known)
{
	if (!cross_available())
		skip();
	struct program *p = firmware_build_attached_guest();
	struct source_line line;
	struct err err;
	uint64_t lo, hi, addr;
	assert_true(program_line_at(p, FIRMWARE_BASE, &line));
	assert_non_null(strstr(line.file, "guest.S"));
	assert_int_equal(line.line, 4); /* nop */
	assert_true(program_line_range(p, FIRMWARE_BASE, &lo, &hi));
	assert_int_equal(lo, FIRMWARE_BASE);
	assert_true(hi > lo && hi <= lo + 4);
	assert_true(program_line_at(p, program_symbol_by_name(p, "main")->addr, &line));
	assert_non_null(strstr(line.file, "guest.c"));
	assert_true(program_addr_of_line(p, "guest.S", 5, &addr, &err));
	assert_int_equal(addr, hi);
	assert_true(program_addr_of_line(p, "guest.c", 4, &addr, &err) && addr < MEM_TOP);
	assert_false(program_addr_of_line(p, "gust.c", 4, &addr, &err));
	program_free(p);
}
