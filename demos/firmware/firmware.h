/* Interface of firmware: the registers of M-mode, the devices, and the form of a profile that
 * `info profile` can read. Plain numbers up to the C part: crt.S includes this too.
 *
 * Firmware runs in M-mode, in memory that the program beside it can neither see nor reach. It is entered once before the
 * program's first instruction, and then by interrupts, precisely between two of the program's
 * instructions. It costs the program time and cache lines. It must keep its hands off the
 * floating-point registers, which are the program's: compile with -march=rv64imac -mabi=lp64. */
#ifndef CYCLOPS_FIRMWARE_H
#define CYCLOPS_FIRMWARE_H

/* mcause of interrupts, which have bit 63 set there; also the bit in mie and mip. */
#define IRQ_TIMER 7 /* mtime has reached mtimecmp */
#define IRQ_INSTS 16 /* minst has reached minstcmp: taken right after that instruction */
#define IRQ_SAMPLER 17 /* as many messages of the sampler wait as its threshold */
#define IRQ_COP 18 /* the co-processor has halted */

/* Registers are of 64 bits, and aligned. The timer: */
#define DEVICE_BASE 0x7f00000000
#define TIMER_MTIME (DEVICE_BASE + 0x00)    /* cycles */
#define TIMER_MTIMECMP (DEVICE_BASE + 0x08) /* cycles; all ones after reset */
#define TIMER_MINST (DEVICE_BASE + 0x10)    /* instructions of the program that have retired */
#define TIMER_MINSTCMP (DEVICE_BASE + 0x18) /* the same; all ones after reset */

/* The stream sampler (-o sampler.enable=true -o sampler.reader=interrupt): the oldest message that waits. */
#define SAMPLER_CONTROL (DEVICE_BASE + 0x1000)   /* bit 0: select */
#define SAMPLER_WAITING (DEVICE_BASE + 0x1008)   /* messages */
#define SAMPLER_THRESHOLD (DEVICE_BASE + 0x1010) /* messages that ask for interrupt 17; 0: never */
#define SAMPLER_PC (DEVICE_BASE + 0x1018)        /* of its tuple */
#define SAMPLER_VALUE (DEVICE_BASE + 0x1020)
#define SAMPLER_TAG (DEVICE_BASE + 0x1028)       /* of its stream */
#define SAMPLER_TAKE (DEVICE_BASE + 0x1030)      /* number of tuples that it represents; reading
                                                  * removes it. 0: none waits */
#define SAMPLER_DRAIN (DEVICE_BASE + 0x1038)     /* write: tuples that the compressor still holds
                                                  * become messages */
#define SAMPLER_TAGGED_PC (DEVICE_BASE + 0x1040) /* pc, with the tag in its uppermost byte */
/* Stream i < 8: kind, kinds of instructions, tag, marked, number of ranges, 0, ranges [from, to). */
#define SAMPLER_STREAM(i) (DEVICE_BASE + 0x1100 + 0x80 * (i))
#define STREAM_KIND 0x00   /* 0: none; 1 value, 2 address, 3 edge, 4 call, 5 type, 6 mispredict, 7 miss */
#define STREAM_KINDS 0x08  /* 1 << kind of instruction each; 0: all */
#define STREAM_TAG 0x10
#define STREAM_MARKED 0x18 /* 1: only after a mark */
#define STREAM_RANGES 0x20
#define STREAM_RANGE 0x30  /* pairs of addresses */

#ifndef __ASSEMBLER__
#include <stdint.h>

#define csr_read(csr) ({ uint64_t v_; __asm__ volatile("csrr %0, " #csr : "=r"(v_)); v_; })
#define csr_write(csr, value) __asm__ volatile("csrw " #csr ", %0" : : "r"((uint64_t)(value)) : "memory")
#define csr_set(csr, bits) __asm__ volatile("csrs " #csr ", %0" : : "r"((uint64_t)(bits)) : "memory")
#define csr_clear(csr, bits) __asm__ volatile("csrc " #csr ", %0" : : "r"((uint64_t)(bits)) : "memory")

#define DEVICE_REGISTER(address) (*(volatile uint64_t *)(uintptr_t)(address))

/* Functions that a firmware defines; crt.S calls them with the program's registers saved. */
void firmware_init(void);               /* before the program's first instruction; interrupts are off */
void firmware_interrupt(uint64_t cause); /* mcause without its bit 63 */

/* A profile for users: `info profile` prints the symbol `firmware_profile` of this type. */
#define PROFILE_MAGIC UINT64_C(0x666f72702e637963) /* "cyc.prof" */
#define PROFILE_PC 1 /* entries are struct pc_count */

struct firmware_profile {
	uint64_t magic;
	uint64_t kind;     /* PROFILE_* */
	uint64_t entries;  /* in use */
	uint64_t capacity; /* room, in entries */
	uint64_t samples;  /* counted in the entries */
	uint64_t dropped;  /* samples that found no room */
	uint64_t period;   /* instructions between two samples, on average */
	uint64_t table;    /* address of [capacity] entries, used and free ones in any order */
};

struct pc_count {
	uint64_t pc; /* 0: not in use */
	uint64_t count;
};

/* A profile of tuples: the symbol `sampler_profile`; the Lua module cyclops.firmware reads it. */
#define SAMPLER_PROFILE_MAGIC UINT64_C(0x6c7075742e637963) /* "cyc.tupl" */

struct sampler_profile {
	uint64_t magic;
	uint64_t entries, capacity; /* entries in use, room for entries */
	uint64_t interrupts;
	uint64_t messages, tuples;  /* all messages read, and the tuples that they represent */
	uint64_t dropped_messages, dropped_tuples; /* those without room */
	uint64_t table;             /* address of [capacity] struct tuple_count, used and free ones in any order */
};

struct tuple_count {
	uint64_t pc;    /* the stream's tag in the uppermost byte; 0: not in use */
	uint64_t value;
	uint64_t count; /* tuples represented by messages */
	uint64_t spare; /* padding: no entry crosses a cache line */
};
#endif
#endif
