/* Parts of `libc` that ask the system: memory, threads, streams, descriptors, processes. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <obstack.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <utime.h>

#include "libc.h"

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

int memory(void)
{
	size_t total = 0;
	void *p[200];
	for (int i = 0; i < 200; i++) {
		p[i] = malloc((size_t)(i * i * 7));
		memset(p[i], i, (size_t)(i * i * 7));
	}
	for (int i = 0; i < 200; i += 2)
		free(p[i]);
	for (int i = 1; i < 200; i += 2) {
		p[i] = realloc(p[i], 300000);
		total += ((unsigned char *)p[i])[i * i * 7 - 1];
	}
	for (int i = 1; i < 200; i += 2)
		free(p[i]);
	printf("%zu\n", total);
	char *big = calloc(1, 50 << 20);
	big[(50 << 20) - 1] = 3;
	printf("%d\n", big[1000] + big[(50 << 20) - 1]);
	free(big);
	void *aligned;
	say("posix_memalign", posix_memalign(&aligned, 4096, 100));
	printf("%d\n", (int)((uintptr_t)aligned & 4095));
	printf("%d\n", malloc((size_t)1 << 60) == NULL);
	char *m = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	m[5000] = 5;
	m = mremap(m, 1 << 20, 4 << 20, MREMAP_MAYMOVE);
	printf("%d\n", m[5000] + m[3 << 20]);
	say("mprotect", mprotect(m, 4096, PROT_READ));
	say("madvise", madvise(m + 4096, 8192, MADV_DONTNEED));
	printf("%d\n", m[5000]);
	say("mlock", mlock(m, 4096));
	say("munlock", munlock(m, 4096));
	unsigned char vec[4];
	say("mincore", mincore(m, 8192, vec));
	say("munmap", munmap(m, 4 << 20));
	struct obstack o;
	obstack_init(&o);
	for (int i = 0; i < 1000; i++)
		obstack_1grow(&o, 'x');
	obstack_1grow(&o, '\0');
	printf("%zu\n", strlen(obstack_finish(&o)));
	obstack_free(&o, NULL);
	return 0;
}

static void *libc_system_thread(void *arg)
{
	return arg;
}

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void)
{
	pthread_key_create(&key, NULL);
}

/* A single thread uses locks, condition variables and keys. */
int alone(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
	struct timespec t;
	pthread_once(&once, make_key);
	pthread_setspecific(key, "mine");
	printf("%s\n", (char *)pthread_getspecific(key));
	printf("%d\n", pthread_mutex_lock(&m));
	printf("%d\n", pthread_mutex_trylock(&m));
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec = 0;
	printf("%d\n", pthread_cond_timedwait(&c, &m, &t));
	printf("%d\n", pthread_cond_signal(&c));
	printf("%d\n", pthread_mutex_unlock(&m));
	printf("%d %d %d\n", pthread_rwlock_rdlock(&rw), pthread_rwlock_trywrlock(&rw), pthread_rwlock_unlock(&rw));
	printf("%d\n", pthread_equal(pthread_self(), pthread_self()));
	say("sched_yield", sched_yield());
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&m, &a);
	printf("%d %d\n", pthread_mutex_lock(&m), pthread_mutex_lock(&m));
	return 0;
}

int streams(void)
{
	char *text = NULL, buf[100];
	size_t n;
	FILE *f = open_memstream(&text, &n);
	fprintf(f, "hello %d", 5);
	fclose(f);
	printf("%s %zu\n", text, n);
	f = fmemopen(buf, sizeof buf, "w+");
	fputs("line 1\nline 2\n", f);
	rewind(f);
	while (fgets(buf + 50, 50, f))
		fputs(buf + 50, stdout);
	fclose(f);
	f = fopen("t.txt", "w+x");
	setvbuf(f, NULL, _IOFBF, 16);
	for (int i = 0; i < 100; i++)
		fprintf(f, "%d ", i);
	printf("%ld\n", ftell(f));
	fseek(f, 10, SEEK_SET);
	say("fscanf", fscanf(f, "%d", (int *)buf));
	ungetc('!', f);
	printf("%c\n", getc(f));
	fflush(f);
	say("ftruncate", ftruncate(fileno(f), 20));
	fseek(f, 0, SEEK_END);
	printf("%ld %d\n", ftell(f), feof(f));
	fclose(f);
	say("fopen", fopen("t.txt", "wx") ? 1 : -1);
	f = fopen("t.txt", "a+");
	fputs("end", f);
	rewind(f);
	char *line = NULL;
	n = 0;
	say("getdelim", getdelim(&line, &n, 'e', f));
	fclose(f);
	return 0;
}

int descriptors(void)
{
	int p[2], fd = open("d.txt", O_RDWR | O_CREAT | O_TRUNC, 0640);
	char buf[64] = "";
	struct stat st;
	struct iovec v[2] = {{"abc", 3}, {"defgh", 5}};
	say("writev", writev(fd, v, 2));
	say("pwritev", pwritev(fd, v, 2, 100));
	v[0] = (struct iovec){buf, 4};
	v[1] = (struct iovec){buf + 10, 4};
	say("preadv", preadv(fd, v, 2, 0));
	printf("%s %s\n", buf, buf + 10);
	say("fallocate", posix_fallocate(fd, 0, 1000));
	say("fstat", fstat(fd, &st));
	printf("%o %ld\n", st.st_mode, (long)st.st_size);
	say("fchmod", fchmod(fd, 0600));
	say("chmod", chmod("d.txt", 0644));
	say("truncate", truncate("d.txt", 50));
	say("link", link("d.txt", "hard.txt"));
	say("symlink", symlink("d.txt", "soft.txt"));
	say("readlink", readlink("soft.txt", buf, sizeof buf));
	say("lstat", lstat("soft.txt", &st));
	printf("%d\n", S_ISLNK(st.st_mode));
	say("utime", utime("d.txt", &(struct utimbuf){1000, 2000}));
	say("stat", stat("d.txt", &st));
	printf("%ld %ld\n", (long)st.st_mtime, (long)st.st_nlink);
	say("flock", flock(fd, LOCK_EX | LOCK_NB));
	say("lockf", lockf(fd, F_TLOCK, 10));
	say("posix_fadvise", posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL));
	say("sync", (sync(), 0));
	say("pipe", pipe(p));
	say("write", write(p[1], "through", 7));
	struct pollfd pf[2] = {{p[0], POLLIN, 0}, {p[1], POLLOUT, 0}};
	say("poll", poll(pf, 2, 0));
	printf("%x %x\n", pf[0].revents, pf[1].revents);
	say("read", read(p[0], buf, sizeof buf));
	say("poll", poll(pf, 1, 10));
	fd_set set;
	FD_ZERO(&set);
	FD_SET(p[0], &set);
	struct timeval tv = {0, 1000};
	say("select", select(p[0] + 1, &set, NULL, NULL, &tv));
	close(p[1]);
	say("read", read(p[0], buf, sizeof buf));
	struct statvfs vfs;
	printf("%d\n", statvfs(".", &vfs));
	say("readlink", readlink("d.txt", buf, sizeof buf));
	say("symlink", symlink("x", "d.txt"));
	say("link", link("none", "other"));
	say("truncate", truncate(".", 5));
	return 0;
}

int identity(void)
{
	struct rlimit r;
	struct rusage u;
	struct tms t;
	gid_t groups[100];
	printf("%d %d\n", getpid() > 0, getppid() >= 0);
	printf("%d\n", getuid() == geteuid() && getgid() == getegid());
	say("getrlimit", getrlimit(RLIMIT_NOFILE, &r));
	say("getrusage", getrusage(RUSAGE_SELF, &u));
	printf("%d\n", times(&t) != (clock_t)-1);
	printf("%d\n", getgroups(100, groups) >= 0);
	/* qemu answers with its own. */
	int priority = getpriority(PRIO_PROCESS, 0);
	printf("%d\n", priority >= -20 && priority <= 19);
	printf("%ld %d\n", sysconf(_SC_PAGESIZE), sysconf(_SC_NPROCESSORS_ONLN) > 0);
	printf("%d\n", getpgrp() > 0);
	printf("%s\n", getlogin() ? "somebody" : "nobody");
	printf("%d\n", ttyname(0) == NULL);
	printf("%d\n", isatty(1));
	char host[100];
	say("gethostname", gethostname(host, sizeof host));
	say("sched_getcpu", sched_getcpu() >= 0);
	cpu_set_t cpus;
	say("sched_getaffinity", sched_getaffinity(0, sizeof cpus, &cpus));
	say("setenv", setenv("A", "b", 1));
	printf("%s\n", getenv("A"));
	unsetenv("A");
	printf("%d\n", getenv("A") == NULL);
	return 0;
}

/* Only here: qemu-riscv64 would start them. */
int refusals(void)
{
	pthread_t t;
	pid_t pid;
	char *argv[] = {"true", NULL};
	printf("%s\n", strerrorname_np(pthread_create(&t, NULL, libc_system_thread, NULL)));
	say("fork", fork());
	printf("%s\n", strerrorname_np(posix_spawnp(&pid, "true", NULL, NULL, argv, NULL)));
	say("system", system("true"));
	say("wait", wait(NULL));
	FILE *f = popen("true", "r");
	printf("popen: %d\n", f != NULL);
	return 0;
}
