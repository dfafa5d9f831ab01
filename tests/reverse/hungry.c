/* A guest that takes more host memory than any reserve: by stores, by calls that move megabytes, by
 * mappings that grow, move and end. No C library. It reads all of "data.txt" and "folder", and its
 * status is computed from them. */
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

enum {
	SYS_GETCWD = 17, SYS_OPENAT = 56, SYS_CLOSE = 57, SYS_GETDENTS = 61, SYS_LSEEK = 62, SYS_READ = 63, SYS_WRITE = 64, SYS_READV = 65,
	SYS_EXIT = 93, SYS_MUNMAP = 215, SYS_MREMAP = 216, SYS_MMAP = 222, SYS_MADVISE = 233, SYS_RANDOM = 278
};
enum { PAGE = 4096, PAGES = 900, INPUT = 3 << 20, READ_WRITE = 3, PRIVATE = 2, ANONYMOUS = 0x22, MAY_MOVE = 1, DONT_NEED = 4 };

static char small[3000];
static u64 sum;

static void hungry_see(s64 value)
{
	sum = sum * 31 + (u64)value;
}

static char *hungry_map(u64 bytes, s64 flags, s64 fd)
{
	return (char *)call(SYS_MMAP, 0, (s64)bytes, READ_WRITE, flags, fd, 0);
}

static void hungry_look(const char *at, u64 bytes)
{
	for (u64 i = 0; i < bytes; i += 3 * PAGE)
		hungry_see(at[i]);
}

static void store_all_over(char *at)
{
	for (u64 i = 0; i < PAGES; i++)
		*(volatile u64 *)(at + i * PAGE) = i + sum;
}

static void read_all(s64 fd)
{
	struct { char *at; u64 n; } part[40];
	char *at = hungry_map(INPUT, ANONYMOUS, -1);
	hungry_see(call(SYS_READ, fd, (s64)at, INPUT, 0, 0, 0));
	hungry_look(at, INPUT);
	call(SYS_LSEEK, fd, 0, 0, 0, 0, 0);
	for (u64 i = 0; i < 40; i++) {
		part[i].at = at + i * 7 * PAGE;
		part[i].n = 100 + i;
	}
	hungry_see(call(SYS_READV, fd, (s64)part, 40, 0, 0, 0));
	hungry_look(at, INPUT);
	hungry_see(call(SYS_MUNMAP, (s64)at, INPUT, 0, 0, 0, 0));
}

int begin(void)
{
	char *all = hungry_map(PAGES * PAGE, ANONYMOUS, -1);
	store_all_over(all);
	s64 fd = call(SYS_OPENAT, -100, (s64)"data.txt", 0, 0, 0, 0);
	read_all(fd);
	hungry_look(hungry_map(INPUT, PRIVATE, fd), INPUT);
	call(SYS_CLOSE, fd, 0, 0, 0, 0, 0);
	all = (char *)call(SYS_MREMAP, (s64)all, PAGES * PAGE, 2 * PAGES * PAGE, MAY_MOVE, 0, 0);
	hungry_look(all, 2 * PAGES * PAGE);
	hungry_see(call(SYS_MADVISE, (s64)all + 5 * PAGE, 300 * PAGE, DONT_NEED, 0, 0, 0));
	hungry_see(call(SYS_RANDOM, (s64)all, 3 * PAGE, 0, 0, 0, 0));
	store_all_over(all + 100 * PAGE);
	hungry_look(all, 2 * PAGES * PAGE);
	s64 here = call(SYS_OPENAT, -100, (s64) "folder", 0200000, 0, 0, 0);
	hungry_see(call(SYS_GETDENTS, here, (s64)small, sizeof small, 0, 0, 0) > 0);
	hungry_see(call(SYS_GETCWD, (s64)small, sizeof small, 0, 0, 0, 0));
	call(SYS_WRITE, 1, (s64)all, 20000, 0, 0, 0);
	return (int)(sum ^ sum >> 32) & 127;
}

__asm__(".globl _start\n"
        "_start: .option push\n"
        ".option norelax\n"
        "la gp, __global_pointer$\n"
        ".option pop\n"
        "call begin\n"
        "li a7, 93\n"
        "ecall\n");
