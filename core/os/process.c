/* System calls about the process: its numbers, users, limits, and how it ends. */
#include <string.h>

#include "core/isa/exec.h"
#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/space.h"
#include "core/os/thread.h"

int64_t sys_nothing(struct call *c)
{
	(void)c;
	return 0;
}

/* Marks all fetched instructions of the program's code as stale. */
int64_t sys_riscv_flush_icache(struct call *c)
{
	c->h->new_code = 1;
	return 0;
}

/* Fails without a warning: C libraries try these calls and do without. */
int64_t sys_absent(struct call *c)
{
	(void)c;
	return -ENOSYS;
}

int64_t sys_getpid(struct call *c)
{
	(void)c;
	return GUEST_PID;
}

int64_t sys_getppid(struct call *c)
{
	(void)c;
	return GUEST_PPID;
}

int64_t sys_getuid(struct call *c)
{
	(void)c;
	return GUEST_UID;
}

/* The program has no children. */
int64_t sys_wait4(struct call *c)
{
	enum { NOHANG = 1, UNTRACED = 2, CONTINUED = 8 };
	const uint32_t linux_only = UINT32_C(7) << 29; /* __WNOTHREAD, __WALL, __WCLONE */
	if ((uint32_t)c->a[2] & ~(NOHANG | UNTRACED | CONTINUED | linux_only))
		return -EINVAL;
	return (int32_t)c->a[0] == INT32_MIN ? -ESRCH : -ECHILD;
}

int64_t sys_waitid(struct call *c)
{
	enum { NOHANG = 1, STOPPED = 2, EXITED = 4, CONTINUED = 8, NOWAIT = 1 << 24 };
	enum { P_ALL, P_PID, P_PGID, SIGINFO_BYTES = 128 };
	const uint32_t linux_only = UINT32_C(7) << 29, options = (uint32_t)c->a[3];
	const int id = (int)c->a[1];
	if (c->a[2] && guest_span(c->mem, c->a[2], SIGINFO_BYTES, PROT_R | PROT_W) < SIGINFO_BYTES)
		return -EFAULT;
	if ((options & ~(NOHANG | STOPPED | EXITED | CONTINUED | NOWAIT | linux_only)) ||
	    !(options & (EXITED | STOPPED | CONTINUED)))
		return -EINVAL;
	if ((uint32_t)c->a[0] > P_PGID || (c->a[0] == P_PID && id <= 0) ||
	    (c->a[0] == P_PGID && id < 0))
		return -EINVAL;
	return -ECHILD;
}

int64_t sys_getresuid(struct call *c)
{
	static const uint32_t id = GUEST_UID;
	for (unsigned i = 0; i < 3; i++)
		if (!mem_write(c->mem, c->a[i], &id, sizeof id))
			return -EFAULT;
	return 0;
}

/* setuid and its kin: only the guest's own user is allowed. */
int64_t sys_setuid(struct call *c)
{
	return (int32_t)c->a[0] == -1 ? -EINVAL : c->a[0] == GUEST_UID ? 0 : -EPERM;
}

int64_t sys_getpriority(struct call *c)
{
	enum { PROCESS, GROUP, USER, NICE_0 = 20 };
	const int who = (int)c->a[1];
	if ((uint32_t)c->a[0] > USER)
		return -EINVAL;
	const bool is_here = c->a[0] == PROCESS ? !who || os_thread_find(c->os, (uint32_t)who) >= 0
	                     : c->a[0] == GROUP ? !who || who == GUEST_PID
	                                        : !who || who == GUEST_UID;
	return is_here ? NICE_0 : -ESRCH;
}

int64_t sys_mknodat(struct call *c)
{
	(void)c;
	return -EPERM;
}

bool os_check_hostname(const char *text, struct err *err)
{
	enum { MOST = sizeof((struct lx_utsname *)0)->nodename - 1 };
	size_t n = strlen(text);
	if (n >= 1 && n <= MOST)
		return true;
	return err_set(err, "a name of %zu characters; expected 1 to %d", n, MOST);
}

int64_t sys_uname(struct call *c)
{
	struct lx_utsname name = {
		.sysname = "Linux",
		.release = "6.1.0",
		.version = "#1 simulated",
		.machine = "riscv64",
		.domainname = "(none)",
	};
	if (c->h->isa == ISA_RV32GC)
		memcpy(name.machine, "riscv32", sizeof "riscv32");
	memcpy(name.nodename, c->os->hostname, sizeof name.nodename - 1);
	return mem_write(c->mem, c->a[0], &name, sizeof name) ? 0 : -EFAULT;
}

static struct lx_rlimit process_resource_limit(const struct os *os, uint64_t resource)
{
	uint64_t v = UINT64_MAX;
	if (resource == LX_RLIMIT_STACK)
		v = os->stack_bytes;
	else if (resource == LX_RLIMIT_NOFILE)
		v = OS_FDS;
	else if (resource == LX_RLIMIT_CORE)
		v = 0;
	return (struct lx_rlimit){v, v};
}

int64_t sys_getrlimit(struct call *c)
{
	if (c->a[0] >= LX_RLIM_NLIMITS)
		return -EINVAL;
	struct lx_rlimit l = process_resource_limit(c->os, c->a[0]);
	return mem_write(c->mem, c->a[1], &l, sizeof l) ? 0 : -EFAULT;
}

int64_t sys_prlimit64(struct call *c)
{
	struct lx_rlimit want;
	if (c->a[2] && !mem_read(c->mem, c->a[2], &want, sizeof want))
		return -EFAULT;
	if ((int)c->a[0] != 0 && (int)c->a[0] != GUEST_PID)
		return -ESRCH;
	if (c->a[1] >= LX_RLIM_NLIMITS)
		return -EINVAL;
	struct lx_rlimit now = process_resource_limit(c->os, c->a[1]);
	if (c->a[2]) {
		/* The machine's limits are its configuration's. */
		if (want.cur > want.max)
			return -EINVAL;
		if (want.cur != now.cur)
			return -EPERM;
	}
	return c->a[3] && !mem_write(c->mem, c->a[3], &now, sizeof now) ? -EFAULT : 0;
}

int64_t sys_sysinfo(struct call *c)
{
	struct lx_sysinfo info = {
		.uptime = time_since_start(c).sec,
		.totalram = UINT64_C(4) << 30,
		.freeram = UINT64_C(2) << 30,
		.procs = 1,
		.mem_unit = 1,
	};
	return mem_write(c->mem, c->a[0], &info, sizeof info) ? 0 : -EFAULT;
}

int64_t sys_getcpu(struct call *c)
{
	static const uint32_t zero = 0;
	for (unsigned i = 0; i < 2; i++)
		if (c->a[i] && !mem_write(c->mem, c->a[i], &zero, sizeof zero))
			return -EFAULT;
	return 0;
}

int64_t sys_getrandom(struct call *c)
{
	uint64_t done = 0,
		 n = guest_span(c->mem, c->a[0], c->a[1] < LX_RW_MAX ? c->a[1] : LX_RW_MAX,
	                        PROT_R | PROT_W);
	enum { NONBLOCK = 1, RANDOM = 2, INSECURE = 4 };
	const uint32_t flags = (uint32_t)c->a[2];
	if ((flags & ~(uint32_t)(NONBLOCK | RANDOM | INSECURE)) ||
	    (flags & (RANDOM | INSECURE)) == (RANDOM | INSECURE))
		return -EINVAL;
	if (!space_holds(c->a[0], c->a[1] < LX_RW_MAX ? c->a[1] : LX_RW_MAX))
		return -EFAULT;
	if (n == 0 && c->a[1] != 0)
		return -EFAULT;
	if (!undo_begin(c, n))
		return 0;
	while (done < n && !undo_wanted(c)) {
		uint8_t bytes[256];
		size_t len = n - done < sizeof bytes ? (size_t)(n - done) : sizeof bytes;
		os_random_bytes(c->st, bytes, len);
		if (!mem_write(c->mem, c->a[0] + done, bytes, len))
			return -EFAULT;
		done += len;
	}
	return (int64_t)n;
}

/* Bits of hwprobe's IMA_EXT_0 (Linux 6.16). C consists of Zca and Zcd; Zkt: no latency of a unit
 * depends on data. */
#define BIT(n) (UINT64_C(1) << (n))
enum { BIT_FD = 0, BIT_C = 1, BIT_ZCA = 43, BIT_ZCD = 45, BIT_ZICNTR = 50, BIT_ZIHPM = 51 };
enum { BIT_ZKT = 16, BIT_ZCB = 44 };
static const uint64_t probe_rv64gc = BIT(BIT_FD) | BIT(BIT_C) | BIT(BIT_ZCA) | BIT(BIT_ZCD) |
                                     BIT(BIT_ZICNTR) | BIT(BIT_ZIHPM);
static const uint64_t probe_beyond = BIT(BIT_ZKT) | BIT(BIT_ZCB)
#define EXTENSION(id, name, probe, ...) | BIT(probe)
#include "core/isa/rv64.def"
	;

/* Describes the machine; the hardware does misaligned accesses itself. */
static bool process_hwprobe_value(const struct hart *h, int64_t key, uint64_t *value)
{
	enum { VENDOR, ARCH, IMPL, BASE, EXTENSIONS, PERFORMANCE, ZICBOZ_BLOCK };
	enum { ZICBOM_BLOCK = 12 };
	enum { BASE_IMA = 1, MISALIGNED_FAST = 3 };
	switch (key) {
	case VENDOR:
	case ARCH:
	case IMPL:
		*value = 0;
		return true;
	case BASE:
		*value = BASE_IMA;
		return true;
	case EXTENSIONS:
		*value = probe_rv64gc | (h->isa ? 0 : probe_beyond);
		return true;
	case PERFORMANCE:
		*value = MISALIGNED_FAST;
		return true;
	case ZICBOZ_BLOCK:
	case ZICBOM_BLOCK:
		*value = h->isa ? 0 : BLOCK_BYTES;
		return true;
	default:
		return false;
	}
}

int64_t sys_riscv_hwprobe(struct call *c)
{
	if (c->a[4] != 0)
		return -EINVAL;
	if (!undo_begin(c, c->a[1] >> 32 ? UINT64_MAX : c->a[1] * sizeof(struct lx_hwprobe)))
		return 0;
	for (uint64_t i = 0; i < c->a[1] && !undo_wanted(c); i++) {
		struct lx_hwprobe p;
		uint64_t at = c->a[0] + i * sizeof p;
		if (!mem_read(c->mem, at, &p, sizeof p))
			return -EFAULT;
		if (!process_hwprobe_value(c->h, p.key, &p.value))
			p = (struct lx_hwprobe){.key = -1};
		if (!mem_write(c->mem, at, &p, sizeof p))
			return -EFAULT;
	}
	return 0;
}
