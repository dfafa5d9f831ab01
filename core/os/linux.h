/* Linux's ABI for RISC-V 64: numbers and record layouts, spelled out because the host's own headers
 * may differ. Error numbers are shared with the host (checked here). */
#ifndef CYCLOPS_CORE_OS_LINUX_H
#define CYCLOPS_CORE_OS_LINUX_H

#include <assert.h>
#include <errno.h>
#include <stdint.h>

static_assert(EAGAIN == 11 && EDEADLK == 35 && ENAMETOOLONG == 36 && ENOSYS == 38 && ELOOP == 40 &&
                      EOPNOTSUPP == 95 && ETIMEDOUT == 110,
              "the host numbers its errors as the generic ABI does");

/* openat, fcntl */
enum {
	LX_O_ACCMODE = 3,
	LX_O_RDONLY = 0,
	LX_O_WRONLY = 1,
	LX_O_RDWR = 2,
	LX_O_CREAT = 0100,
	LX_O_EXCL = 0200,
	LX_O_TRUNC = 01000,
	LX_O_APPEND = 02000,
	LX_O_NONBLOCK = 04000,
	LX_O_LARGEFILE = 0100000,
	LX_O_DIRECTORY = 0200000,
	LX_O_NOFOLLOW = 0400000,
	LX_O_NOCTTY = 0400,
	LX_O_PATH = 010000000,
	LX_O_CLOEXEC = 02000000,
	LX_O_TMPFILE = 020000000,
	LX_F_DUPFD = 0,
	LX_F_GETFD = 1,
	LX_F_SETFD = 2,
	LX_F_GETFL = 3,
	LX_F_SETFL = 4,
	LX_F_GETLK = 5,
	LX_F_SETLK = 6,
	LX_F_SETLKW = 7,
	LX_F_DUPFD_CLOEXEC = 1030,
	LX_F_ADD_SEALS = 1033,
	LX_F_GET_SEALS = 1034,
	LX_F_UNLCK = 2,
	LX_FD_CLOEXEC = 1
};

/* the *at calls */
enum {
	LX_AT_FDCWD = -100,
	LX_AT_SYMLINK_NOFOLLOW = 0x100,
	LX_AT_REMOVEDIR = 0x200,
	LX_AT_SYMLINK_FOLLOW = 0x400,
	LX_AT_EACCESS = 0x200,
	LX_AT_NO_AUTOMOUNT = 0x800,
	LX_AT_EMPTY_PATH = 0x1000,
	LX_AT_STATX_SYNC_TYPE = 0x6000,
	LX_RENAME_NOREPLACE = 1,
	LX_RENAME_EXCHANGE = 2
};

/* poll */
enum {
	LX_POLLIN = 1,
	LX_POLLPRI = 2,
	LX_POLLOUT = 4,
	LX_POLLERR = 8,
	LX_POLLHUP = 0x10,
	LX_POLLNVAL = 0x20,
	LX_POLLRDNORM = 0x40,
	LX_POLLWRNORM = 0x100
};

enum {
	LX_NSEC = 1000000000,
	LX_UTIME_NOW = 0x3fffffff,
	LX_UTIME_OMIT = 0x3ffffffe,
	LX_ITIMER_PROF = 2
};
/* files in memory */
enum {
	LX_MFD_CLOEXEC = 1,
	LX_MFD_ALLOW_SEALING = 2,
	LX_MFD_NOEXEC_SEAL = 8,
	LX_MFD_EXEC = 16,
	LX_MFD_NAME_MAX = 249,
	LX_SEAL_SEAL = 1,
	LX_SEAL_SHRINK = 2,
	LX_SEAL_GROW = 4,
	LX_SEAL_WRITE = 8,
	LX_SEAL_FUTURE_WRITE = 16,
	LX_SEAL_EXEC = 32,
	LX_SEALS = 63,
	LX_FALLOC_PUNCH_HOLE = 3 /* with FALLOC_FL_KEEP_SIZE, which is required */
};
enum {
	LX_CLONE_THREAD = 0x10000,
	LX_PR_SET_NAME = 15,
	LX_PR_GET_NAME = 16,
	LX_CLOSE_RANGE_CLOEXEC = 4
};
enum { LX_SEEK_SET = 0, LX_SEEK_CUR = 1, LX_SEEK_END = 2, LX_SEEK_DATA = 3, LX_SEEK_HOLE = 4 };
enum { LX_IOV_MAX = 1024, LX_PATH_MAX = 4096, LX_NAME_MAX = 255 };
enum { LX_RW_MAX = 0x7ffff000 }; /* most bytes one read or write moves */

/* mmap, mremap, madvise */
enum {
	LX_MAP_SHARED = 1,
	LX_MAP_PRIVATE = 2,
	LX_MAP_TYPE = 0xf,
	LX_MAP_FIXED = 0x10,
	LX_MAP_ANONYMOUS = 0x20,
	LX_MAP_HUGETLB = 0x40000,
	LX_MAP_FIXED_NOREPLACE = 0x100000,
	LX_MAP_NORESERVE = 0x4000,
	LX_MREMAP_MAYMOVE = 1,
	LX_MREMAP_FIXED = 2,
	LX_MREMAP_DONTUNMAP = 4,
	LX_MADV_DONTNEED = 4
};

/* signals */
enum {
	LX_SIGILL = 4,
	LX_SIGTRAP = 5,
	LX_SIGABRT = 6,
	LX_SIGBUS = 7,
	LX_SIGFPE = 8,
	LX_SIGKILL = 9,
	LX_SIGSEGV = 11,
	LX_SIGPIPE = 13,
	LX_SIGALRM = 14,
	LX_SIGCHLD = 17,
	LX_SIGCONT = 18,
	LX_SIGSTOP = 19,
	LX_SIGTSTP = 20,
	LX_SIGTTIN = 21,
	LX_SIGTTOU = 22,
	LX_SIGURG = 23,
	LX_SIGVTALRM = 26,
	LX_SIGPROF = 27,
	LX_SIGWINCH = 28,
	LX_SIGSYS = 31,
	LX_SIGRTMIN = 32,
	LX_SIG_DFL = 0,
	LX_SIG_IGN = 1,
	LX_SIG_BLOCK = 0,
	LX_SIG_UNBLOCK = 1,
	LX_SA_ONSTACK = 0x08000000,
	LX_SA_RESTART = 0x10000000,
	LX_SA_NODEFER = 0x40000000,
	/* a flag of Cyclops, which Linux ignores: the handler writes a profile, then the signal's
	 * default action follows */
	LX_SA_STILL_ENDS = 0x1000,
	LX_SIG_SETMASK = 2,
	LX_SI_USER = 0,
	LX_SI_KERNEL = 0x80,
	LX_SI_QUEUE = -1,
	LX_SI_TIMER = -2,
	LX_SI_TKILL = -6,
	LX_ILL_ILLOPC = 1,
	LX_SEGV_MAPERR = 1,
	LX_SEGV_ACCERR = 2,
	LX_BUS_ADRALN = 1,
	LX_TRAP_BRKPT = 1,
	LX_SS_ONSTACK = 1,
	LX_SS_DISABLE = 2,
	LX_MINSIGSTKSZ = 2048,
	LX_SIGEV_SIGNAL = 0,
	LX_SIGEV_NONE = 1,
	LX_SIGEV_THREAD_ID = 4,
	/* internal, never seen by the program: repeat the call after a handler with SA_RESTART, and
	 * always if there is no handler */
	LX_RESTART_SYS = -512
};
#define LX_SA_RESETHAND UINT64_C(0x80000000)
#define LX_SS_AUTODISARM (1u << 31)

/* clocks, futex, limits, ioctl */
enum {
	LX_TIMER_ABSTIME = 1,
	LX_CLOCK_MONOTONIC = 1,
	LX_CLOCK_PROCESS_CPUTIME = 2,
	LX_CLOCK_THREAD_CPUTIME = 3,
	LX_CLOCK_BOOTTIME = 7,
	LX_CLOCK_REALTIME = 0,
	LX_CLOCK_REALTIME_COARSE = 5,
	LX_CLOCK_TAI = 11,
	LX_FUTEX_WAIT = 0,
	LX_FUTEX_WAKE = 1,
	LX_FUTEX_FD = 2,
	LX_FUTEX_REQUEUE = 3,
	LX_FUTEX_CMP_REQUEUE = 4,
	LX_FUTEX_WAKE_OP = 5,
	LX_FUTEX_WAIT_BITSET = 9,
	LX_FUTEX_WAKE_BITSET = 10,
	LX_FUTEX_CMD_MASK = 0x7f,
	LX_FUTEX_PRIVATE = 0x80,
	LX_FUTEX_CLOCK_REALTIME = 0x100,
	LX_FUTEX_TID_MASK = 0x3fffffff,
	LX_FUTEX_OWNER_DIED = 0x40000000,
	LX_RLIMIT_STACK = 3,
	LX_RLIMIT_CORE = 4,
	LX_RLIMIT_NOFILE = 7,
	LX_RLIM_NLIMITS = 16,
	LX_TCGETS = 0x5401,
	LX_TCSETS = 0x5402,
	LX_TCSETSF = 0x5404,
	LX_TIOCGPGRP = 0x540f,
	LX_TIOCGWINSZ = 0x5413
};

/* a futex bit; does not fit into an enum */
#define LX_FUTEX_WAITERS UINT32_C(0x80000000)

/* The guest's identity: constants, so that nothing depends on the host. */
enum { GUEST_PID = 1000, GUEST_PPID = 999, GUEST_UID = 1000 };

struct lx_timespec {
	int64_t sec, nsec;
};

struct lx_timeval {
	int64_t sec, usec;
};

struct lx_stat {
	uint64_t dev, ino;
	uint32_t mode, nlink, uid, gid;
	uint64_t rdev, pad1;
	int64_t size;
	int32_t blksize, pad2;
	int64_t blocks;
	struct lx_timespec atime, mtime, ctime;
	uint32_t unused[2];
};
static_assert(sizeof(struct lx_stat) == 128, "asm-generic/stat.h");

struct lx_statx_time {
	int64_t sec;
	uint32_t nsec;
	int32_t pad;
};

struct lx_statx {
	uint32_t mask, blksize;
	uint64_t attributes;
	uint32_t nlink, uid, gid;
	uint16_t mode, pad0;
	uint64_t ino, size, blocks, attributes_mask;
	struct lx_statx_time atime, btime, ctime, mtime;
	uint32_t rdev_major, rdev_minor, dev_major, dev_minor;
	uint64_t mnt_id;
	uint32_t dio_mem_align, dio_offset_align;
	uint64_t spare[12];
};
static_assert(sizeof(struct lx_statx) == 256, "linux/stat.h");
enum { LX_STATX_BASIC_STATS = 0x7ff };

/* Followed by the NUL-terminated name; a record's length is a multiple of 8. */
struct lx_dirent {
	uint64_t ino;
	int64_t off; /* of the next record, bytes */
	uint16_t reclen;
	uint8_t type;
	char name[];
} __attribute__((packed));
static_assert(sizeof(struct lx_dirent) == 19, "struct linux_dirent64");

struct lx_iovec {
	uint64_t base, len;
};

struct lx_pollfd {
	int32_t fd;
	int16_t events, revents;
};

struct lx_siginfo {
	int32_t signo, err, code, pad;
	uint64_t word[2]; /* as of struct signal_info */
	uint8_t rest[96];
};
static_assert(sizeof(struct lx_siginfo) == 128, "asm-generic/siginfo.h");

struct lx_flock {
	int16_t type, whence;
	int32_t pad0;
	int64_t start, len;
	int32_t pid, pad1;
};
static_assert(sizeof(struct lx_flock) == 32, "asm-generic/fcntl.h");

struct lx_rlimit {
	uint64_t cur, max;
};

struct lx_rusage {
	struct lx_timeval utime, stime;
	int64_t rest[14];
};
static_assert(sizeof(struct lx_rusage) == 144, "linux/resource.h");

struct lx_statfs {
	int64_t type, bsize;
	uint64_t blocks, bfree, bavail, files, ffree;
	int32_t fsid[2];
	int64_t namelen, frsize, flags, spare[4];
};
static_assert(sizeof(struct lx_statfs) == 120, "asm-generic/statfs.h");

struct lx_sysinfo {
	int64_t uptime;
	uint64_t loads[3];
	uint64_t totalram, freeram, sharedram, bufferram, totalswap, freeswap;
	uint16_t procs, pad;
	uint32_t pad2;
	uint64_t totalhigh, freehigh;
	uint32_t mem_unit, pad3;
};
static_assert(sizeof(struct lx_sysinfo) == 112, "linux/sysinfo.h");

struct lx_utsname {
	char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65];
};
static_assert(sizeof(struct lx_utsname) == 390, "linux/utsname.h");

/* RISC-V has no sa_restorer. */
struct lx_sigaction {
	uint64_t handler, flags, mask;
};

struct lx_stack {
	uint64_t sp;
	int32_t flags, pad;
	uint64_t size;
};

struct lx_sigevent {
	uint64_t value;
	int32_t signo, notify, tid;
	uint8_t rest[44];
};
static_assert(sizeof(struct lx_sigevent) == 64, "asm-generic/siginfo.h");

/* State of Xprof in a signal's frame, unknown to Linux: it lies in the part of the union of
 * floating-point states that only the Q extension would use. Without `magic`, as in a frame that a
 * program made, nothing is restored. */
struct lx_xprof_context {
	uint64_t magic, pflags, pfbase;
};
#define LX_XPROF_MAGIC UINT64_C(0x666f727058636953) /* "SicXprof" */

/* struct ucontext; the D extension's state stands for the union of floating-point states. */
struct lx_ucontext {
	uint64_t flags, link;
	struct lx_stack stack;
	uint64_t mask;
	uint8_t unused[120];
	uint64_t pad;
	uint64_t pc, x[31]; /* x1 to x31 */
	uint64_t f[32];
	uint32_t fcsr, pad2;
	struct lx_xprof_context xprof;
	uint8_t rest[240];
};
static_assert(sizeof(struct lx_ucontext) == 960, "asm/ucontext.h");

struct lx_sigframe {
	struct lx_siginfo info;
	struct lx_ucontext context;
};
static_assert(sizeof(struct lx_sigframe) == 1088, "struct rt_sigframe");

/* The same of RV32, where `unsigned long` has 32 bits. */
struct lx_siginfo32 {
	int32_t signo, err, code;
	uint32_t word[3]; /* bits 31:0 and 63:32 of the first word, then the second */
	uint8_t rest[104];
};
static_assert(sizeof(struct lx_siginfo32) == 128, "asm-generic/siginfo.h");

struct lx_stack32 {
	uint32_t sp;
	int32_t flags;
	uint32_t size;
};

struct lx_sigaction32 {
	uint32_t handler, flags, mask[2];
};

struct lx_sigevent32 {
	uint32_t value;
	int32_t signo, notify, tid;
	uint8_t rest[48];
};
static_assert(sizeof(struct lx_sigevent32) == 64, "asm-generic/siginfo.h");

struct lx_sigframe32 {
	struct lx_siginfo32 info;
	uint32_t flags, link;
	struct lx_stack32 stack;
	uint32_t mask[2];
	uint8_t unused[120], pad[12];
	uint32_t pc, x[31];
	uint64_t f[32];
	uint32_t fcsr, pad2[3];
	uint8_t rest[256];
};
static_assert(sizeof(struct lx_sigframe32) == 128 + 160 + 128 + 528, "struct rt_sigframe");

struct lx_termios {
	uint32_t iflag, oflag, cflag, lflag;
	uint8_t line, cc[19];
};
static_assert(sizeof(struct lx_termios) == 36, "asm-generic/termbits.h, 19 control characters");

struct lx_winsize {
	uint16_t rows, cols, xpixel, ypixel;
};

struct lx_hwprobe {
	int64_t key;
	uint64_t value;
};

struct lx_tms {
	int64_t utime, stime, cutime, cstime;
};

#endif
