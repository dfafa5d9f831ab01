/* Executes every row of ops.def on pairs of values at which something changes, and on random ones,
 * and writes a record of each to standard output.
 *
 *   guest qemu|ours COUNT     the rows that qemu has, or all; COUNT random pairs for each
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "tests/diff/ext/record.h"

enum { QEMU, OURS };

/* The assignment of each row: r, of a and b; m is memory that holds a. Short forms name a0 to
 * a2. */
#define EXECUTE(text)                                                                              \
	register uint64_t r __asm__("a0") = 0;                                                     \
	register uint64_t x __asm__("a1") = a;                                                     \
	register uint64_t y __asm__("a2") = b;                                                     \
	__asm__ volatile(text : [r] "+r"(r), [a] "+r"(x) : [b] "r"(y) : "memory");                 \
	return r

/* c.op a1(,a2): the result is a1 itself. Of memory: a1 is its address; c.lxx a0,n(a1), c.sx
 * a2,n(a1). */
#define SHORT(parcel) ".2byte " parcel "\n\tmv a0, a1"
#define OF_MEMORY(parcel)                                                                          \
	"addi sp, sp, -16\n\tsd a1, 0(sp)\n\tmv a1, sp\n\t.2byte " parcel "\n\taddi sp, sp, 16"
#define TO_MEMORY(parcel)                                                                          \
	"addi sp, sp, -16\n\tsd a1, 0(sp)\n\tmv a1, sp\n\t.2byte " parcel                          \
	"\n\tld a0, 0(sp)\n\taddi sp, sp, 16"

#define EXT(id, who, text, formula)                                                                \
	static __attribute__((noinline)) uint64_t run_##id(uint64_t a, uint64_t b)                 \
	{                                                                                          \
		EXECUTE(text);                                                                     \
	}
#define ONE_IMMEDIATE(id, n, text, formula)                                                        \
	static __attribute__((noinline)) uint64_t run_##id##_##n(uint64_t a, uint64_t b)           \
	{                                                                                          \
		EXECUTE(".equ I, " #n "\n\t" text);                                                \
	}
#include "tests/diff/ext/ops.def"
#undef EXT
#undef ONE_IMMEDIATE

static const struct {
	int who;
	uint64_t (*run)(uint64_t a, uint64_t b);
} rows[] = {
#define EXT(id, who, text, formula) {who, run_##id},
#define ONE_IMMEDIATE(id, n, text, formula) {QEMU, run_##id##_##n},
#include "tests/diff/ext/ops.def"
};

static const uint64_t corners[] = {
	0,
	1,
	2,
	31,
	32,
	33,
	63,
	64,
	0x7f,
	0x80,
	0xff,
	0x7fff,
	0x8000,
	0xffff,
	0x7fffffff,
	0x80000000,
	0xffffffff,
	0x100000000,
	0x200000000,
	0x8000000080000000,
	0xffffffff00000000,
	0x7fffffffffffffff,
	0x8000000000000000,
	0x00ff0100800080ff,
	0xfffffffffffffffe,
	0xffffffffffffffff,
};
enum { ROWS = sizeof rows / sizeof *rows, CORNERS = sizeof corners / sizeof *corners };

static void ext_guest_write_record(struct record r)
{
	r.result = rows[r.op].run(r.a, r.b);
	if (fwrite(&r, sizeof r, 1, stdout) != 1) {
		perror("guest");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: guest qemu|ours COUNT\n");
		return 2;
	}
	const int most = strcmp(argv[1], "qemu") ? OURS : QEMU;
	const unsigned long count = strtoul(argv[2], NULL, 0);
	uint64_t seed = 34;
	for (unsigned op = 0; op < ROWS; op++) {
		if (rows[op].who > most)
			continue;
		for (unsigned i = 0; i < CORNERS * CORNERS; i++)
			ext_guest_write_record((struct record){
				.op = op, .a = corners[i / CORNERS], .b = corners[i % CORNERS]});
		for (unsigned long n = 0; n < count; n++) {
			const uint64_t a = hash_splitmix64_next(&seed),
				       b = hash_splitmix64_next(&seed);
			ext_guest_write_record(
				(struct record){.op = op, .a = a >> (b >> 32 & 63), .b = b});
		}
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
