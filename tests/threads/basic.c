/* Guarantees of pthreads, in programs whose output does not depend on scheduling: each test prints
 * a line. `basic NAME...` runs some, without names all. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic_ends.h"

enum { MANY = 8, ROUNDS = 200 };

static void *times_three(void *arg)
{
	return (void *)((long)arg * 3);
}

static void join(void)
{
	pthread_t t[MANY];
	long sum = 0;
	for (long i = 0; i < MANY; i++)
		printf("%d", pthread_create(&t[i], NULL, times_three, (void *)i));
	for (long i = 0; i < MANY; i++) {
		void *back;
		pthread_join(t[i], &back);
		sum += (long)back;
	}
	printf(" sum %ld\n", sum);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static void *count(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		long seen = counter;
		if (i % 16 == 0)
			sched_yield(); /* with the lock held */
		counter = seen + 1;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void mutex(void)
{
	pthread_t t[MANY];
	for (int i = 0; i < MANY; i++)
		pthread_create(&t[i], NULL, count, NULL);
	for (int i = 0; i < MANY; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", counter);
}

static void kinds(void)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&m, &a);
	printf("%d %d", pthread_mutex_lock(&m), pthread_mutex_lock(&m));
	printf(" %d %d", pthread_mutex_unlock(&m), pthread_mutex_unlock(&m));
	printf(" %s\n", strerror(pthread_mutex_unlock(&m)));
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&m, &a);
	pthread_mutex_lock(&m);
	printf("%s\n", strerror(pthread_mutex_lock(&m)));
}

static void *die_holding(void *m)
{
	pthread_mutex_lock(m);
	return NULL;
}

static void robust(void)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;
	pthread_t t;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m, &a);
	pthread_create(&t, NULL, die_holding, &m);
	pthread_join(t, NULL);
	printf("%s\n", strerror(pthread_mutex_lock(&m)));
	printf("%d %d\n", pthread_mutex_consistent(&m), pthread_mutex_unlock(&m));
}

static void *die_waited_for(void *m)
{
	pthread_mutex_lock(m);
	nanosleep(&(struct timespec){0, 2000000}, NULL);
	return NULL;
}

static void robust_wait(void)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;
	pthread_t t;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m, &a);
	pthread_create(&t, NULL, die_waited_for, &m);
	nanosleep(&(struct timespec){0, 1000000}, NULL);
	printf("%s\n", strerror(pthread_mutex_lock(&m)));
	pthread_join(t, NULL);
}

/* ---- condition variables ---- */
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
static int slot, has;

static void *produce(void *arg)
{
	for (int i = 1; i <= 50; i++) {
		pthread_mutex_lock(&lock);
		while (has)
			pthread_cond_wait(&empty, &lock);
		slot = i * i;
		has = 1;
		pthread_cond_signal(&full);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void cond(void)
{
	pthread_t t;
	long sum = 0;
	pthread_create(&t, NULL, produce, NULL);
	for (int i = 1; i <= 50; i++) {
		pthread_mutex_lock(&lock);
		while (!has)
			pthread_cond_wait(&full, &lock);
		sum = sum * 31 + slot;
		has = 0;
		pthread_cond_signal(&empty);
		pthread_mutex_unlock(&lock);
	}
	pthread_join(t, NULL);
	printf("%ld\n", sum);
}

static int gate, through;

static void *pass(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!gate)
		pthread_cond_wait(&full, &lock);
	through++;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void broadcast(void)
{
	pthread_t t[MANY];
	for (int i = 0; i < MANY; i++)
		pthread_create(&t[i], NULL, pass, NULL);
	usleep(1000);
	pthread_mutex_lock(&lock);
	gate = 1;
	pthread_cond_broadcast(&full);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < MANY; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", through);
}

static void timed(void)
{
	struct timespec at;
	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_nsec += 1000000;
	if (at.tv_nsec >= 1000000000)
		at.tv_nsec -= 1000000000, at.tv_sec++;
	pthread_mutex_lock(&lock);
	printf("%s", strerror(pthread_cond_timedwait(&full, &lock, &at)));
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	clock_gettime(CLOCK_REALTIME, &at);
	printf(" %s", strerror(pthread_mutex_timedlock(&lock, &at)));
	pthread_mutex_unlock(&lock);
	sem_t s;
	sem_init(&s, 0, 0);
	printf(" %d", sem_timedwait(&s, &at));
	printf(" %s\n", strerror(errno));
}

/* ---- others ---- */
static pthread_barrier_t barrier;
static atomic_int arrived, early, leaders;

static void *meet(void *arg)
{
	for (int round = 1; round <= 10; round++) {
		arrived++;
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			leaders++;
		early += arrived < round * MANY;
		pthread_barrier_wait(&barrier);
	}
	return arg;
}

static void barriers(void)
{
	pthread_t t[MANY];
	pthread_barrier_init(&barrier, NULL, MANY);
	for (int i = 0; i < MANY; i++)
		pthread_create(&t[i], NULL, meet, NULL);
	for (int i = 0; i < MANY; i++)
		pthread_join(t[i], NULL);
	printf("%d %d %d\n", arrived, early, leaders);
}

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int a, b, torn;

static void *read_both(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_rwlock_rdlock(&rw);
		torn += a != b;
		pthread_rwlock_unlock(&rw);
	}
	return arg;
}

static void *write_both(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_rwlock_wrlock(&rw);
		a++;
		sched_yield();
		b++;
		pthread_rwlock_unlock(&rw);
	}
	return arg;
}

static void rwlocks(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, i & 1 ? write_both : read_both, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%d %d %d\n", a, b, torn);
}

static __thread int own = 7;
static pthread_key_t key;
static atomic_int destroyed;

static void destroy(void *v)
{
	destroyed += (int)(long)v;
}

static void *use_own(void *arg)
{
	own += (int)(long)arg;
	sched_yield();
	pthread_setspecific(key, (void *)(long)own);
	sched_yield();
	return (void *)(long)(own + (int)(long)pthread_getspecific(key));
}

static void tls(void)
{
	pthread_t t[MANY];
	long sum = 0;
	pthread_key_create(&key, destroy);
	for (long i = 0; i < MANY; i++)
		pthread_create(&t[i], NULL, use_own, (void *)i);
	for (int i = 0; i < MANY; i++) {
		void *back;
		pthread_join(t[i], &back);
		sum += (long)back;
	}
	printf("%ld %d %d\n", sum, destroyed, own);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int inits;

static void init(void)
{
	sched_yield();
	inits++;
}

static void *call_once(void *arg)
{
	pthread_once(&once, init);
	return arg;
}

static void onces(void)
{
	pthread_t t[MANY];
	for (int i = 0; i < MANY; i++)
		pthread_create(&t[i], NULL, call_once, NULL);
	for (int i = 0; i < MANY; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", inits);
}

static sem_t items, spaces;

static void *basic_fill(void *arg)
{
	for (int i = 0; i < 30; i++) {
		sem_wait(&spaces);
		sem_post(&items);
	}
	return arg;
}

static void semaphores(void)
{
	pthread_t t;
	int got = 0;
	sem_init(&items, 0, 0);
	sem_init(&spaces, 0, 3);
	pthread_create(&t, NULL, basic_fill, NULL);
	for (int i = 0; i < 30; i++) {
		sem_wait(&items);
		got++;
		sem_post(&spaces);
	}
	pthread_join(t, NULL);
	printf("%d\n", got);
}

static atomic_int detached_done;

static void *on_its_own(void *arg)
{
	detached_done++;
	return arg;
}

static void detached(void)
{
	pthread_attr_t attr;
	pthread_t t;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 40; i++)
		pthread_create(&t, &attr, on_its_own, NULL);
	while (detached_done < 40)
		usleep(100);
	printf("%d\n", detached_done);
}

static void *spin(void *arg)
{
	while (!atomic_load((atomic_int *)arg))
		;
	return arg;
}

/* Only a time slice ends this. */
static void slices(void)
{
	pthread_t t[2];
	atomic_int stop = 0;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, spin, &stop);
	for (volatile int i = 0; i < 100000; i++)
		;
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("stopped\n");
}

static void sleeping(void)
{
	struct timespec from, to;
	clock_gettime(CLOCK_MONOTONIC, &from);
	nanosleep(&(struct timespec){0, 20000000}, NULL);
	clock_gettime(CLOCK_MONOTONIC, &to);
	long ns = (to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec;
	printf("%d", ns >= 20000000 && ns < 2000000000);
	clock_gettime(CLOCK_MONOTONIC, &to);
	to.tv_nsec += 1000000;
	if (to.tv_nsec >= 1000000000)
		to.tv_nsec -= 1000000000, to.tv_sec++;
	printf(" %d", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &to, NULL));
	clock_gettime(CLOCK_MONOTONIC, &from);
	printf(" %d\n", from.tv_sec > to.tv_sec ||
	                        (from.tv_sec == to.tv_sec && from.tv_nsec >= to.tv_nsec));
}

static int ends[2];

static void *write_late(void *arg)
{
	usleep(2000);
	for (int i = 0; i < 5; i++) {
		char c = (char)('a' + i);
		if (write(ends[1], &c, 1) != 1)
			return arg;
		sched_yield();
	}
	close(ends[1]);
	return arg;
}

static void pipes(void)
{
	pthread_t t;
	char text[8] = "", *to = text;
	if (pipe(ends))
		return;
	pthread_create(&t, NULL, write_late, NULL);
	while (to < text + sizeof text && read(ends[0], to, 1) == 1)
		to++;
	pthread_join(t, NULL);
	printf("%s\n", text);
}

static const struct {
	const char *name;
	void (*run)(void);
} all[] = {{"join", join}, {"mutex", mutex}, {"kinds", kinds}, {"robust", robust},
           {"robust_wait", robust_wait}, {"cond", cond}, {"broadcast", broadcast},
           {"timed", timed}, {"barriers", barriers}, {"rwlocks", rwlocks}, {"tls", tls},
           {"once", onces}, {"semaphores", semaphores}, {"detached", detached},
           {"slices", slices}, {"sleeping", sleeping}, {"pipes", pipes}, {"kills", kills},
           {"sigwaits", sigwaits}, {"cancels", cancels}, {"exits", exits},
           {"main_leaves", main_leaves}};

int main(int argc, char **argv)
{
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		int wanted = argc == 1;
		for (int k = 1; k < argc; k++)
			wanted |= !strcmp(argv[k], all[i].name);
		if (!wanted)
			continue;
		printf("%s: ", all[i].name);
		all[i].run();
		fflush(stdout);
	}
	return 0;
}
