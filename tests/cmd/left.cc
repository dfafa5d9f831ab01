/* Calls that are left in every way but by a return, for watchpoints on their variables. */
#include <csetjmp>
#include <csignal>
#include <pthread.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static jmp_buf place;
static sigjmp_buf signal_place;
static ucontext_t here, there;
static char stack[65536];
static volatile int sink;

__attribute__((noinline)) static void deep(int n)
{
	if (n)
		deep(n - 1);
	else
		longjmp(place, 1);
	sink = sink + 1;
}

__attribute__((noinline)) static void jumps(int n)
{
	volatile int kept = n;
	kept = kept + 1;
	deep(3);
}

__attribute__((noinline)) static void jumps_to_caller(int n)
{
	volatile int kept = n;
	kept = kept + 1;
	longjmp(place, kept);
}

static void handler(int number)
{
	siglongjmp(signal_place, number);
}

__attribute__((noinline)) static void is_signalled(int n)
{
	volatile int kept = n;
	kept = kept + 1;
	raise(SIGUSR1);
}

__attribute__((noinline)) static void throws_it(int n)
{
	volatile int kept = n;
	kept = kept + 1;
	throw n;
}

struct guard {
	~guard() { sink = sink + 1; }
};

__attribute__((noinline)) static void cleans_up(int n)
{
	guard g;
	volatile int kept = n;
	kept = kept + 1;
	throws_it(n);
}

static void coroutine()
{
	swapcontext(&there, &here);
	swapcontext(&there, &here);
}

/* Its frame stays while others have the processor, also on a stack inside it. */
__attribute__((noinline)) static void switches(int n)
{
	volatile int kept = n;
	char inside[32768];
	getcontext(&there);
	there.uc_stack.ss_sp = n ? inside : stack;
	there.uc_stack.ss_size = sizeof inside;
	makecontext(&there, coroutine, 0);
	swapcontext(&here, &there);
	kept = kept + 1;
	swapcontext(&here, &there);
	kept = kept + 1;
}

__attribute__((noinline)) static void ends(int n)
{
	volatile int kept = n;
	kept = kept + 1;
	if (n)
		pthread_exit(nullptr);
	syscall(SYS_exit, 0);
}

static void *thread(void *argument)
{
	ends(argument != nullptr);
	return argument;
}

int main()
{
	pthread_t t;
	if (!setjmp(place))
		jumps(5);
	if (!setjmp(place))
		jumps_to_caller(3);
	signal(SIGUSR1, handler);
	if (!sigsetjmp(signal_place, 1))
		is_signalled(7);
	for (int i = 0; i < 2; i++)
		try {
			if (i)
				cleans_up(2);
			throws_it(1);
		} catch (int) {
			sink = sink + 1;
		}
	switches(0);
	switches(1);
	pthread_create(&t, nullptr, thread, &t);
	pthread_join(t, nullptr);
	pthread_create(&t, nullptr, thread, nullptr);
	usleep(1000);
	return 0;
}
