/* What firmware is written against: the registers of M-mode, the devices, and the form of a profile that `info profile`
 * can read. Plain numbers up to the C part: crt.S includes this too.
 *
 * Firmware runs in M-mode, in memory that the program beside it can neither see nor reach. It is entered once before the
 * program's first instruction, and then by interrupts, precisely between two of the program's instructions. What it
 * costs the program is time and cache lines. It must keep its hands off the floating-point registers, which are the
 * program's: compile with -march=rv64imac -mabi=lp64. */
#ifndef CYCLOPS_FIRMWARE_H
#define CYCLOPS_FIRMWARE_H

/* mcause of interrupts, which have bit 63 set there; also the bit in mie and mip. */
#define IRQ_TIMER 7 /* mtime has reached mtimecmp */
#define IRQ_INSTS 16 /* minst has reached minstcmp: taken right behind that instruction */
#define IRQ_COP 18 /* the co-processor has halted */
#define IRQ_SAMPLER 17 /* as many messages of the sampler wait as its threshold says */

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
#define SAMPLER_TAKE (DEVICE_BASE + 0x1030)      /* how many tuples it stands for; reading takes it away. 0: none waits */
#define SAMPLER_DRAIN (DEVICE_BASE + 0x1038)     /* write: what the compressor can still tell becomes messages */
#define SAMPLER_TAGGED_PC (DEVICE_BASE + 0x1040) /* pc, with the tag in its uppermost byte */
/* Stream i < 8: kind, kinds of instructions, tag, marked, number of ranges, 0, ranges [from, to). */
#define SAMPLER_STREAM(i) (DEVICE_BASE + 0x1100 + 0x80 * (i))
#define STREAM_KIND 0x00   /* 0: none; 1 value, 2 address, 3 edge, 4 call, 5 type, 6 mispredict, 7 miss */
#define STREAM_KINDS 0x08  /* 1 << kind of instruction each; 0: all */
#define STREAM_TAG 0x10
#define STREAM_MARKED 0x18 /* 1: only behind a mark */
#define STREAM_RANGES 0x20
#define STREAM_RANGE 0x30  /* pairs of addresses */

/* The profiling co-processor (-o cop.enable=true). An access takes cop.access cycles more than one to other devices. */
#define COP_BASE (DEVICE_BASE + 0x100000)
#define COP_CONTROL (COP_BASE + 0x000)    /* bit 0: the engine runs; bit 1: decode tags */
#define COP_STATUS (COP_BASE + 0x008)     /* bit 0: halted; bit 1: nothing to do; 8-15: fault, 16-31: its microcode address */
#define COP_RESUME (COP_BASE + 0x010)     /* write: the interrupt is acknowledged, the engine goes on */
#define COP_CLASSES (COP_BASE + 0x018)    /* what is tagged: 1 << class each, in the order of COP_LOAD and so on */
#define COP_SHIFT (COP_BASE + 0x020)      /* only where (p ^ p >> shift) & mask == match, with p = pc >> 1; shift 0: p itself */
#define COP_MASK (COP_BASE + 0x028)
#define COP_MATCH (COP_BASE + 0x030)
#define COP_TABLES (COP_BASE + 0x038)     /* bit 0: table high masks, bit 1: table low */
#define COP_INVALIDATE (COP_BASE + 0x040) /* write: no entry of the associative array is valid */
#define COP_CLEAR_DATA (COP_BASE + 0x048) /* write: these are 0 */
#define COP_CLEAR_HIGH (COP_BASE + 0x050)
#define COP_CLEAR_LOW (COP_BASE + 0x058)
#define COP_FLUSH (COP_BASE + 0x060)      /* write: no record waits or is on its way */
#define COP_WAITING (COP_BASE + 0x068)    /* records in the sample buffer */
#define COP_DROPPED (COP_BASE + 0x070)    /* records that found no room in the transport queue */
#define COP_LOST (COP_BASE + 0x078)       /* and in the sample buffer */
#define COP_LFSR (COP_BASE + 0x080)
#define COP_ENGINE (COP_BASE + 0x088)     /* bits 0-15: conditions, 16-31: match index */
#define COP_SIZES (COP_BASE + 0x090)      /* 0-15: microinstructions, 16-31: entries, 32-47: words of data, 48-55: log2 bits of a table,
                                             56-63: its hash functions */
#define COP_V(i) (COP_BASE + 0x100 + 8 * (i))
#define COP_K(i) (COP_BASE + 0x180 + 8 * (i))
#define COP_X(i) (COP_BASE + 0x200 + 8 * (i))
#define COP_B(i) (COP_BASE + 0x240 + 8 * (i))
#define COP_T(i) (COP_BASE + 0x280 + 8 * (i))
#define COP_START(class) (COP_BASE + 0x300 + 8 * (class))  /* where its routine begins; 0xffff: it has none */
#define COP_FIELDS(class) (COP_BASE + 0x400 + 8 * (class)) /* bits: pc, inst, rs1, rs2, result, addr, target */
#define COP_CODE(i) (COP_BASE + 0x10000 + 8 * (i))  /* two for each microinstruction */
#define COP_CAM(i) (COP_BASE + 0x20000 + 8 * (i))   /* entries 2i and, in the upper half, 2i + 1 */
#define COP_VALID(i) (COP_BASE + 0x28000 + 8 * (i)) /* a bit for each entry */
#define COP_DATA(i) (COP_BASE + 0x30000 + 8 * (i))  /* words 2i and 2i + 1 */
#define COP_HIGH(i) (COP_BASE + 0x40000 + 8 * (i))  /* 64 bits of the table */
#define COP_LOW(i) (COP_BASE + 0x50000 + 8 * (i))
#define COP_RECORD(i, word) (COP_BASE + 0x60000 + 64 * (i) + 8 * (word)) /* of the sample buffer: header, then fields */
/* Where hash function i < 4 of a table with 1 << log2 bits leads for pc; all of its bits must be set to mask the instruction. */
#define COP_TABLE_BIT(pc, i, log2) ((((pc) >> 1) ^ ((pc) >> 1 >> (5 + 2 * (i)))) & (((uint64_t)1 << (log2)) - 1))
/* Classes of instructions. */
#define COP_LOAD 0
#define COP_STORE 1
#define COP_ATOMIC 2
#define COP_BRANCH 3
#define COP_JUMP 4
#define COP_INT 5
#define COP_MUL 6
#define COP_DIV 7
#define COP_FP 8
#define COP_SYSTEM 9

#ifndef __ASSEMBLER__
#include <stdint.h>

#define csr_read(csr) ({ uint64_t v_; __asm__ volatile("csrr %0, " #csr : "=r"(v_)); v_; })
#define csr_write(csr, value) __asm__ volatile("csrw " #csr ", %0" : : "r"((uint64_t)(value)) : "memory")
#define csr_set(csr, bits) __asm__ volatile("csrs " #csr ", %0" : : "r"((uint64_t)(bits)) : "memory")
#define csr_clear(csr, bits) __asm__ volatile("csrc " #csr ", %0" : : "r"((uint64_t)(bits)) : "memory")

#define DEVICE_REGISTER(address) (*(volatile uint64_t *)(uintptr_t)(address))

/* What a firmware is to bring along; crt.S calls them with the program's registers put away. */
void firmware_init(void);               /* before the program's first instruction; interrupts are off */
void firmware_interrupt(uint64_t cause); /* mcause without its bit 63 */

/* A profile for people: a symbol `firmware_profile` of this form is found by `info profile`. */
#define PROFILE_MAGIC UINT64_C(0x666f72702e637963) /* "cyc.prof" */
#define PROFILE_PC 1 /* entries are struct pc_count */

struct firmware_profile {
	uint64_t magic;
	uint64_t kind;     /* PROFILE_* */
	uint64_t entries;  /* in use */
	uint64_t capacity; /* entries that there is room for */
	uint64_t samples;  /* counted in the entries */
	uint64_t dropped;  /* samples that found no room */
	uint64_t period;   /* instructions between two samples, on average */
	uint64_t table;    /* address of [capacity] entries in any order, those in use and others */
};

struct pc_count {
	uint64_t pc; /* 0: not in use */
	uint64_t count;
};

/* A profile of tuples: the symbol `sampler_profile`; the Lua module cyclops.firmware reads it. */
#define SAMPLER_PROFILE_MAGIC UINT64_C(0x6c7075742e637963) /* "cyc.tupl" */

struct sampler_profile {
	uint64_t magic;
	uint64_t entries, capacity; /* in use, and that there is room for */
	uint64_t interrupts;
	uint64_t messages, tuples;  /* all that were read, and what they stand for */
	uint64_t dropped_messages, dropped_tuples; /* of these, that found no room */
	uint64_t table;             /* address of [capacity] struct tuple_count in any order, those in use and others */
};

struct tuple_count {
	uint64_t pc;    /* the stream's tag in the uppermost byte; 0: not in use */
	uint64_t value;
	uint64_t count; /* tuples that messages stood for */
	uint64_t spare; /* so that none lies in two lines */
};
#endif
#endif
