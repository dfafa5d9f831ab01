/* System calls without files: time, identity, waiting, and refusals. */
#include "tests/unit/os/os_calls.h"

/* Shrinking unmaps the rest, mapped or not; growing needs one mapping; a move without growth may
 * span several. */
TEST(mappings_with_holes_shrink)
{
	struct guest *g = os_calls_guest(state);
	const uint64_t a = 0x20000000, to = 0x30000000, at = LX_MAP_FIXED, move = LX_MREMAP_MAYMOVE;
	assert_int_equal(CALL(g, mmap, a, 8 * K4, RW, ANON | at, NO_FD, 0), a);
	assert_int_equal(CALL(g, munmap, a + 4 * K4, K4), 0);
	assert_int_equal(CALL(g, mprotect, a + K4, K4, PROT_R), 0);
	assert_int_equal(CALL(g, mremap, a, 8 * K4, 9 * K4, move), -EFAULT);
	assert_int_equal(CALL(g, mremap, a, 8 * K4, 8 * K4, move), a);
	assert_int_equal(CALL(g, mremap, a, 8 * K4, 6 * K4, move), a);
	assert_true(mem_is_mapped(g->mem, a + 5 * K4, K4));
	assert_false(mem_is_mapped(g->mem, a + 6 * K4, K4));
	assert_int_equal(CALL(g, mremap, a, 6 * K4, 2 * K4, 0), a);
	assert_false(mem_is_mapped(g->mem, a + 2 * K4, K4));
	assert_int_equal(CALL(g, mremap, a, 2 * K4, 3 * K4, move), -EFAULT);
	assert_int_equal(CALL(g, mremap, a, 2 * K4, 2 * K4, move | LX_MREMAP_FIXED, to), to);
	assert_int_equal(mem_prot_at(g->mem, to), RW);
	assert_int_equal(mem_prot_at(g->mem, to + K4), PROT_R);
	assert_int_equal(CALL(g, mremap, to, 2 * K4, K4, move | LX_MREMAP_FIXED, a), a);
	assert_false(mem_is_mapped(g->mem, to, 2 * K4));
	assert_int_equal(CALL(g, mremap, a, K4, K4, move | LX_MREMAP_FIXED, to), to);
	assert_false(mem_is_mapped(g->mem, a, K4));
	assert_false(mem_is_mapped(g->mem, a + K4, K4));
	assert_int_equal(CALL(g, mremap, a, K4, K4, move), -EFAULT);
	/* Moves to the page just above, and just below. */
	assert_int_equal(CALL(g, mremap, to, K4, K4, move | LX_MREMAP_FIXED, to + K4), to + K4);
	assert_false(mem_is_mapped(g->mem, to, K4));
	assert_int_equal(CALL(g, mremap, to + K4, K4, K4, move | LX_MREMAP_FIXED, to), to);
	assert_true(mem_is_mapped(g->mem, to, K4));
	assert_false(mem_is_mapped(g->mem, to + K4, K4));
}

TEST(nothing_is_replaced_where_that_is_asked)
{
	struct guest *g = os_calls_guest(state);
	const uint64_t a = 0x20000000, fixed = LX_MAP_FIXED, keep = LX_MAP_FIXED_NOREPLACE;
	assert_int_equal(CALL(g, mmap, a, 2 * K4, RW, ANON | keep, NO_FD, 0), a);
	assert_int_equal(CALL(g, mmap, a + K4, 2 * K4, RW, ANON | keep, NO_FD, 0), -EEXIST);
	assert_int_equal(CALL(g, mmap, a + K4, K4, RW, ANON | keep | fixed, NO_FD, 0), -EEXIST);
	assert_int_equal(CALL(g, mmap, a + 2 * K4, K4, RW, ANON | keep | fixed, NO_FD, 0),
	                 a + 2 * K4);
	assert_int_equal(CALL(g, mmap, a + 1, K4, RW, ANON | keep, NO_FD, 0), -EINVAL);
	/* MAP_SHARED_VALIDATE is for files. */
	assert_int_equal(CALL(g, mmap, 0, K4, RW, LX_MAP_ANONYMOUS | 3, NO_FD, 0), -EINVAL);
}

TEST(time_is_made_of_cycles)
{
	struct guest *g = os_calls_guest(state);
	struct lx_timespec t;
	struct lx_timeval tv;
	g->h.cycle = UINT64_C(12345678901);
	assert_int_equal(CALL(g, clock_gettime, 1, BUF), 0);
	FETCH(g, BUF, &t);
	assert_int_equal(t.sec, 12);
	assert_int_equal(t.nsec, 345678901);
	assert_int_equal(CALL(g, clock_gettime, LX_CLOCK_REALTIME, BUF), 0);
	FETCH(g, BUF, &t);
	assert_int_equal(t.sec, 1000000012);
	assert_int_equal(CALL(g, gettimeofday, BUF, 0), 0);
	FETCH(g, BUF, &tv);
	assert_int_equal(tv.sec, 1000000012);
	assert_int_equal(tv.usec, 345678);
	assert_int_equal(CALL(g, times, 0), 1234);
	assert_int_equal(CALL(g, clock_getres, 1, BUF), 0);
	FETCH(g, BUF, &t);
	assert_int_equal(t.nsec, 1);
	struct lx_timespec nap = {3600, 0}, bad = {0, 1000000000};
	assert_int_equal(CALL(g, nanosleep, os_fixture_write_bytes(g, &nap, sizeof nap), 0), 0);
	assert_int_equal(g->h.slept, UINT64_C(3600000000000));
	assert_int_equal(CALL(g, clock_gettime, 1, BUF), 0);
	FETCH(g, BUF, &t);
	assert_int_equal(t.sec, 3612);
	assert_int_equal(CALL(g, clock_gettime, 2, BUF), 0); /* processor time, without sleep */
	FETCH(g, BUF, &t);
	assert_int_equal(t.sec, 12);
	assert_int_equal(
		CALL(g, clock_nanosleep, 1, 0, os_fixture_write_bytes(g, &bad, sizeof bad), 0),
		-EINVAL);
	/* A slow and a very fast clock lose nothing. */
	g->cfg.clock_hz = 3000;
	struct os *slow = os_new(&g->cfg, &g->journal);
	struct os *was = g->os;
	struct arena a = {.base = g->arena.base};
	os_place(slow, &a);
	g->os = slow;
	g->h.cycle = UINT64_MAX;
	g->h.slept = 0;
	assert_int_equal(CALL(g, clock_gettime, 1, BUF), 0);
	FETCH(g, BUF, &t);
	assert_int_equal(t.sec, UINT64_MAX / 3000);
	assert_int_equal(t.nsec, UINT64_MAX % 3000 * 1000000000 / 3000);
	g->os = was;
	os_free(slow);
}

TEST(random_bytes_come_from_the_seed)
{
	struct guest *g = os_calls_guest(state);
	uint64_t a[4], b[4], c[4];
	assert_int_equal(CALL(g, getrandom, BUF, 32, 0), 32);
	FETCH(g, BUF, &a);
	assert_int_equal(CALL(g, getrandom, BUF, 32, 0), 32);
	FETCH(g, BUF, &b);
	assert_memory_not_equal(a, b, 32);
	os_reset(g->os);
	assert_int_equal(CALL(g, getrandom, BUF, 32, 0), 32);
	FETCH(g, BUF, &c);
	assert_memory_equal(a, c, 32);
	assert_int_equal(CALL(g, getrandom, BUF, 13, 0), 13);
}

TEST(the_guest_is_always_the_same_somebody)
{
	struct guest *g = os_calls_guest(state);
	struct lx_utsname name;
	struct lx_rlimit lim;
	struct lx_sysinfo info;
	assert_int_equal(CALL(g, getpid), GUEST_PID);
	assert_int_equal(CALL(g, gettid), GUEST_PID);
	assert_int_equal(CALL(g, geteuid), GUEST_UID);
	assert_int_equal(CALL(g, set_tid_address, 0x1234), GUEST_PID);
	assert_int_equal(os_state(g->os)->thread[0].clear_tid, 0x1234);
	assert_int_equal(CALL(g, set_robust_list, 0x1000, 24), 0);
	assert_int_equal(CALL(g, set_robust_list, 0x1000, 8), -EINVAL);
	assert_int_equal(CALL(g, rseq), -ENOSYS);
	assert_string_equal(g->warned, "");
	assert_int_equal(CALL(g, uname, BUF), 0);
	FETCH(g, BUF, &name);
	assert_string_equal(name.machine, "riscv64");
	assert_string_equal(name.nodename, "here");
	assert_int_equal(CALL(g, prlimit64, 0, LX_RLIMIT_STACK, 0, BUF), 0);
	FETCH(g, BUF, &lim);
	assert_int_equal(lim.cur, g->cfg.stack_bytes);
	lim.cur /= 2;
	assert_int_equal(CALL(g, prlimit64, 0, LX_RLIMIT_STACK,
	                      os_fixture_write_bytes(g, &lim, sizeof lim), 0),
	                 -EPERM);
	assert_int_equal(CALL(g, sysinfo, BUF), 0);
	FETCH(g, BUF, &info);
	assert_int_equal(info.procs, 1);
	assert_int_equal(info.mem_unit, 1);
	assert_int_equal(info.totalram, UINT64_C(4) << 30);
	assert_int_equal(info.freeram, UINT64_C(2) << 30);
	assert_int_equal(CALL(g, sched_getaffinity, 0, 128, BUF), 8);
	assert_int_equal(os_calls_load_word(g, BUF), 1);
	struct lx_hwprobe probes[2] = {{.key = 4}, {.key = 77}};
	uint64_t at = os_fixture_write_bytes(g, probes, sizeof probes);
	assert_int_equal(CALL(g, riscv_hwprobe, at, 2, 0, 0, 0), 0);
	FETCH(g, at, &probes);
	/* FD C Zba Zbb Zbs Zicboz Zbc Zbkb Zkt Zfh Zfhmin Zicond Zihintpause Zca Zcb Zcd Zicntr
	 * Zihpm Zicbom Zicbop */
	assert_int_equal(probes[0].value, 0x108c3818180101fb);
	g->h.isa = ISA_RV64GC;
	assert_int_equal(CALL(g, riscv_hwprobe, at, 1, 0, 0, 0), 0);
	FETCH(g, at, &probes);
	assert_int_equal(probes[0].value, 0x000c280000000003);
	g->h.isa = ISA_ALL;
	assert_int_equal(probes[1].key, -1);
	assert_int_equal(CALL(g, getrusage, 0, BUF), 0);
	assert_int_equal(CALL(g, ioctl, 0, LX_TIOCGWINSZ, BUF), -ENOTTY);
}

TEST(a_file_in_memory_has_its_size)
{
	struct guest *g = os_calls_guest(state);
	struct lx_stat st;
	const uint64_t fd = (uint64_t)CALL(g, memfd_create, os_fixture_write_bytes(g, "m", 2), 0);
	assert_int_equal(CALL(g, ftruncate, fd, 5000), 0);
	assert_int_equal(CALL(g, fstat, fd, BUF), 0);
	FETCH(g, BUF, &st);
	assert_int_equal(st.size, 5000);
	assert_int_equal(st.nlink, 0);
	assert_int_equal(CALL(g, write, fd, os_fixture_write_text(g, "kept"), 4), 4);
	assert_int_equal(CALL(g, lseek, fd, 0, LX_SEEK_CUR), 4);
	assert_int_equal(CALL(g, pread64, fd, BUF, 9, 0), 9);
	expect_bytes(g, BUF, "kept");
}

struct epoll_event {
	uint32_t events, pad;
	uint64_t data;
};

/* Calls epoll_ctl with an event that has `data`; returns its result. */
static int64_t epoll_control(struct guest *g, uint64_t epoll, uint64_t op, uint64_t fd,
                             uint64_t data)
{
	const struct epoll_event ev = {.events = LX_POLLIN, .data = data};
	return CALL(g, epoll_ctl, epoll, op, fd, os_fixture_write_bytes(g, &ev, sizeof ev));
}

TEST(descriptors_are_watched_until_taken_out)
{
	struct guest *g = os_calls_guest(state);
	enum { ADD = 1, DEL = 2, MOD = 3 };
	uint32_t fd[2];
	struct epoll_event got[2];
	const uint64_t epoll = (uint64_t)CALL(g, epoll_create1, 0);
	assert_true((int64_t)epoll > 2);
	assert_int_equal(CALL(g, fcntl, epoll, LX_F_GETFL), LX_O_RDWR);
	assert_int_equal(CALL(g, pipe2, BUF, 0), 0);
	FETCH(g, BUF, &fd);
	assert_int_equal(epoll_control(g, epoll, MOD, fd[0], 5), -ENOENT);
	assert_int_equal(epoll_control(g, epoll, DEL, fd[0], 5), -ENOENT);
	assert_int_equal(epoll_control(g, epoll, 0, fd[0], 5), -EINVAL);
	assert_int_equal(epoll_control(g, epoll, 4, fd[0], 5), -EINVAL);
	assert_int_equal(epoll_control(g, epoll, ADD, 99, 5), -EBADF);
	assert_int_equal(epoll_control(g, epoll, ADD, epoll, 5), -EINVAL);
	assert_int_equal(epoll_control(g, epoll, ADD, fd[0], 5), 0);
	assert_int_equal(epoll_control(g, epoll, ADD, fd[0], 6), -EEXIST);
	assert_int_equal(CALL(g, epoll_pwait, epoll, BUF, 2, 0, 0), 0);
	assert_int_equal(CALL(g, write, fd[1], BUF, 3), 3);
	assert_int_equal(CALL(g, epoll_pwait, epoll, BUF, 2, 0, 0), 1);
	FETCH(g, BUF, &got);
	assert_int_equal(got[0].events, LX_POLLIN);
	assert_int_equal(got[0].data, 5);
	assert_int_equal(epoll_control(g, epoll, MOD, fd[0], 7), 0);
	assert_int_equal(CALL(g, epoll_pwait, epoll, BUF, 2, 0, 0), 1);
	FETCH(g, BUF, &got);
	assert_int_equal(got[0].data, 7);
	assert_int_equal(epoll_control(g, epoll, DEL, fd[0], 0), 0);
	assert_int_equal(CALL(g, epoll_pwait, epoll, BUF, 2, 0, 0), 0);
}

TEST(a_terminal_is_claimed_when_asked)
{
	struct guest *g = os_calls_guest(state);
	os_free(g->os);
	g->cfg.terminal = 1;
	g->os = os_new(&g->cfg, &g->journal);
	g->arena.used = 0;
	os_place(g->os, &g->arena);
	os_reset(g->os);
	struct lx_winsize size;
	struct lx_stat st;
	assert_int_equal(CALL(g, ioctl, 1, LX_TCGETS, BUF), 0);
	assert_int_equal(CALL(g, ioctl, 0, LX_TIOCGWINSZ, BUF), 0);
	FETCH(g, BUF, &size);
	assert_int_equal(size.cols, 80);
	assert_int_equal(CALL(g, fstat, 1, BUF), 0);
	FETCH(g, BUF, &st);
	assert_int_equal(st.mode & 0170000, 0020000);
	assert_int_equal(CALL(g, lseek, 0, 0, LX_SEEK_CUR), -ESPIPE);
}

/* Expects that the guest waits for ever, with a message that has `words`. Undoes that, for the rest
 * of the test. */
static void expect_stuck(struct guest *g, const char *words)
{
	struct os_thread *alone = &os_state(g->os)->thread[0];
	char have[OS_WAIT_TEXT];
	os_wait_text(g->os, g->mem, have, sizeof have);
	if (!os_state(g->os)->waits || !strstr(have, words))
		fail_msg("waits: %u, %s", os_state(g->os)->waits, have);
	os_state(g->os)->waits = alone->waits = OS_WAIT_NONE;
	alone->state = THREAD_READY;
	alone->again = 0;
}

static uint64_t os_test_write_timespec(struct guest *g, int64_t sec, int64_t nsec)
{
	return os_fixture_write_bytes(g, &(struct lx_timespec){sec, nsec},
	                              sizeof(struct lx_timespec));
}

TEST(a_futex_is_never_released)
{
	struct guest *g = os_calls_guest(state);
	uint32_t word = 5;
	uint64_t at = os_fixture_write_bytes(g, &word, sizeof word);
	assert_int_equal(CALL(g, futex, at, LX_FUTEX_WAKE, 1), 0);
	assert_int_equal(CALL(g, futex, at, LX_FUTEX_WAIT | 128, 4, 0), -EAGAIN);
	assert_int_equal(
		CALL(g, futex, at, LX_FUTEX_WAIT | 128, 5, os_test_write_timespec(g, 3, 0)),
		-ETIMEDOUT);
	assert_int_equal(
		CALL(g, futex, at, LX_FUTEX_WAIT_BITSET, 5, os_test_write_timespec(g, 3, 0), 0, 1),
		-ETIMEDOUT);
	assert_int_equal(CALL(g, futex, at, LX_FUTEX_WAIT_BITSET, 5, 0, 0, 0), -EINVAL);
	assert_int_equal(
		CALL(g, futex, at, LX_FUTEX_WAIT, 5, os_test_write_timespec(g, 0, LX_NSEC)),
		-EINVAL);
	assert_int_equal(CALL(g, futex, DATA_END, LX_FUTEX_WAIT, 5, 0), -EFAULT);
	assert_int_equal(os_state(g->os)->waits, OS_WAIT_NONE);
	assert_int_equal(CALL(g, futex, at, LX_FUTEX_WAIT, 5, 0), at);
	expect_stuck(g, "futex at 0x100000 to change from 5");
	CALL(g, futex, at, LX_FUTEX_WAIT_BITSET, 5, 0, 0, 1);
	expect_stuck(g, "futex");
}

TEST(a_signal_is_never_sent)
{
	struct guest *g = os_calls_guest(state);
	uint64_t none = 0, usr1 = 1 << 9;
	uint64_t empty = os_fixture_write_bytes(g, &none, 8),
		 blocked = os_fixture_write_bytes(g, &usr1, 8);
	CALL(g, ppoll, 0, 0, 0, 0, 0); /* what pause() is */
	expect_stuck(g, "waits for a signal");
	CALL(g, rt_sigsuspend, empty, 8);
	expect_stuck(g, "waits for a signal");
	assert_int_equal(CALL(g, rt_sigsuspend, empty, 4), -EINVAL);
	CALL(g, rt_sigtimedwait, blocked, BUF, 0, 8);
	expect_stuck(g, "waits for a signal");
	assert_int_equal(CALL(g, rt_sigtimedwait, blocked, BUF, os_test_write_timespec(g, 1, 0), 8),
	                 -EAGAIN);
	/* A delayed byte is there. */
	assert_int_equal(CALL(g, rt_sigprocmask, LX_SIG_BLOCK, blocked, 0, 8), 0);
	assert_int_equal(CALL(g, kill, GUEST_PID, 10), 0);
	assert_int_equal(CALL(g, rt_sigtimedwait, blocked, BUF, 0, 8), 10);
	struct lx_siginfo info;
	FETCH(g, BUF, &info);
	assert_int_equal(info.signo, 10);
	assert_int_equal(os_state(g->os)->thread[0].signals.pending.set |
	                         os_state(g->os)->signals.pending.set,
	                 0);
	assert_int_equal(CALL(g, kill, GUEST_PID, 10), 0);
	assert_int_equal(CALL(g, rt_sigsuspend, empty, 8), -EINTR);
	assert_int_equal(os_state(g->os)->killed_by, 10);
	assert_int_equal(os_state(g->os)->waits, OS_WAIT_NONE);
	assert_int_equal(os_state(g->os)->thread[0].signals.mask, usr1);
}

TEST(a_pipe_to_itself)
{
	struct guest *g = os_calls_guest(state);
	int fd[2];
	struct lx_stat st;
	assert_int_equal(CALL(g, pipe2, BUF, LX_O_CLOEXEC), 0);
	FETCH(g, BUF, &fd);
	assert_int_equal(fd[0], 3);
	assert_int_equal(fd[1], 4);
	assert_int_equal(CALL(g, fcntl, 4, LX_F_GETFD), LX_FD_CLOEXEC);
	assert_int_equal(CALL(g, fstat, 3, BUF), 0);
	FETCH(g, BUF, &st);
	assert_int_equal(st.mode, 010600);
	assert_int_equal(CALL(g, write, 4, os_fixture_write_text(g, "hello world"), 11), 11);
	assert_int_equal(CALL(g, read, 3, BUF, 5), 5);
	expect_bytes(g, BUF, "hello");
	assert_int_equal(CALL(g, read, 3, BUF, 50), 6);
	expect_bytes(g, BUF, " world");
	assert_int_equal(CALL(g, read, 3, BUF, 0), 0);
	CALL(g, read, 3, BUF, 50);
	expect_stuck(g, "empty pipe, descriptor 3");
	/* Fills the ring completely, across its end. */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(CALL(g, write, 4, DATA, 65536), 65536);
		CALL(g, write, 4, DATA, 1);
		expect_stuck(g, "1 bytes to a pipe, descriptor 4");
		assert_int_equal(CALL(g, read, 3, DATA + 70000, 60000), 60000);
		assert_int_equal(CALL(g, read, 3, DATA + 70000, 60000), 5536);
	}
	assert_int_equal(CALL(g, fcntl, 4, LX_F_SETFL, LX_O_NONBLOCK), 0);
	assert_int_equal(CALL(g, fcntl, 3, LX_F_SETFL, LX_O_NONBLOCK), 0);
	assert_int_equal(CALL(g, read, 3, BUF, 1), -EAGAIN);
	assert_int_equal(CALL(g, write, 4, DATA, 65000), 65000);
	assert_int_equal(CALL(g, write, 4, DATA, 4096), -EAGAIN);
	assert_int_equal(CALL(g, write, 4, DATA, 5000), 536);
	assert_int_equal(CALL(g, close, 4), 0);
	assert_int_equal(CALL(g, read, 3, DATA + 70000, 100000), 65536);
	assert_int_equal(CALL(g, read, 3, BUF, 1), 0);
	assert_int_equal(CALL(g, close, 3), 0);
	/* Closed pipes free their slots; a write without a reader raises SIGPIPE. */
	for (int i = 0; i < 2 * OS_PIPES; i++) {
		assert_int_equal(CALL(g, pipe2, BUF, 0), 0);
		assert_int_equal(CALL(g, close, 3), 0);
		if (i < 2 * OS_PIPES - 1)
			assert_int_equal(CALL(g, close, 4), 0);
	}
	os_state(g->os)->signals.action[LX_SIGPIPE][0] = LX_SIG_IGN;
	assert_int_equal(CALL(g, write, 4, BUF, 1), -EPIPE);
	os_state(g->os)->signals.action[LX_SIGPIPE][0] = LX_SIG_DFL;
	CALL(g, write, 4, BUF, 1);
	assert_int_equal(os_state(g->os)->killed_by, LX_SIGPIPE);
	for (int i = 1; i < OS_PIPES; i++)
		assert_int_equal(CALL(g, pipe2, BUF, 0), 0);
	assert_int_equal(CALL(g, pipe2, BUF, 0), -ENFILE);
}

TEST(sockets_carry_what_is_sent)
{
	enum { UNIX = 1, STREAM = 1 };
	struct guest *g = os_calls_guest(state);
	assert_int_equal(CALL(g, socketpair, UNIX, STREAM, 0, BUF), 0);
	assert_int_equal(CALL(g, sendto, 3, os_fixture_write_text(g, "there"), 5, 0, 0, 0), 5);
	assert_int_equal(CALL(g, recvfrom, 4, BUF, 9, 0, 0, 0), 5);
	expect_bytes(g, BUF, "there");
	assert_int_equal(CALL(g, sendto, 4, os_fixture_write_text(g, "back"), 4, 0, 0, 0), 4);
	assert_int_equal(CALL(g, recvfrom, 3, BUF, 2, 0, 0, 0), 2);
	expect_bytes(g, BUF, "ba");
	assert_int_equal(CALL(g, sendto, 3, DATA_END, 1, 0, 0, 0), -EFAULT);
	assert_int_equal(CALL(g, sendto, 3, BUF, 1, 0, BUF, 16), -EISCONN);
	assert_int_equal(CALL(g, sendto, 1, BUF, 1, 0, 0, 0), -ENOTSOCK);
	assert_int_equal(CALL(g, sendto, 9, BUF, 1, 0, 0, 0), -EBADF);
}

TEST(polling_finds_what_is_ready)
{
	struct guest *g = os_calls_guest(state);
	enum { IN = LX_POLLIN, OUT = LX_POLLOUT };
	assert_int_equal(CALL(g, pipe2, BUF, 0), 0);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "a.txt", 0), 5);
	struct lx_pollfd p[6] = {{0, IN, 0},  {1, OUT | IN, 0}, {3, IN, 0},
	                         {4, OUT, 0}, {-1, IN, 0},      {5, IN | OUT, 0}};
	uint64_t at = os_fixture_write_bytes(g, p, sizeof p);
	assert_int_equal(CALL(g, ppoll, at, 6, 0, 0, 8), 4);
	FETCH(g, at, &p);
	static const int16_t want[6] = {IN, OUT, 0, OUT, 0, IN | OUT};
	for (int i = 0; i < 6; i++)
		assert_int_equal(p[i].revents, want[i]);
	at = os_fixture_write_bytes(g, &(struct lx_pollfd){9, IN, 0}, sizeof *p);
	assert_int_equal(CALL(g, ppoll, at, 1, 0, 0, 8), 1);
	at = os_fixture_write_bytes(g, &(struct lx_pollfd){3, IN, 0}, sizeof *p);
	assert_int_equal(CALL(g, ppoll, at, 1, os_test_write_timespec(g, 9, 0), 0, 8), 0);
	CALL(g, ppoll, at, 1, 0, 0, 8);
	expect_stuck(g, "1 descriptors");
	assert_int_equal(CALL(g, ppoll, at, 1, os_test_write_timespec(g, -1, 0), 0, 8), -EINVAL);
	assert_int_equal(CALL(g, ppoll, at, 65, 0, 0, 8), -EINVAL);

	uint64_t set = 1 << 3 | 1 << 5, r = os_fixture_write_bytes(g, &set, 8),
		 w = os_fixture_write_bytes(g, &(uint64_t){1 << 4}, 8);
	assert_int_equal(CALL(g, pselect6, 64, r, w, 0, 0, 0), 2);
	assert_int_equal(os_calls_load_word(g, r), 1 << 5);
	assert_int_equal(os_calls_load_word(g, w), 1 << 4);
	r = os_fixture_write_bytes(g, &(uint64_t){1 << 3}, 8);
	const uint64_t time = os_test_write_timespec(g, 1, 0);
	assert_int_equal(CALL(g, pselect6, 4, r, 0, 0, time, 0), 0);
	assert_int_equal(os_calls_load_word(g, r), 0);
	assert_int_equal(os_calls_load_word(g, time), 0); /* the remaining time */
	assert_int_equal(os_calls_load_word(g, time + 8), 0);
	r = os_fixture_write_bytes(g, &(uint64_t){1 << 3}, 8);
	CALL(g, pselect6, 4, r, 0, 0, 0, 0);
	expect_stuck(g, "1 descriptors");
	assert_int_equal(CALL(g, write, 4, BUF, 1), 1);
	assert_int_equal(CALL(g, pselect6, 4, r, 0, 0, 0, 0), 1);
	assert_int_equal(os_calls_load_word(g, r), 1 << 3);
	r = os_fixture_write_bytes(g, &(uint64_t){1 << 20}, 8);
	assert_int_equal(CALL(g, pselect6, 64, r, 0, 0, 0, 0), -EBADF);
}

TEST(there_is_one_process)
{
	struct guest *g = os_calls_guest(state);
	assert_int_equal(CALL(g, clone3, BUF, 8), -EINVAL);
	assert_string_equal(g->warned, "");
	assert_int_equal(CALL(g, clone, LX_CLONE_THREAD), -EINVAL);
	assert_int_equal(CALL(g, clone, LX_SIGCHLD), -ENOSYS);
	const char *warning = strstr(g->warned, "another process");
	assert_non_null(warning);
	assert_int_equal(CALL(g, clone, LX_SIGCHLD), -ENOSYS);
	assert_null(strstr(warning + 1, "another process"));
}

TEST(test_os_exit_group)
{
	struct guest *g = os_calls_guest(state);
	CALL(g, exit_group, 0x1ff);
	assert_int_equal(os_state(g->os)->exited, 1);
	assert_int_equal(os_state(g->os)->exit_status, 255);
}

TEST(the_unknown_is_refused_once_by_name)
{
	struct guest *g = os_calls_guest(state);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(CALL(g, io_uring_setup), -ENOSYS);
		assert_int_equal(os_fixture_call(g, 5000, (uint64_t[6]){0}), -ENOSYS);
	}
	assert_string_equal(g->warned,
	                    "system call 425 (io_uring_setup) is not implemented: ENOSYS\n"
	                    "system call 5000 (unknown) is not implemented: ENOSYS\n");
	/* One warning per number; numbers unknown to Linux share one. */
	for (uint64_t n = 5000; n < 200000; n++)
		os_fixture_call(g, n, (uint64_t[6]){0});
	os_fixture_call(g, 425, (uint64_t[6]){0});
	assert_string_equal(strstr(g->warned, "unknown"), "unknown) is not implemented: ENOSYS\n");
	assert_string_equal(os_syscall_name(64), "write");
	assert_string_equal(os_syscall_name(0), "io_setup");
	assert_null(os_syscall_name(UINT64_MAX));
	assert_int_equal(NR_write, 64);
	assert_int_equal(NR_exit_group, 94);
	assert_int_equal(NR_mmap, 222);
	assert_int_equal(NR_statx, 291);
}

/* Arbitrary arguments: no call may access other memory than the guest's, or crash. */
TEST(nonsense_is_survived)
{
	struct guest *g = os_calls_guest(state);
	uint64_t seed = 42;
	for (int i = 0; i < 60000; i++) {
		if (i % 100 == 0) {
			guest_reset(g);
			os_log_cut(g->os);
			mem_map(g->mem, DATA, DATA_BYTES, PROT_R | PROT_W, "data");
			put_paths(g);
		}
		random_call(g, &seed);
	}
	host_expect("a.txt", "alpha beta gamma\n");
	host_expect("../secret", "do not tell");
}

TEST_EACH(tree_up, tree_down)
