/* The guest of the time travel tests: no C library, and a label at each place that a test goes to.
 *
 * Reads "data.txt" of its current directory. With one argument it ends in a fault instead of exit(7), with two or
 * more it copies a line of its standard input first, and with three it waits for ever in the end. */
typedef unsigned long u64;
typedef long s64;

static s64 call(s64 number, s64 a, s64 b, s64 c, s64 d, s64 e, s64 f)
{
	register s64 a0 __asm__("a0") = a;
	register s64 a1 __asm__("a1") = b;
	register s64 a2 __asm__("a2") = c;
	register s64 a3 __asm__("a3") = d;
	register s64 a4 __asm__("a4") = e;
	register s64 a5 __asm__("a5") = f;
	register s64 a7 __asm__("a7") = number;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7) : "memory");
	return a0;
}

#define PLACE(name) __asm__ volatile(".globl " #name "\n" #name ": nop" ::: "memory")
#define NOINLINE __attribute__((noinline, noclone))

enum { SYS_OPENAT = 56, SYS_READ = 63, SYS_WRITE = 64, SYS_FUTEX = 98, SYS_MMAP = 222 };

volatile u64 counter;
volatile u64 checksum;
char buffer[64];
u64 table[4096];

static void say(const char *text, s64 n)
{
	call(SYS_WRITE, 1, (s64)text, n, 0, 0, 0);
}

/* Called with 1 to 10. */
NOINLINE void tick(u64 i)
{
	counter = counter + i;
}

NOINLINE void jump(void)
{
	__asm__ volatile(".globl before_jump, after_jump, jumped_over\n"
	                 "before_jump: j after_jump\n"
	                 "jumped_over: ebreak\n"
	                 "ebreak\n"
	                 "after_jump: nop");
}

/* The branch is always taken, but that is known only when a chain of cold loads has arrived: until
 * then the code after it runs on the wrong path. */
NOINLINE void mispredict(u64 *cell)
{
	__asm__ volatile(".globl wrong_path\n"
	                 "ld t0, 0(%0)\n"
	                 "add t0, t0, %0\n"
	                 "ld t0, 0(t0)\n"
	                 "beqz t0, 1f\n"
	                 "wrong_path: addi t1, t1, 1\n"
	                 "sd t1, 0(%0)\n"
	                 "addi t1, t1, 1\n"
	                 "1:" ::"r"(cell) : "t0", "t1", "memory");
}

/* addi a0, a0, imm; ret */
static void emit(unsigned *code, unsigned imm)
{
	code[0] = imm << 20 | 10 << 15 | 10 << 7 | 0x13;
	code[1] = 0x8067;
	__asm__ volatile("fence.i" ::: "memory");
}

NOINLINE void patch(void)
{
	unsigned *code = (unsigned *)call(SYS_MMAP, 0, 4096, 7, 0x22, -1, 0);
	s64 (*f)(s64) = (s64 (*)(s64))code;
	emit(code, 5);
	checksum += (u64)f(100);
	PLACE(before_patch);
	emit(code, 9);
	PLACE(after_patch);
	checksum += (u64)f(100);
}

static void *jump_buffer[5];

NOINLINE void deep(int n)
{
	volatile char frame[48];
	frame[n] = (char)n;
	if (n == 0) {
		PLACE(before_longjmp);
		__builtin_longjmp(jump_buffer, 1);
	}
	deep(n - 1);
	frame[0] = frame[n];
}

NOINLINE void unwind(void)
{
	if (__builtin_setjmp(jump_buffer) == 0)
		deep(6);
	PLACE(after_longjmp);
}

NOINLINE u64 work(u64 seed)
{
	u64 x = seed, sum = 0;
	for (int i = 0; i < 3000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		table[x % 4096] += x;
		if (x & 64)
			sum += table[(x >> 20) % 4096];
	}
	return sum;
}

int begin(s64 argc)
{
	if (argc > 2) {
		PLACE(before_input);
		say(buffer, call(SYS_READ, 0, (s64)buffer, 64, 0, 0, 0));
	}
	jump();
	say("one\n", 4);
	PLACE(after_one);
	s64 fd = call(SYS_OPENAT, -100, (s64)"data.txt", 0, 0, 0, 0);
	PLACE(before_read);
	s64 n = call(SYS_READ, fd, (s64)buffer, 32, 0, 0, 0);
	PLACE(after_read);
	checksum = (u64)n * 1000 + (u64)buffer[0];
	say(buffer, n > 0 ? n : 0);
	n = call(SYS_READ, fd, (s64)buffer, 8, 0, 0, 0);
	say(buffer, n > 0 ? n : 0);
	for (u64 i = 1; i <= 10; i++)
		tick(i);
	PLACE(after_ticks);
	for (u64 i = 0; i < 8; i++)
		mispredict(&table[i * 512]);
	patch();
	unwind();
	checksum += work(88172645463325252UL);
	say("two\n", 4);
	PLACE(after_two);
	if (argc == 2)
		*(volatile int *)8 = 1;
	if (argc == 4)
		call(SYS_FUTEX, (s64)&counter, 0, (s64)(unsigned)counter, 0, 0, 0);
	return 7;
}

__asm__(".globl _start\n"
        "_start: ld a0, 0(sp)\n"
        "andi sp, sp, -16\n"
        "call begin\n"
        "li a7, 93\n"
        "ecall");
