/* System calls of 32-bit programs. RV32 has Linux's generic table without the calls of 32-bit time
 * and offsets; served are those whose buffers are as in RV64, and some that differ by their
 * arguments. */
#include <errno.h>

#include "core/os/os_priv.h"

/* lseek with an offset in two words, and the result in memory. */
static int64_t rv32_llseek(struct call *c)
{
	const uint64_t result = c->a[3];
	if (guest_span(c->mem, result, sizeof(int64_t), PROT_R | PROT_W) < sizeof(int64_t))
		return -EFAULT;
	c->a[1] = c->a[1] << 32 | c->a[2];
	c->a[2] = c->a[4];
	const int64_t at = sys_lseek(c);
	if (at < 0 || c->again)
		return at;
	return mem_write(c->mem, result, &at, sizeof at) ? 0 : -EFAULT;
}

/* mmap with an offset in units of 4096 bytes. */
static int64_t rv32_mmap2(struct call *c)
{
	enum { UNIT = 4096 };
	c->a[5] *= UNIT;
	if (c->a[0] + c->a[1] <= UINT64_C(1) << 32)
		return sys_mmap(c);
	if (c->a[3] & (LX_MAP_FIXED | LX_MAP_FIXED_NOREPLACE))
		return -ENOMEM;
	c->a[0] = 0;
	return sys_mmap(c);
}

static const struct sys_row rows32[] = {
	{62, "_llseek", rv32_llseek, SYS_HOST},
	{222, "mmap2", rv32_mmap2, SYS_HOST},
	{403, "clock_gettime64", sys_clock_gettime, 0},
	{406, "clock_getres_time64", sys_clock_getres, 0},
	{407, "clock_nanosleep_time64", sys_clock_nanosleep, 0},
};

/* Calls of the same number that pass no words in memory. */
static const uint16_t rv32_same[] = {
	17,  /* getcwd */
	23,  /* dup */
	24,  /* dup3 */
	25,  /* fcntl */
	34,  /* mkdirat */
	35,  /* unlinkat */
	36,  /* symlinkat */
	37,  /* linkat */
	48,  /* faccessat */
	49,  /* chdir */
	50,  /* fchdir */
	56,  /* openat */
	57,  /* close */
	59,  /* pipe2 */
	61,  /* getdents64 */
	63,  /* read */
	64,  /* write */
	65,  /* readv */
	66,  /* writev */
	93,  /* exit */
	94,  /* exit_group */
	96,  /* set_tid_address */
	124, /* sched_yield */
	160, /* uname */
	166, /* umask */
	172, /* getpid */
	173, /* getppid */
	174, /* getuid */
	175, /* geteuid */
	176, /* getgid */
	177, /* getegid */
	178, /* gettid */
	214, /* brk */
	215, /* munmap */
	226, /* mprotect */
	233, /* madvise */
	259, /* riscv_flush_icache */
	261, /* prlimit64 */
	276, /* renameat2 */
	278, /* getrandom */
	291, /* statx */
};

static bool is_same(uint64_t number)
{
	for (size_t i = 0; i < sizeof rv32_same / sizeof *rv32_same; i++)
		if (rv32_same[i] == number)
			return true;
	return false;
}

const struct sys_row *rv32_service(struct call *c, const struct sys_row *row64, uint64_t number)
{
	for (size_t i = 0; i < sizeof c->a / sizeof *c->a; i++)
		c->a[i] = (uint32_t)c->a[i];
	for (size_t i = 0; i < sizeof rows32 / sizeof *rows32; i++)
		if (rows32[i].number == number)
			return &rows32[i];
	return is_same(number) ? row64 : NULL;
}
