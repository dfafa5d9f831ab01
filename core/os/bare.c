/* Bare-metal programs: exceptions lead to the handler of mtvec, and a store to the variable
 * `tohost` ends the program, prints a character or requests a system call (HTIF, as riscv-tests and
 * spike have it). Such a store faults in mem_store(), so that it is served here, when it is the
 * oldest instruction. There are no interrupts. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core/isa/exec.h"
#include "core/isa/op.h"
#include "core/os/os_priv.h"
#include "core/trap/trap.h"

enum { HTIF_BYTES = 8, HTIF_DEVICE = 56, HTIF_COMMAND = 48, PIECE = 4096 };
#define HTIF_PAYLOAD ((UINT64_C(1) << HTIF_COMMAND) - 1)
enum { PROXY_DEVICE = 0, PROXY_WRITE = 64, PROXY_EXIT = 93 };
enum { CONSOLE_DEVICE = 1, CONSOLE_GET = 0, CONSOLE_PUT = 1 };
enum { STATUS_MOST = 255 };
enum { CAUSE_ECALL_U = 8, CAUSE_ECALL_M = 11 };

/* RV32 stores a value as two words, in either order: the half stored so far, until the other
 * follows. A low half that is stored a second time, or that no store of the high half follows,
 * completes the value. */
enum bare_half { HALF_NONE, HALF_LOW, HALF_HIGH };

/* mcause of exceptions (privileged architecture, table 14). */
static const uint8_t bare_cause[TRAP_COUNT] = {
	[TRAP_FETCH_ALIGN] = 0, [TRAP_FETCH_FAULT] = 1, [TRAP_ILLEGAL] = 2,
	[TRAP_EBREAK] = 3,      [TRAP_LOAD_ALIGN] = 4,  [TRAP_LOAD_FAULT] = 5,
	[TRAP_STORE_ALIGN] = 6, [TRAP_STORE_FAULT] = 7,
};

void os_set_bare(struct os *os, struct hart *h, struct mem *mem, uint64_t tohost, uint64_t fromhost)
{
	os->st->fromhost = fromhost;
	h->privilege = MODE_M;
	h->tohost = tohost;
	trap_open(h, mem);
}

static bool bare_is_tohost(const struct hart *h, enum trap trap, uint64_t at)
{
	return trap == TRAP_STORE_FAULT && at - h->tohost < HTIF_BYTES;
}

/* An exception of the handler's own first instruction would never end. */
bool bare_catches(const struct hart *h, uint64_t pc, enum trap trap, uint64_t at)
{
	const uint64_t handler = h->mtvec & ~UINT64_C(3);
	return bare_is_tohost(h, trap, at) || (handler && pc != handler);
}

/* ---- HTIF ---- */
/* Writes guest memory to a stream. False: interrupted, and nothing was written. */
static bool bare_print(struct call *c, int fd, uint64_t at, uint64_t n)
{
	char piece[PIECE];
	const uint64_t before[] = {c->st->out_bytes[0], c->st->out_bytes[1]};
	while (n) {
		const size_t part = n < sizeof piece ? (size_t)n : sizeof piece;
		if (!mem_read(c->mem, at, piece, part))
			break;
		if (!out_write(c->os, fd, piece, part)) {
			memcpy(c->st->out_bytes, before, sizeof before);
			return false;
		}
		at += part;
		n -= part;
	}
	return true;
}

static void bare_exit(struct call *c, uint64_t status)
{
	c->a[0] = status < STATUS_MOST ? status : STATUS_MOST;
	sys_exit_group(c);
}

static void bare_answer(struct call *c, uint64_t value)
{
	if (c->st->fromhost)
		mem_poke(c->mem, c->st->fromhost, &value, sizeof value);
}

/* Serves a call that the program cannot make itself: its number and arguments are eight words at
 * `at`, of which the first receives the result. */
static bool bare_proxy(struct call *c, uint64_t at)
{
	uint64_t word[8];
	int64_t ret = -ENOSYS;
	if (!mem_read(c->mem, at, word, sizeof word)) {
		os_warnf(c->os, "tohost: no memory at 0x%" PRIx64 ", where a call should be", at);
		return true;
	}
	if (word[0] == PROXY_EXIT) {
		bare_exit(c, word[1]);
		return true;
	}
	if (word[0] == PROXY_WRITE && (word[1] == 1 || word[1] == 2)) {
		if (!bare_print(c, (int)word[1], word[2], word[3]))
			return false;
		ret = (int64_t)word[3];
	} else {
		os_warnf(c->os,
		         "tohost: system call %" PRIu64
		         " is not served; write (64) to 1 or 2 and exit (93) are",
		         word[0]);
	}
	mem_poke(c->mem, at, &ret, sizeof ret);
	bare_answer(c, 1);
	return true;
}

/* Acts on a value of tohost. False: interrupted, and nothing happened. */
static bool bare_request(struct call *c, uint64_t value)
{
	const unsigned device = (unsigned)(value >> HTIF_DEVICE),
		       command = (unsigned)(value >> HTIF_COMMAND & 0xff);
	const char byte = (char)value;
	if (!value)
		return true;
	if (device == PROXY_DEVICE && !command) {
		if (!(value & 1))
			return bare_proxy(c, value & HTIF_PAYLOAD);
		bare_exit(c, (value & HTIF_PAYLOAD) >> 1);
		return true;
	}
	if (device == CONSOLE_DEVICE && command == CONSOLE_PUT)
		return out_write(c->os, 1, &byte, 1);
	if (device == CONSOLE_DEVICE && command == CONSOLE_GET) {
		os_warnf(c->os, "tohost: a character of input (device 1, command 0) is not served; "
		                "a bare-metal program has its input in its data");
		return true;
	}
	os_warnf(c->os,
	         "tohost = 0x%" PRIx64 ": device %u, command %u is not served; exit (value odd) "
	         "and characters (device 1, command 1) are",
	         value, device, command);
	return true;
}

/* True if the instructions at pc, up to the next jump or system instruction, store to tohost. They
 * are executed on a copy of the registers, without their stores. */
static bool bare_stores_again(const struct call *c, uint64_t pc)
{
	enum { AHEAD_MOST = 64, ENDS = OPF_CONTROL | OPF_SERIAL | OPF_ATOMIC | OPF_XPROF };
	struct hart h = *c->h;
	h.pc = pc;
	for (unsigned i = 0; i < AHEAD_MOST; i++) {
		const struct inst *in = mem_fetch(c->mem, h.pc);
		const unsigned flags = in ? inst_flags(in) : ENDS;
		struct exec done;
		if (flags & ENDS)
			return false;
		if (flags & OPF_STORE) {
			const uint64_t at = h.r[in->rs1] + (uint64_t)(int64_t)in->imm;
			if ((h.isa == ISA_RV32GC ? (uint32_t)at : at) - h.tohost < HTIF_BYTES)
				return true;
			h.pc += in->len;
		} else if (isa_exec(&h, c->mem, in, &done) != TRAP_NONE) {
			return false;
		}
	}
	return false;
}

/* Whether the value is complete after a store of n bytes at offset `at` of tohost; `last`: no
 * other follows. */
static bool bare_is_whole(uint8_t *half, unsigned at, unsigned n, bool last)
{
	const enum bare_half was = *half;
	const bool whole = n == HTIF_BYTES || was == HALF_LOW ||
	                   (!at && (was == HALF_HIGH || last));
	*half = whole ? HALF_NONE : at ? HALF_HIGH : HALF_LOW;
	return whole;
}

/* Executes a store to tohost and acts on its value. False if the instruction at pc is no plain
 * store. */
static bool bare_store(struct call *c, uint64_t at)
{
	struct hart *h = c->h;
	const struct inst *in = mem_fetch(c->mem, h->pc);
	uint64_t pc = h->pc, value = 0;
	if (in && in->op == OP_PI) {
		pc += in->len;
		in = mem_fetch(c->mem, pc);
	}
	const unsigned flags = in ? inst_flags(in) : 0, n = in ? op_info[in->op].mem_bytes : 0;
	const unsigned from = (unsigned)(at - h->tohost);
	if (!(flags & OPF_STORE) || (flags & OPF_ATOMIC) || !n || from % n)
		return false;
	pc += in->len;
	mem_peek(c->mem, h->tohost, &value, sizeof value);
	memcpy((uint8_t *)&value + from, &h->r[in->rs2], n);
	uint8_t half = c->st->tohost_half;
	const bool last = n < HTIF_BYTES && !bare_stores_again(c, pc);
	if (bare_is_whole(&half, from, n, last)) {
		if (!bare_request(c, value))
			return true; /* the same store is repeated */
		value = 0;
	}
	c->st->tohost_half = half;
	mem_poke(c->mem, h->tohost, &value, sizeof value);
	h->pc = pc;
	return true;
}

/* ---- what is not there ---- */
/* Registers of machines with more than M-mode and U-mode, but for satp, medeleg and mideleg, which
 * programs access to find out. */
static const struct {
	uint16_t first, last;
	const char *lacks;
} bare_absent[] = {
	{0x100, 0x17f, "supervisor mode"},
	{0x200, 0x2ff, "hypervisor"},
	{0x320, 0x33f, "control of counters (mcountinhibit, mhpmevent)"},
	{0x3a0, 0x3ef, "protection of memory (PMP) beyond pmpcfg0 and pmpaddr0, which are 0"},
	{0x600, 0x6ff, "hypervisor"},
	{0x7a0, 0x7af, "debug triggers"},
	{0xb00, 0xbff, "counters that can be written (mcycle, minstret); cycle and instret count"},
};

static void bare_name_register(struct call *c, const struct inst *in)
{
	const unsigned number = (unsigned)in->imm & 0xfff;
	for (size_t i = 0; i < sizeof bare_absent / sizeof *bare_absent; i++)
		if (number >= bare_absent[i].first && number <= bare_absent[i].last)
			os_warnf(c->os,
			         "register 0x%x, accessed at 0x%" PRIx64
			         ": this machine has no %s; mtvec's handler receives an illegal "
			         "instruction",
			         number, c->pc, bare_absent[i].lacks);
}

/* Names devices of boards, as SiFive's and QEMU's have them. */
static void bare_name_device(struct call *c, uint64_t at)
{
	const bool clint = at - 0x2000000 < 0x10000, serial = at - 0x10000000 < 0x100;
	if (clint || serial)
		os_warnf(c->os,
		         "0x%" PRIx64 " is %s of boards, which this machine lacks: %s", at,
		         clint ? "the timer (CLINT)" : "the serial port",
		         clint ? "time is in the register time, and nothing interrupts"
		               : "a program prints through tohost");
}

/* ---- exceptions ---- */
/* True if the instructions around the ebreak make it a semihosting call. */
static bool bare_is_semihosting(const struct call *c)
{
	uint32_t before = 0, after = 0;
	return mem_peek(c->mem, c->pc - 4, &before, 4) && mem_peek(c->mem, c->pc + 4, &after, 4) &&
	       before == SEMIHOSTING_BEFORE && after == SEMIHOSTING_AFTER;
}

void bare_fault(struct call *c, enum trap trap, uint64_t at)
{
	struct hart *h = c->h;
	uint64_t value = at;
	if (bare_is_tohost(h, trap, at) && bare_store(c, at))
		return;
	if (trap == TRAP_ILLEGAL) {
		const struct inst *in = mem_fetch(c->mem, h->pc);
		value = in ? in->raw : 0;
		if (in && (inst_flags(in) & OPF_CSR))
			bare_name_register(c, in);
	} else if (trap_of_data(trap)) {
		bare_name_device(c, at);
	} else if (trap == TRAP_EBREAK) {
		value = h->pc;
		if (bare_is_semihosting(c))
			os_warnf(c->os, "semihosting call %" PRIu64 " in a0: no debugger answers "
			                "it, and it is an ebreak; print through tohost",
			         h->r[REG_A0]);
	}
	trap_raise(h, bare_cause[trap], value);
}

void bare_call(struct call *c)
{
	struct hart *h = c->h;
	const struct inst *in = mem_fetch(c->mem, c->pc);
	c->jumped = true;
	if (in && in->op == OP_MRET) {
		trap_resume(h);
		return;
	}
	if (!bare_catches(h, c->pc, TRAP_ECALL, 0)) {
		os_warnf(c->os, "an ecall at 0x%" PRIx64
		                " of a bare-metal program, and mtvec names no handler; --abi linux "
		                "if it requests Linux's services",
		         h->pc);
		c->st->killed_by = LX_SIGILL;
		return;
	}
	trap_raise(h, h->privilege == MODE_M ? CAUSE_ECALL_M : CAUSE_ECALL_U, 0);
}
