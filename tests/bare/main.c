/* A bare-metal program: prints through HTIF, by characters and by calls, takes each exception in its
 * handler, in M-mode and in U-mode, and ends with a status of its own. */
#include <stdint.h>

extern volatile uint64_t tohost, fromhost;
#if __riscv_xlen == 64
#define STORE_WORD "sd"
#else
#define STORE_WORD "sw"
#endif

static volatile unsigned long resume, seen, value, mode;
static volatile uint64_t neighbour __attribute__((section(".tohost"))); /* beside it */

static void put_char(char c)
{
	tohost = UINT64_C(0x0101000000000000) | (uint8_t)c;
}

static void print_text(const char *text)
{
	while (*text)
		put_char(*text++);
}

static void print_hex(unsigned long n)
{
	char digit[17];
	unsigned i = 16;
	digit[i] = '\0';
	do
		digit[--i] = "0123456789abcdef"[n & 15];
	while (n >>= 4);
	print_text(digit + i);
}

static void print_call(const char *text, unsigned long n)
{
	static volatile uint64_t call[8] __attribute__((aligned(64)));
	call[0] = 64;
	call[1] = 1;
	call[2] = (uintptr_t)text;
	call[3] = n;
	tohost = (uintptr_t)call;
	while (!fromhost)
		;
	fromhost = 0;
	print_text(call[0] == n ? "" : "short write\n");
}

/* Resumes after the instruction, which has 4 bytes, or at the return address of a bad jump. */
uintptr_t trap(unsigned long cause, uintptr_t at, unsigned long bad);
uintptr_t trap(unsigned long cause, uintptr_t at, unsigned long bad)
{
	unsigned long status;
	__asm__ volatile("csrr %0, mstatus" : "=r"(status));
	seen = cause;
	value = bad;
	mode = status >> 11 & 3;
	if (cause == 1)
		return resume;
	if (cause == 8) { /* back in M-mode */
		__asm__ volatile("csrs mstatus, %0" : : "r"(3 << 11));
		seen = cause;
	}
	return at + 4;
}

static void print_exception(const char *name)
{
	print_text(name);
	print_text(" cause ");
	print_hex(seen);
	print_text(" value ");
	print_hex(value);
	print_text(mode == 3 ? " M\n" : mode ? " ?\n" : " U\n");
	seen = value = mode = 0x77;
}

static void drop_to_user(void)
{
	__asm__ volatile("la t0, 1f; csrw mepc, t0; li t0, 3 << 11; csrc mstatus, t0; mret; 1:"
	                 :
	                 :
	                 : "t0", "memory");
}

int main(void)
{
	unsigned long n;
	print_text("characters\n");
	print_call("a call\n", 7);
	__asm__ volatile(".option push; .option norvc; ecall; .option pop");
	print_exception("ecall");
	__asm__ volatile(".word 0xffffffff");
	print_exception("illegal");
	__asm__ volatile(".option push; .option norvc; li t0, 0x1000; lw t0, 4(t0); .option pop"
	                 :
	                 :
	                 : "t0", "memory");
	print_exception("load");
	__asm__ volatile(".option push; .option norvc; li t0, 0x1008; sw t0, 4(t0); .option pop"
	                 :
	                 :
	                 : "t0", "memory");
	print_exception("store");
	__asm__ volatile("la t0, fromhost; addi t0, t0, 18; lr.w t1, (t0)" : : : "t0", "t1");
	value &= 63;
	print_exception("lr");
	__asm__ volatile("la t0, fromhost; addi t0, t0, 18; amoadd.w t1, t0, (t0)" : : : "t0", "t1");
	value &= 63;
	print_exception("amo");
	__asm__ volatile(".option push; .option norvc; ebreak; .option pop");
	value = 0;
	print_exception("ebreak");
	__asm__ volatile("csrw cycle, zero");
	print_exception("csr");
	__asm__ volatile("la t0, 1f; " STORE_WORD " t0, (%0); li t0, 0x3000; jr t0; 1:"
	                 :
	                 : "r"(&resume)
	                 : "t0", "memory");
	print_exception("fetch");
	drop_to_user();
	__asm__ volatile(".option push; .option norvc; csrr %0, mstatus; .option pop" : "=r"(n));
	value = 0;
	print_exception("mstatus");
	__asm__ volatile(".option push; .option norvc; ecall; .option pop");
	print_exception("ecall");
	__asm__ volatile("csrr %0, misa" : "=r"(n));
	print_hex(n);
	neighbour = 7;
	print_text(neighbour == 7 && !tohost ? "\n" : "?\n");
	return 41;
}
