/* Tries of `escape` by calls without a path, and by invalid paths. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include "escape.h"

void descriptors(void)
{
	struct { int fd; short events, revents; } all[61];
	static const long now[2] = {0, 0};
	char bytes[8];
	for (int fd = 3; fd < 64; fd++)
		all[fd - 3].fd = fd, all[fd - 3].events = -1;
	note("ppoll", gave(CALL(SYS_ppoll, all, 61, now, NULL, 8)));
	for (int fd = 3; fd < 300; fd += fd < 64 ? 1 : 47) {
		if (fd < 64 && all[fd - 3].revents != 0x20)
			note("open", LEAK);
		const long r = CALL(SYS_read, fd, bytes, 1), w = CALL(SYS_write, fd, "x", 1), s = CALL(SYS_fstat, fd, text + 60000);
		tries += 2;
		if (fd < 8 || r != -EBADF || w != -EBADF || s != -EBADF)
			note("read", gave(r));
	}
	for (int fd = -3; fd < 3; fd++) {
		note("openat", gave(open_at(fd, "../outside/SENTINEL", O_RDONLY)));
		note("fchdir", gave(CALL(SYS_fchdir, fd)));
		note("TIOCSTI", gave(CALL(SYS_ioctl, fd, 0x5412, "x")));
		note("FIOASYNC", gave(CALL(SYS_ioctl, fd, 0x5452, "x")));
		note("SETOWN", gave(CALL(SYS_fcntl, fd, 8, 1)));
		note("SETPIPE_SZ", gave(CALL(SYS_fcntl, fd, 1031, 1 << 20)));
	}
	tell("descriptors that the guest has not opened");
}

void processes(void)
{
	static const int pids[] = {1, 2, -1, 999, -999, 1001, 0x7fffffff};
	char bytes[64] = "";
	const struct { void *base; long n; } here = {bytes, 8}, there = {(void *)0x10000, 8};
	const long limit[2] = {0, 0};
	for (unsigned i = 0; i < sizeof pids / sizeof *pids; i++) {
		const int pid = pids[i];
		note("kill", gave(CALL(SYS_kill, pid, 9)));
		note("tkill", gave(CALL(SYS_tkill, pid, 9)));
		note("tgkill", gave(CALL(SYS_tgkill, pid, pid, 9)));
		note("sigqueue", gave(CALL(SYS_rt_sigqueueinfo, pid, 9, bytes)));
		note("attach", gave(CALL(SYS_ptrace, 16, pid, 0, 0)));
		note("seize", gave(CALL(SYS_ptrace, 0x4206, pid, 0, 0)));
		note("vm_read", gave(CALL(SYS_process_vm_readv, pid, &here, 1, &there, 1, 0)));
		note("vm_write", gave(CALL(SYS_process_vm_writev, pid, &here, 1, &there, 1, 0)));
		note("prlimit", gave(CALL(SYS_prlimit64, pid, 7, limit, NULL)));
		note("pidfd_open", gave(CALL(434, pid, 0)));
		note("pidfd_getfd", gave(CALL(438, pid, 0, 0)));
		note("priority", gave(CALL(SYS_setpriority, 0, pid, -20)));
		note("affinity", gave(CALL(SYS_sched_setaffinity, pid, 8, limit)));
		note("kcmp", gave(CALL(SYS_kcmp, pid, 1, 0, 0, 0)));
		note("setpgid", gave(CALL(SYS_setpgid, pid, 1)));
		note("migrate", gave(CALL(SYS_migrate_pages, pid, 1, limit, limit)));
		tell(pid == 1 ? "process 1" : pid == 2 ? "process 2" : pid == -1 ? "process -1" : pid == 999 ? "its parent" :
		     pid == -999 ? "its parent's group" : pid == 1001 ? "process 1001" : "process 2147483647");
	}
	note("clone", gave(CALL(SYS_clone, 17, 0, 0, 0, 0)));
	note("vfork", gave(CALL(SYS_clone, 0x4111, 0, 0, 0, 0)));
	note("thread", gave(CALL(SYS_clone, 0x10b00, bytes + 64, 0, 0, 0)));
	note("namespaces", gave(CALL(SYS_clone, 0x7c020011, 0, 0, 0, 0)));
	note("clone3", gave(CALL(435, bytes, 64)));
	note("unshare", gave(CALL(SYS_unshare, 0x7c020000)));
	note("setns", gave(CALL(SYS_setns, 0, 0)));
	note("traceme", gave(CALL(SYS_ptrace, 0, 0, 0, 0)));
	note("setrlimit", gave(CALL(SYS_setrlimit, 7, limit)));
	note("prlimit", gave(CALL(SYS_prlimit64, 0, 7, limit, NULL)));
	note("setuid", gave(CALL(SYS_setuid, 0)));
	note("setgid", gave(CALL(SYS_setgid, 0)));
	note("setresuid", gave(CALL(SYS_setresuid, 0, 0, 0)));
	note("setgroups", gave(CALL(SYS_setgroups, 0, NULL)));
	note("capset", gave(CALL(SYS_capset, bytes, bytes)));
	note("seccomp", gave(CALL(SYS_seccomp, 0, 0, NULL)));
	note("personality", gave(CALL(SYS_personality, 0x40000)));
	note("dumpable", gave(CALL(SYS_prctl, 4, 1)));
	note("subreaper", gave(CALL(SYS_prctl, 36, 1)));
	note("death_signal", gave(CALL(SYS_prctl, 1, 9)));
	note("setsid", gave(CALL(SYS_setsid)));
	note("vhangup", gave(CALL(SYS_vhangup)));
	tell("itself");
}

void machine(void)
{
	char bytes[256] = "";
	const struct { uint32_t kind, count; uint64_t at; } program = {1, 1, (uint64_t)bytes};
	note("reboot", gave(CALL(SYS_reboot, 0xfee1dead, 0x28121969, 0x01234567, 0)));
	note("kexec", gave(CALL(SYS_kexec_load, 0, 0, NULL, 0)));
	note("init_module", gave(CALL(SYS_init_module, bytes, 8, "")));
	note("finit_module", gave(CALL(SYS_finit_module, 0, "", 0)));
	note("delete_module", gave(CALL(SYS_delete_module, "x", 0)));
	note("bpf", gave(CALL(SYS_bpf, 5, &program, sizeof program)));
	note("perf", gave(CALL(SYS_perf_event_open, bytes, 1, -1, -1, 0)));
	note("io_uring", gave(CALL(425, 8, bytes)));
	note("io_uring_enter", gave(CALL(426, 0, 1, 1, 0, NULL, 0)));
	note("io_setup", gave(CALL(0, 8, bytes)));
	note("memfd", gave(CALL(SYS_memfd_create, "x", 0)));
	note("memfd_secret", gave(CALL(447, 0)));
	note("userfaultfd", gave(CALL(SYS_userfaultfd, 0)));
	note("keyctl", gave(CALL(SYS_keyctl, 0, -1, 1)));
	note("add_key", gave(CALL(SYS_add_key, "user", "x", "y", 1, -1)));
	note("request_key", gave(CALL(SYS_request_key, "user", "x", "y", -1)));
	note("settimeofday", gave(CALL(SYS_settimeofday, bytes, NULL)));
	note("clock_settime", gave(CALL(SYS_clock_settime, 0, bytes)));
	note("adjtimex", gave(CALL(SYS_adjtimex, bytes)));
	note("sethostname", gave(CALL(SYS_sethostname, "x", 1)));
	note("syslog", gave(CALL(SYS_syslog, 3, bytes, 100)));
	note("inet", gave(CALL(SYS_socket, 2, 1, 0)));
	note("unix", gave(CALL(SYS_socket, 1, 1, 0)));
	note("raw", gave(CALL(SYS_socket, 17, 3, 0)));
	note("netlink", gave(CALL(SYS_socket, 16, 3, 0)));
	note("socketpair", gave(CALL(SYS_socketpair, 1, 1, 0, bytes)));
	note("shmget", gave(CALL(SYS_shmget, 0, 4096, 0666 | 01000)));
	note("shmat", gave(CALL(SYS_shmat, 0, NULL, 0)));
	note("msgget", gave(CALL(SYS_msgget, 1, 0)));
	note("semget", gave(CALL(SYS_semget, 1, 1, 0)));
	note("mq_open", gave(CALL(SYS_mq_open, "/x", O_CREAT | O_RDWR, 0666, NULL)));
	note("mq_unlink", gave(CALL(SYS_mq_unlink, "/x")));
	note("inotify_init", gave(CALL(SYS_inotify_init1, 0)));
	note("fanotify_init", gave(CALL(SYS_fanotify_init, 0, 0)));
	note("signalfd", gave(CALL(SYS_signalfd4, -1, bytes, 8, 0)));
	note("timerfd", gave(CALL(SYS_timerfd_create, 0, 0)));
	note("eventfd", gave(CALL(SYS_eventfd2, 0, 0)));
	note("epoll", gave(CALL(SYS_epoll_create1, 0)));
	note("splice", gave(CALL(SYS_splice, 0, NULL, 1, NULL, 100, 0)));
	note("sendfile", gave(CALL(SYS_sendfile, 1, 0, NULL, 100)));
	note("copy_file_range", gave(CALL(SYS_copy_file_range, 0, NULL, 1, NULL, 100, 0)));
	note("vmsplice", gave(CALL(SYS_vmsplice, 1, bytes, 1, 0)));
	note("fsopen", gave(CALL(430, "proc", 0)));
	note("landlock", gave(CALL(444, bytes, 8, 0)));
	note("sync", gave(CALL(SYS_sync)));
	note("syncfs", gave(CALL(SYS_syncfs, 0)));
	note("lookup_dcookie", gave(CALL(18, 1, bytes, 100)));
	note("mlockall", gave(CALL(SYS_mlockall, 7)));
	note("futex", gave(CALL(SYS_futex, bytes, 0, 1, bytes + 64, NULL, 0)));
	note("futex_pi", gave(CALL(SYS_futex, bytes, 6, 0, NULL, NULL, 0)));
	tell("the machine");

	/* Memory: no page of the host is readable. */
	static const unsigned long places[] = {0, 0x10000 - 4096, 0x400000, 0x555555554000, 0x7ffff7ff0000, 0x7ffffffde000, 0xffffffff80000000, ~0ul - 4095};
	const long fd = open_at(AT_FDCWD, "/mine", O_RDWR);
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
		note("write", gave(CALL(SYS_write, fd, places[i], 1)));
		note("map", gave(CALL(SYS_mmap, places[i], 4096, 3, 0x100022, -1, 0)));
		note("advise", gave(CALL(SYS_madvise, places[i], ~0ul, 4)));
		note("protect", gave(CALL(SYS_mprotect, places[i], ~0ul >> 1, 7)));
		CALL(SYS_munmap, places[i], 4096);
	}
	note("shared", gave(CALL(SYS_mmap, 0, 4096, 3, 1, fd, 0)));
	note("shared_validate", gave(CALL(SYS_mmap, 0, 4096, 3, 3, fd, 0)));
	note("far", gave(CALL(SYS_mmap, 0, 4096, 1, 2, fd, ~0ul << 12)));
	note("all", gave(CALL(SYS_mmap, 0, 1ul << 46, 3, 0x22, -1, 0)));
	close_fd(fd);
	tell("memory");
}

/* Paths that are no strings, and unknown call numbers. */
void nonsense(void)
{
	const unsigned long page = (unsigned long)CALL(SYS_mmap, 0, 8192, 3, 0x22, -1, 0);
	CALL(SYS_munmap, page + 4096, 4096);
	memset((char *)page, 'a', 4096);
	memcpy((char *)page + 4096 - 8, "../../..", 8);
	const unsigned long bad[] = {0, 1, ~0ul, 1ul << 63, 0xffffffff80000000, page + 4088, page, page + 4096};
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		note("open", gave(CALL(SYS_openat, AT_FDCWD, bad[i], O_RDONLY)));
		note("stat", gave(CALL(SYS_newfstatat, AT_FDCWD, bad[i], text + 60000, 0)));
		note("symlink", gave(CALL(SYS_symlinkat, bad[i], AT_FDCWD, "/got")));
		note("rename", gave(CALL(276, AT_FDCWD, "/mine", AT_FDCWD, bad[i], 0)));
		note("execve", gave(CALL(SYS_execve, bad[i], bad[i], bad[i])));
		note("getcwd", gave(CALL(SYS_getcwd, bad[i], 4096)));
		CALL(SYS_unlinkat, AT_FDCWD, "/got", 0);
	}
	tell("paths that are no strings");

	enum { NUMBERS = 700 };
	for (int round = 0; round < 3; round++) {
		const long a = round == 0 ? -1 : round == 1 ? 1l << 62 : 0x7fffffff;
		put(round == 0 ? "all calls of -1 that give no error:" : round == 1 ? "all calls of 2^62:" : "all calls of 2^31 - 1:");
		for (int n = 0; n < NUMBERS; n++) {
			/* Skips calls that end the program, move its heap or change the report, and
			 * a return from a handler that was not entered. */
			if (n == SYS_exit || n == SYS_exit_group || n == SYS_brk || n == SYS_rt_sigreturn)
				continue;
			const long r = call6(n, a, a, a, a, a, a);
			tries++;
			if (!gave(r)) {
				put(" ");
				put_number(n);
			}
		}
		flush();
	}
}
