/* Everything the loader does with an untrusted file: check, load, symbols, lines,
 * unwinding, and instrumentation. Properties: no crash, no leak, no undefined behaviour, no
 * endless loop, and the promises below. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "loader/instrument/instrument.h"
#include "loader/program.h"
#include "tests/fuzz/hold.h"

enum { SYMBOLS = 48, FRAMES = 16, STACK = 1 << 16, NEW_FILE_MOST = 64 << 20 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed);

/* A new program is written in memory. Filling that ends as an error, which is a broken
 * promise. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const struct rlimit most = { NEW_FILE_MOST, NEW_FILE_MOST };
	(void)argc;
	(void)argv;
	signal(SIGXFSZ, SIG_IGN);
	hold(setrlimit(RLIMIT_FSIZE, &most) == 0);
	return 0;
}

/* Inserting and deleting bytes moves everything after them and mostly ends in "truncated", so most
 * inputs change a few bytes in place. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed)
{
	uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
	if (n < 64 || (random >> 60) == 0)
		return LLVMFuzzerMutate(data, n, max);
	unsigned places = 1 + (random >> 56) % 4;
	for (unsigned i = 0; i < places; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		size_t len = (size_t)1 << (random >> 62), at = (random >> 20) % (n - len);
		uint8_t window[8] = { 0 };
		memcpy(window, data + at, len);
		LLVMFuzzerMutate(window, len, len);
		memcpy(data + at, window, len);
	}
	return n;
}

static void fuzz_loader_query_address(struct program *p, struct mem *mem, struct hart *h,
                                      uint64_t addr)
{
	char text[64];
	hold(program_addr_text(p, addr, text, sizeof text) == text);
	const struct symbol *s = program_symbol_at(p, addr);
	hold(!s || s->addr <= addr);

	struct source_line line;
	uint64_t lo, hi;
	if (program_line_at(p, addr, &line))
		hold(line.line > 0 && line.file);
	if (program_line_range(p, addr, &lo, &hi))
		hold(lo <= addr && addr < hi);

	struct frame frames[FRAMES];
	size_t count = program_backtrace(p, mem, h->r, addr, frames, FRAMES);
	hold(count >= 1 && count <= FRAMES && frames[0].pc == addr);
}

static void look_around(struct program *p, struct mem *mem, struct hart *h)
{
	size_t count;
	const struct symbol *all = program_symbols(p, &count);
	for (size_t i = 0; i < count && i < SYMBOLS; i++) {
		const struct symbol *s = program_symbol_by_name(p, all[i].name);
		hold(s && strcmp(s->name, all[i].name) == 0);
		h->r[REG_RA] = all[i].addr + 4;
		fuzz_loader_query_address(p, mem, h, all[i].addr);
		fuzz_loader_query_address(p, mem, h, all[i].addr + all[i].size / 2);
	}
	fuzz_loader_query_address(p, mem, h, program_entry(p));
	fuzz_loader_query_address(p, mem, h, ~UINT64_C(0));

	uint64_t addr;
	struct err err;
	for (unsigned line = 0; line < 20; line += 5)
		program_addr_of_line(p, "guest.c", line, &addr, &err);
}

/* Ends with a program that can be opened, or with a reason. */
static void fuzz_loader_instrument(const struct program *p, unsigned kind)
{
	struct err err = { "" };
	const struct instrument_options o = {
		.what = {{(enum instrument_kind)(kind % INSTRUMENT_KIND_COUNT), -1}}, .count = 1};
	struct program *q = instrument_program(p, &o, NULL, NULL, NULL, &err);
	hold(q || (err.msg[0] && !strchr(err.msg, '\n') &&
	           !strstr(err.msg, "cannot write data to file")));
	program_free(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct err err = { "" };
	program_free(program_firmware_from_bytes(data, n, "fuzz", &err));
	struct program *p = program_from_bytes(data, n, "fuzz", &err);
	if (!p) {
		hold(strncmp(err.msg, "fuzz: ", 6) == 0 && !strchr(err.msg, '\n'));
		return 0;
	}
	struct mem *mem = mem_new();
	struct hart h = { 0 };
	uint64_t brk;
	char *argv[] = { "fuzz", "argument", NULL }, *envp[] = { "A=1", NULL };
	if (program_load(p, mem, &h, &brk, 2, argv, envp, STACK, 1, &err)) {
		hold(h.pc == program_entry(p) && (h.r[REG_SP] & 15) == 0);
		hold(mem_prot_at(mem, h.pc) & PROT_X);
		hold(brk < MEM_TOP && !mem_is_mapped(mem, brk, PAGE_BYTES));
		look_around(p, mem, &h);
	}
	mem_free(mem);
	fuzz_loader_instrument(p, data[n - 1]);
	program_free(p);
	return 0;
}
