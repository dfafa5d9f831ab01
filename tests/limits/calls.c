/* calls KIND N: has N of something, or the most possible, and makes about N calls, so that two Ns
 * show a call's cost for the host. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, FILES = 48, WAITING = 60 };

static int n;
static char **map;

static char *map_new(size_t pages, int prot)
{
	char *p = mmap(NULL, pages * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		exit(3);
	return p;
}

/* Maps pages; neighbours differ in protection. */
static void map_all(size_t pages)
{
	map = malloc((size_t)n * sizeof *map);
	for (int i = 0; i < n; i++)
		map[i] = map_new(pages, i % 2 ? PROT_READ : PROT_READ | PROT_WRITE);
}

static void calls_maps(void)
{
	for (int i = 0; i < n; i++)
		if (mprotect(map_new(2, PROT_READ | PROT_WRITE), PAGE, PROT_READ) != 0)
			exit(3);
}

static void calls_unmaps(void)
{
	map_all(2);
	for (int i = 0; i < n; i++)
		munmap(map[(uint64_t)i * 7919 % (uint64_t)n] + PAGE, PAGE);
}

static void calls_moves(void)
{
	map_all(1);
	for (int i = 0; i < n; i++)
		if (mremap(map[i], PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED)
			exit(3);
}

static void calls_advice(void)
{
	map_all(1);
	for (int i = 0; i < n; i += 2) {
		map[i][9] = 1;
		madvise(map[i], PAGE, MADV_DONTNEED);
		msync(map[i], PAGE, MS_SYNC);
	}
}

/* A range of N mappings, a third of them of a file; neighbours differ. Each call frees a page. */
static void discard_pages(void)
{
	const size_t all = (size_t)n * PAGE;
	char *range = map_new((size_t)n, PROT_NONE);
	const int file = open("calls", O_RDONLY);
	for (int i = 0; i < n; i++)
		if (mmap(range + (size_t)i * PAGE, PAGE, i % 2 ? PROT_READ : PROT_READ | PROT_WRITE,
		         MAP_FIXED | MAP_PRIVATE | (i % 3 ? MAP_ANONYMOUS : 0), i % 3 ? -1 : file,
		         0) == MAP_FAILED)
			exit(3);
	for (int i = 0; i < n; i++) {
		char *at = range + ((uint64_t)i * 7919 % (uint64_t)(n / 6) * 6 + 2) * PAGE;
		at[5] = 1;
		if (madvise(range, all, MADV_DONTNEED) != 0 || at[5] != 0)
			exit(3);
	}
}

/* A range of N mappings, a third of them of a file. Each call protects all of it, and changes a page or two. */
static void calls_protects(void)
{
	const size_t all = (size_t)n * PAGE;
	char *range = map_new((size_t)n, PROT_READ);
	const int file = open("calls", O_RDONLY);
	for (int i = 0; i < n; i += 3)
		if (mmap(range + (size_t)i * PAGE, PAGE, PROT_READ, MAP_FIXED | MAP_PRIVATE, file, 0) == MAP_FAILED)
			exit(3);
	for (int i = 0; i < n; i++) {
		char *at = range + (uint64_t)i * 7919 % (uint64_t)n * PAGE;
		if (mprotect(at, PAGE, PROT_READ | PROT_WRITE) != 0)
			exit(3);
		at[5] = 1;
		if (mprotect(range, all, PROT_READ) != 0)
			exit(3);
	}
}

/* Mappings that fit only into the lowest holes. */
static void calls_holes(void)
{
	map_all(1);
	for (int i = 1; i < n; i += 2)
		munmap(map[i], PAGE);
	for (int i = 0; i < n / 2; i++)
		munmap(map_new(2, PROT_READ), 2 * PAGE);
}

static void calls_breaks(void)
{
	map_all(1);
	for (int i = 0; i < n; i++)
		if (sbrk(i % 2 ? -PAGE : PAGE) == (void *)-1)
			exit(3);
}

/* First accesses to pages, and blocks that calls move. */
static void calls_pages(void)
{
	map_all(1);
	volatile int sum = 0;
	for (int i = 0; i < n; i++) {
		if (i % 2 == 0)
			map[i][i % PAGE] = 1;
		sum += map[(uint64_t)i * 7919 % (uint64_t)n][5];
		clock_gettime(CLOCK_REALTIME, (struct timespec *)(void *)map[i & ~1]);
	}
}

/* Code on many pages, and mappings meanwhile. */
static void calls_code(void)
{
	char *p = map_new((size_t)n, PROT_READ | PROT_WRITE | PROT_EXEC);
	for (int i = 0; i < n; i++)
		memcpy(p + (size_t)i * PAGE, "\x82\x80", 2); /* ret */
	__builtin___clear_cache(p, p + (size_t)n * PAGE);
	for (int i = 0; i < n; i++) {
		((void (*)(void))(uintptr_t)(p + (size_t)i * PAGE))();
		munmap(map_new(1, PROT_READ), PAGE);
	}
}

static void calls_descriptors(void)
{
	struct pollfd watched[FILES];
	for (int i = 0; i < FILES; i++)
		watched[i] = (struct pollfd){eventfd(0, 0), POLLIN, 0};
	for (int i = 0; i < n; i++) {
		close(dup(0));
		poll(watched, 1, 0);
		fcntl(watched[i % FILES].fd, F_GETFD);
	}
}

static void calls_watches(void)
{
	struct epoll_event e = {.events = EPOLLIN}, got[4];
	const int all = epoll_create1(0);
	int last = 0;
	for (int i = 0; i < FILES; i++)
		epoll_ctl(all, EPOLL_CTL_ADD, last = eventfd(0, 0), &e);
	for (int i = 0; i < n; i++) {
		epoll_ctl(all, EPOLL_CTL_MOD, last, &e);
		epoll_wait(all, got, 4, 0);
	}
}

static void calls_timers(void)
{
	const struct itimerspec at = {{0, 0}, {1000, 0}};
	struct sigevent none = {.sigev_notify = SIGEV_NONE};
	timer_t t, last = 0;
	for (int i = 0; timer_create(CLOCK_MONOTONIC, &none, &t) == 0 && i < FILES; i++)
		timer_settime(last = t, 0, &at, NULL);
	for (int i = 0; i < n; i++)
		timer_settime(last, 0, &at, NULL);
}

static void calls_signals(void)
{
	sigset_t set;
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	const struct timespec now = {0, 0};
	for (int i = 0; i < n; i++)
		sigqueue(getpid(), SIGRTMIN + i % 8, (union sigval){.sival_int = i});
	for (int i = 0; i < n; i++) {
		sigqueue(getpid(), SIGRTMIN + 9, (union sigval){.sival_int = i});
		sigtimedwait(&set, NULL, &now);
	}
}

static int word[2];

static void *calls_sleeper(void *arg)
{
	const struct timespec long_time = {1000, 0};
	syscall(SYS_futex, &word[(intptr_t)arg % 2], FUTEX_WAIT_PRIVATE, 0, (intptr_t)arg % 3 ? NULL : &long_time, NULL, 0);
	return NULL;
}

static void wait_all(void)
{
	pthread_t t;
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 32 << 10);
	for (intptr_t i = 0; i < WAITING; i++)
		if (pthread_create(&t, &small, calls_sleeper, (void *)i) != 0)
			exit(3);
	const struct timespec little = {0, 1000000};
	nanosleep(&little, NULL);
}

static void calls_waiters(void)
{
	wait_all();
	for (int i = 0; i < n; i++) {
		syscall(SYS_futex, &n, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
		syscall(SYS_futex, &word[i % 2], FUTEX_REQUEUE_PRIVATE, 0, 1, &word[(i + 1) % 2], 0);
	}
	exit(0);
}

static void calls_sleepers(void)
{
	const struct timespec little = {0, 50};
	wait_all();
	for (int i = 0; i < n; i++)
		nanosleep(&little, NULL);
	exit(0);
}

/* A tenth of N files are made, renamed and removed, with --rw: that keeps the disk busy. */
static void calls_names(void)
{
	char name[32], other[32];
	if (mkdir("made", 0755) != 0)
		exit(3);
	for (int i = 0; i < n / 10; i++) {
		snprintf(name, sizeof name, "made/%d", i);
		close(open(name, O_CREAT | O_WRONLY, 0644));
	}
	for (int i = 0; i < n / 10; i++) {
		snprintf(name, sizeof name, "made/%d", i);
		snprintf(other, sizeof other, "made/to%d", i);
		if (rename(name, other) != 0 || unlink(other) != 0)
			exit(3);
	}
	rmdir("made");
}

/* A folder with N files, made by the script, is listed from its beginning again and again. */
static void calls_listings(void)
{
	char records[256];
	const int fd = open("listed", O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < n; i++)
		if (lseek(fd, 0, SEEK_SET) != 0 || syscall(SYS_getdents64, fd, records, sizeof records) <= 0)
			exit(3);
}

/* That folder is renamed as often, once its files are known. */
static void calls_renames(void)
{
	static char records[1 << 16];
	const int fd = open("listed", O_RDONLY | O_DIRECTORY);
	while (syscall(SYS_getdents64, fd, records, sizeof records) > 0)
		;
	for (int i = 0; i < n; i++)
		if (rename(i % 2 ? "other" : "listed", i % 2 ? "listed" : "other") != 0)
			exit(3);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = {{"maps", calls_maps}, {"unmaps", calls_unmaps}, {"moves", calls_moves}, {"advice", calls_advice}, {"discards", discard_pages}, {"protects", calls_protects}, {"holes", calls_holes}, {"breaks", calls_breaks},
	             {"pages", calls_pages}, {"code", calls_code}, {"names", calls_names},
	             {"listings", calls_listings}, {"renames", calls_renames}, {"descriptors", calls_descriptors}, {"watches", calls_watches},
	             {"timers", calls_timers}, {"signals", calls_signals}, {"waiters", calls_waiters}, {"sleepers", calls_sleepers}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (argc == 1)
			puts(kinds[i].name);
		else if (!strcmp(kinds[i].name, argv[1])) {
			n = atoi(argv[2]);
			kinds[i].run();
			return 0;
		}
	}
	return argc == 1 ? 0 : 2;
}
