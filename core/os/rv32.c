/* System calls of 32-bit programs. RV32 has Linux's generic table without the calls of 32-bit time
 * and offsets; served are those whose buffers are as in RV64, and some that differ by their
 * arguments. */
#include <errno.h>
#include <string.h>

#include "core/os/os_priv.h"
#include "core/os/signals.h"

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

/* ---- signals: structures with words ---- */
static uint64_t rv32_extended(uint32_t v)
{
	return (uint64_t)(int64_t)(int32_t)v;
}

static void rv32_narrow_info(const struct lx_siginfo *from, struct lx_siginfo32 *to)
{
	*to = (struct lx_siginfo32){
		.signo = from->signo,
		.err = from->err,
		.code = from->code,
		.word = {(uint32_t)from->word[0], (uint32_t)(from->word[0] >> 32),
	                 (uint32_t)from->word[1]},
	};
}

static void rv32_widen_info(const struct lx_siginfo32 *from, struct lx_siginfo *to)
{
	*to = (struct lx_siginfo){
		.signo = from->signo,
		.err = from->err,
		.code = from->code,
		.word = {from->word[0] | (uint64_t)from->word[1] << 32, from->word[2]},
	};
}

bool rv32_write_frame(struct mem *mem, uint64_t at, const struct lx_sigframe *frame)
{
	const struct lx_ucontext *from = &frame->context;
	struct lx_sigframe32 f = {
		.stack = {(uint32_t)from->stack.sp, from->stack.flags, (uint32_t)from->stack.size},
		.mask = {(uint32_t)from->mask, (uint32_t)(from->mask >> 32)},
		.pc = (uint32_t)from->pc,
		.fcsr = from->fcsr,
	};
	rv32_narrow_info(&frame->info, &f.info);
	for (size_t i = 0; i < sizeof f.x / sizeof *f.x; i++)
		f.x[i] = (uint32_t)from->x[i];
	memcpy(f.f, from->f, sizeof f.f);
	return mem_write(mem, at, &f, sizeof f);
}

bool rv32_read_frame(struct mem *mem, uint64_t at, struct lx_sigframe *frame)
{
	struct lx_sigframe32 f;
	struct lx_ucontext *to = &frame->context;
	if (!mem_read(mem, at, &f, sizeof f))
		return false;
	*frame = (struct lx_sigframe){
		.context = {.stack = {f.stack.sp, f.stack.flags, 0, f.stack.size},
	                    .mask = f.mask[0] | (uint64_t)f.mask[1] << 32,
	                    .pc = f.pc,
	                    .fcsr = f.fcsr},
	};
	rv32_widen_info(&f.info, &frame->info);
	for (size_t i = 0; i < sizeof f.x / sizeof *f.x; i++)
		to->x[i] = rv32_extended(f.x[i]);
	memcpy(to->f, f.f, sizeof f.f);
	return true;
}

static int64_t rv32_sigaction(struct call *c)
{
	const uint64_t sig = c->a[0];
	struct lx_sigaction32 old, new;
	if (c->a[3] != SIGSET_BYTES)
		return -EINVAL;
	if (c->a[1] && !mem_read(c->mem, c->a[1], &new, sizeof new))
		return -EFAULT;
	if (sig == 0 || sig >= OS_SIGNALS || (c->a[1] && (SIGNALS_UNBLOCKABLE & signal_bit(sig))))
		return -EINVAL;
	const uint64_t *have = c->signals->action[sig];
	old = (struct lx_sigaction32){(uint32_t)have[0],
	                              (uint32_t)have[1],
	                              {(uint32_t)have[2], (uint32_t)(have[2] >> 32)}};
	if (c->a[1]) {
		const uint64_t mask = new.mask[0] | (uint64_t)new.mask[1] << 32,
			       action[] = {new.handler, new.flags, mask & ~SIGNALS_UNBLOCKABLE};
		signal_set_action(c->st, sig, action);
	}
	return c->a[2] && !mem_write(c->mem, c->a[2], &old, sizeof old) ? -EFAULT : 0;
}

static int64_t rv32_sigaltstack(struct call *c)
{
	struct lx_stack old, new;
	struct lx_stack32 narrow = {0};
	if (c->a[0] && !mem_read(c->mem, c->a[0], &narrow, sizeof narrow))
		return -EFAULT;
	new = (struct lx_stack){narrow.sp, narrow.flags, 0, narrow.size};
	const int64_t ret = signal_change_stack(c, c->a[0] ? &new : NULL, &old);
	if (ret < 0 || !c->a[1])
		return ret;
	narrow = (struct lx_stack32){(uint32_t)old.sp, old.flags, (uint32_t)old.size};
	return mem_write(c->mem, c->a[1], &narrow, sizeof narrow) ? 0 : -EFAULT;
}

static int64_t rv32_sigtimedwait(struct call *c)
{
	struct lx_siginfo told;
	struct lx_siginfo32 narrow;
	const int64_t ret = signal_wait_for(c, &told);
	if (ret <= 0 || !c->a[1])
		return ret;
	rv32_narrow_info(&told, &narrow);
	return mem_write(c->mem, c->a[1], &narrow, sizeof narrow) ? ret : -EFAULT;
}

/* ---- threads ---- */
static int64_t rv32_clone(struct call *c)
{
	c->a[3] = rv32_extended((uint32_t)c->a[3]);
	return sys_clone(c);
}

static const struct sys_row rows32[] = {
	{62, "_llseek", rv32_llseek, SYS_HOST},
	{222, "mmap2", rv32_mmap2, SYS_HOST},
	{403, "clock_gettime64", sys_clock_gettime, 0},
	{406, "clock_getres_time64", sys_clock_getres, 0},
	{407, "clock_nanosleep_time64", sys_clock_nanosleep, 0},
	{132, "sigaltstack", rv32_sigaltstack, 0},
	{134, "rt_sigaction", rv32_sigaction, 0},
	{220, "clone", rv32_clone, 0},
	{408, "timer_gettime64", sys_timer_gettime, 0},
	{409, "timer_settime64", sys_timer_settime, 0},
	{413, "pselect6_time64", sys_pselect6, 0},
	{410, "timerfd_gettime64", sys_timerfd_gettime, 0},
	{411, "timerfd_settime64", sys_timerfd_settime, 0},
	{414, "ppoll_time64", sys_ppoll, 0},
	{421, "rt_sigtimedwait_time64", rv32_sigtimedwait, 0},
	{422, "futex_time64", sys_futex, 0},
};

/* Calls of the same number that pass no words in memory, or read them by guest_word(). */
static const uint16_t rv32_same[] = {
	17,  /* getcwd */
	19,  /* eventfd2 */
	20,  /* epoll_create1 */
	21,  /* epoll_ctl */
	22,  /* epoll_pwait */
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
	85,  /* timerfd_create */
	93,  /* exit */
	94,  /* exit_group */
	96,  /* set_tid_address */
	99,  /* set_robust_list */
	100, /* get_robust_list */
	107, /* timer_create */
	109, /* timer_getoverrun */
	111, /* timer_delete */
	124, /* sched_yield */
	129, /* kill */
	130, /* tkill */
	131, /* tgkill */
	133, /* rt_sigsuspend */
	135, /* rt_sigprocmask */
	136, /* rt_sigpending */
	139, /* rt_sigreturn */
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
