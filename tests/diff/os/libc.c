/* A program of tests/diff/os.sh, here and under qemu-riscv64: parts of the C library by name.
 * Prints no values that may differ: times, addresses, numbers of inodes. */
#define _GNU_SOURCE
#include <complex.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fenv.h>
#include <fnmatch.h>
#include <ftw.h>
#include <getopt.h>
#include <glob.h>
#include <iconv.h>
#include <inttypes.h>
#include <langinfo.h>
#include <limits.h>
#include <libgen.h>
#include <locale.h>
#include <math.h>
#include <regex.h>
#include <search.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <wchar.h>
#include <wctype.h>
#include <wordexp.h>

#include "libc.h"


void say(const char *what, long ret)
{
	if (ret < 0)
		printf("%s: %s\n", what, strerror(errno));
	else
		printf("%s: %ld\n", what, ret);
}

static int libc_formats(void)
{
	char buf[200];
	printf("%5d|%-5d|%05d|%+d|%x|%#o|%'d\n", 42, 42, 42, 42, 48879, 8, 1234567);
	printf("%e|%g|%a|%.3f|%10.2f|%Lf\n", 12345.678, 1e-5, 0.1, 2.0005, -3.14159, 1.5L);
	printf("%s|%10s|%-10s|%.2s|%c|%%|%p\n", "abc", "abc", "abc", "abc", 'x', (void *)0);
	printf("%1$s %2$d %1$s\n", "again", 7);
	printf("%zu %td %jd %hhd %ld %llu\n", sizeof buf, (ptrdiff_t)-3, (intmax_t)-9, 300, LONG_MIN, ULLONG_MAX);
	printf("%f %f %F %g\n", INFINITY, -NAN, NAN, -0.0);
	printf("%ls %lc\n", L"wide", (wint_t)L'w');
	const char *volatile longer = "longer than ten";
	int n = snprintf(buf, 10, "%s", longer), a, b;
	float f;
	char word[20];
	printf("%d %s\n", n, buf);
	n = sscanf("12 0x1f 3.5 word [abc]", "%d %i %f %19s", &a, &b, &f, word);
	printf("%d: %d %d %g %s\n", n, a, b, f, word);
	n = sscanf("abc123def", "%[a-c]%d%n", word, &a, &b);
	printf("%d: %s %d %d\n", n, word, a, b);
	printf("%ld %lu %g %g\n", strtol("-0x7fz", NULL, 16), strtoul("777", NULL, 8), strtod("0x1.8p3", NULL), strtod("nan", NULL));
	errno = 0;
	printf("%ld %d\n", strtol("99999999999999999999", NULL, 10), errno == ERANGE);
	return 0;
}

static int libc_by_value(const void *a, const void *b)
{
	const int *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static int by_value_with(const void *a, const void *b, void *sign)
{
	return libc_by_value(a, b) * *(int *)sign;
}

static int libc_sorting(void)
{
	int v[1000], key = 500, sign = -1;
	unsigned x = 1;
	for (int i = 0; i < 1000; i++)
		v[i] = (int)((x = x * 1103515245 + 12345) >> 16 & 0x3ff);
	qsort(v, 1000, sizeof *v, libc_by_value);
	printf("%d %d %d\n", v[0], v[500], v[999]);
	int *at = bsearch(&key, v, 1000, sizeof *v, libc_by_value);
	printf("%d\n", at ? *at : -1);
	qsort_r(v, 1000, sizeof *v, by_value_with, &sign);
	printf("%d %d\n", v[0], v[999]);
	size_t n = 1000;
	key = 501;
	lsearch(&key, v, &n, sizeof *v, libc_by_value);
	printf("%zu\n", n);
	return 0;
}

static void count_node(const void *node, VISIT when, int depth)
{
	if (when == postorder || when == leaf)
		printf("%d ", **(const int *const *)node);
	(void)depth;
}

static int libc_searching(void)
{
	static int v[] = {5, 3, 9, 1, 4, 8, 7, 2, 6};
	void *root = NULL;
	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		tsearch(&v[i], &root, libc_by_value);
	twalk(root, count_node);
	tdelete(&v[2], &root, libc_by_value);
	printf("%d\n", tfind(&v[2], &root, libc_by_value) == NULL);
	hcreate(50);
	char *names[] = {"alpha", "beta", "gamma"};
	for (long i = 0; i < 3; i++)
		hsearch((ENTRY){names[i], (void *)i}, ENTER);
	ENTRY *e = hsearch((ENTRY){"beta", NULL}, FIND);
	printf("%ld\n", e ? (long)e->data : -1);
	hdestroy();
	return 0;
}

static int libc_regexes(void)
{
	static const char *const patterns[] = {"^([a-z]+)@([a-z]+)\\.com$", "a{2,3}b*", "(", "[[:digit:]]+$", "(a|b)*c\\1"};
	static const char *const texts[] = {"john@example.com", "caaab", "12x34", "abac"};
	for (size_t i = 0; i < 5; i++) {
		regex_t re;
		char msg[100];
		int err = regcomp(&re, patterns[i], REG_EXTENDED);
		regerror(err, &re, msg, sizeof msg);
		printf("%s: %s\n", patterns[i], msg);
		for (size_t k = 0; !err && k < 4; k++) {
			regmatch_t m[3];
			if (regexec(&re, texts[k], 3, m, 0) == 0)
				printf("  %s: %d-%d %d-%d\n", texts[k], m[0].rm_so, m[0].rm_eo, m[1].rm_so, m[1].rm_eo);
		}
		if (!err)
			regfree(&re);
	}
	return 0;
}

static int libc_visit(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	printf("%s %d %d %ld\n", path, type, ftw->level, S_ISREG(st->st_mode) ? (long)st->st_size : 0);
	return 0;
}

static int only_text(const struct dirent *d)
{
	return fnmatch("*.txt", d->d_name, 0) == 0;
}

static int libc_trees(void)
{
	glob_t g;
	struct dirent **list;
	mkdir("a", 0755);
	mkdir("a/b", 0755);
	for (int i = 0; i < 5; i++) {
		char name[30];
		snprintf(name, sizeof name, "a/file%d.%s", i, i % 2 ? "txt" : "dat");
		FILE *f = fopen(name, "w");
		fprintf(f, "%0*d", i * 10, 0);
		fclose(f);
	}
	say("glob", glob("a/*.txt", GLOB_MARK, NULL, &g));
	for (size_t i = 0; i < g.gl_pathc; i++)
		puts(g.gl_pathv[i]);
	globfree(&g);
	say("glob", glob("none*", 0, NULL, &g));
	say("glob", glob("{a,b}/f?le[0-2]*", GLOB_BRACE, NULL, &g));
	printf("%zu\n", g.gl_pathc);
	int n = scandir("a", &list, only_text, alphasort);
	for (int i = 0; i < n; i++)
		printf("%s %d\n", list[i]->d_name, list[i]->d_type == DT_REG);
	DIR *d = opendir("a");
	n = 0;
	long third = 0;
	for (struct dirent *e; (e = readdir(d)); n++)
		if (n == 2)
			third = telldir(d);
	seekdir(d, third);
	printf("%d %d\n", n, readdir(d) != NULL);
	rewinddir(d);
	say("dirfd", fchdir(dirfd(d)));
	closedir(d);
	say("chdir", chdir(".."));
	nftw("a/b", libc_visit, 5, FTW_PHYS);
	say("rename", rename("a/file1.txt", "a/b/moved.txt"));
	say("remove", remove("a/b"));
	say("remove", remove("a/b/moved.txt"));
	say("rmdir", rmdir("a/b"));
	printf("%s %s\n", basename(strdupa("/usr/lib/")), dirname(strdupa("/usr/lib/")));
	return 0;
}

static int libc_words(void)
{
	char text[] = "one,two,,three;four", *rest = text, *w, s[100];
	while ((w = strsep(&rest, ",;")))
		printf("[%s] ", w);
	printf("%zu %zu %s\n", strspn("aabbc", "ab"), strcspn("hello", "l"), strpbrk("hello", "lo"));
	printf("%d %d %s\n", strcasecmp("HeLLo", "hEllO"), strverscmp("file9", "file10") < 0, strcasestr("Hello World", "WORLD"));
	memset(s, 0, sizeof s);
	stpcpy(stpcpy(s, "abc"), "def");
	printf("%s %s %d\n", s, strrchr(s, 'c'), memcmp(s, "abcdeg", 6) < 0);
	for (int i = 0; i < 70; i++)
		memmove(s + i % 7, s + i % 5, 40);
	printf("%s\n", s);
	printf("%s|%s|%s\n", strerror(ENOENT), strerror(12345), strsignal(SIGSEGV));
	printf("%d%d%d%d\n", !!isalpha('x'), !!isdigit('x'), toupper('x'), !!ispunct('!'));
	wordexp_t p;
	setenv("NAME", "value", 1);
	say("wordexp", wordexp("a$NAME \"b c\" ${NONE:-d}", &p, WRDE_NOCMD));
	for (size_t i = 0; i < p.we_wordc; i++)
		printf("<%s>", p.we_wordv[i]);
	puts("");
	return 0;
}

static int libc_locales(void)
{
	printf("%s\n", setlocale(LC_ALL, "C"));
	printf("%s\n", setlocale(LC_ALL, "xx_YY") ? "found" : "not found");
	printf("%s %s\n", setlocale(LC_ALL, NULL), nl_langinfo(CODESET));
	wchar_t w[20];
	size_t n = mbstowcs(w, "h\xc3\xa9llo", 20);
	printf("%zd %d\n", (ssize_t)n, n > 1 && n < 20 ? (int)w[1] : -1);
	printf("%s %d\n", localeconv()->decimal_point, !!iswalpha(L'\u00e9'));
	printf("%ls\n", wcschr(L"wide text", L't'));
	printf("%ld\n", wcstol(L"123abc", NULL, 10));
	return 0;
}

static int libc_converting(void)
{
	char in[] = "gr\xc3\xbc\xc3\x9f", out[64], *from = in, *to = out;
	size_t left = strlen(in), room = sizeof out;
	iconv_t cd = iconv_open("UTF-16LE", "UTF-8");
	if (cd == (iconv_t)-1) {
		say("iconv_open", -1);
		return 0;
	}
	say("iconv", (long)iconv(cd, &from, &left, &to, &room));
	for (char *p = out; p < to; p++)
		printf("%02x", (unsigned char)*p);
	puts("");
	iconv_close(cd);
	return 0;
}

static int libc_calendars(void)
{
	time_t t = 1000000000;
	struct tm tm;
	char buf[100];
	gmtime_r(&t, &tm);
	strftime(buf, sizeof buf, "%Y-%m-%d %H:%M:%S %a %b %j %U %p %Z", &tm);
	puts(buf);
	tm.tm_mon += 14;
	printf("%ld %s", (long)timegm(&tm), asctime(&tm));
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	localtime_r(&t, &tm);
	strftime(buf, sizeof buf, "%F %T %Z %z", &tm);
	printf("%s %d %ld %s\n", buf, tm.tm_isdst, timezone, tzname[1]);
	printf("%ld\n", (long)mktime(&tm));
	printf("%s\n", strptime("2024-02-29 12:30", "%Y-%m-%d %H:%M", &tm) ? "parsed" : "not");
	printf("%d %d %g\n", tm.tm_mday, tm.tm_min, difftime(100, 50));
	struct timespec a = {0}, b = {.tv_nsec = 1000};
	say("nanosleep", nanosleep(&b, &a));
	say("usleep", usleep(10));
	say("clock_nanosleep", clock_nanosleep(CLOCK_MONOTONIC, 0, &b, NULL));
	clock_gettime(CLOCK_MONOTONIC, &a);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%d\n", b.tv_sec > a.tv_sec || b.tv_nsec >= a.tv_nsec);
	struct itimerval it;
	say("getitimer", getitimer(ITIMER_REAL, &it));
	say("alarm", (long)alarm(0));
	return 0;
}

static int libc_mathematics(void)
{
	for (double x = -2; x < 3; x += 0.7)
		printf("%.12g %.12g %.12g %.12g %.12g %.12g\n", sin(x), exp(x), atan2(x, 2), cbrt(x), tgamma(x + 3), erf(x));
	printf("%g %g %g %g\n", fmod(7.5, 2), remainder(7.5, 2), nearbyint(2.5), trunc(-2.7));
	printf("%ld %lld %d\n", lround(2.5), llrint(3.5), ilogb(1000));
	int e;
	double m = frexp(100, &e);
	printf("%g %d %g %g\n", m, e, ldexp(1, 10), nextafter(1, 2) - 1);
	fesetround(FE_UPWARD);
	printf("%.20g\n", 1.0 / 3);
	fesetround(FE_TONEAREST);
	feclearexcept(FE_ALL_EXCEPT);
	volatile double zero = 0, r = 1 / zero;
	printf("%g %d %d\n", r, !!fetestexcept(FE_DIVBYZERO), !!fetestexcept(FE_INVALID));
	double complex z = csqrt(-1 + 1 * I);
	printf("%.10g %.10g %.10Lg\n", creal(z), cimag(z), sqrtl(2.0L));
	errno = 0;
	r = log(-1.0 + zero);
	printf("%d %d\n", isnan(r), errno);
	srand(42);
	printf("%d %d\n", rand(), rand());
	srandom(7);
	printf("%ld\n", random());
	srand48(9);
	printf("%g %ld\n", drand48(), lrand48());
	return 0;
}

static jmp_buf back;
static sigjmp_buf sigback;
static volatile int bottom;

__attribute__((noinline)) static void dive(int n)
{
	volatile char pad[100];
	pad[n] = (char)n;
	if (n == bottom)
		longjmp(back, 5);
	if (n > 0)
		dive(n - 1);
	pad[0] = pad[1];
}

static int libc_jumping(void)
{
	volatile double kept = 1.5;
	int how = setjmp(back);
	printf("%d %g\n", how, kept);
	if (how == 0) {
		kept = 2.5;
		dive(20);
	}
	how = sigsetjmp(sigback, 1);
	if (how == 0)
		siglongjmp(sigback, 3);
	printf("%d\n", how);
	static ucontext_t here, there;
	static volatile int round;
	getcontext(&here);
	printf("round %d\n", round);
	if (round++ < 3)
		setcontext(&here);
	(void)there;
	return 0;
}

static ucontext_t main_context, other_context;

static void libc_coroutine(int from, int to)
{
	for (int i = from; i < to; i++) {
		printf("coroutine %d\n", i);
		swapcontext(&other_context, &main_context);
	}
}

static int libc_contexts(void)
{
	static char stack[65536];
	getcontext(&other_context);
	other_context.uc_stack.ss_sp = stack;
	other_context.uc_stack.ss_size = sizeof stack;
	other_context.uc_link = &main_context;
	makecontext(&other_context, (void (*)(void))libc_coroutine, 2, 3, 6);
	for (int i = 0; i < 4; i++) {
		printf("main %d\n", i);
		swapcontext(&main_context, &other_context);
	}
	return 0;
}

static void libc_handler(int sig)
{
	(void)sig;
}

static int libc_handlers(void)
{
	struct sigaction sa = {.sa_handler = libc_handler, .sa_flags = SA_RESTART}, old;
	sigemptyset(&sa.sa_mask);
	sigaddset(&sa.sa_mask, SIGUSR2);
	say("sigaction", sigaction(SIGUSR1, &sa, NULL));
	say("sigaction", sigaction(SIGUSR1, NULL, &old));
	printf("%d %d %d\n", old.sa_handler == libc_handler, sigismember(&old.sa_mask, SIGUSR2), !!(old.sa_flags & SA_RESTART));
	printf("%d\n", signal(SIGINT, libc_handler) == SIG_DFL);
	say("sigaction", sigaction(SIGKILL, &sa, NULL));
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	say("sigprocmask", sigprocmask(SIG_BLOCK, &set, NULL));
	say("raise", raise(SIGUSR1));
	say("sigpending", sigpending(&set));
	printf("%d\n", sigismember(&set, SIGUSR1));
	int sig = 0;
	say("sigwait", sigwait(&set, &sig));
	printf("%d\n", sig == SIGUSR1);
	signal(SIGPIPE, SIG_IGN);
	say("raise", raise(SIGPIPE));
	char stack[16384];
	say("sigaltstack", sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL));
	return 0;
}

static int libc_options(void)
{
	char *argv[] = {"prog", "-ab", "value", "--long=7", "--flag", "rest", "-c", "--", "-d", NULL};
	static int flag;
	const struct option longs[] = {{"long", required_argument, NULL, 'l'}, {"flag", no_argument, &flag, 1}, {0}};
	int c;
	optind = 1;
	while ((c = getopt_long(9, argv, "ab:cd", longs, NULL)) != -1)
		printf("%d %s\n", c, optarg ? optarg : "-");
	printf("%d %d %s %s\n", flag, optind, argv[optind], argv[optind + 1]);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*part)(void);
	} parts[] = {
		{"formats", libc_formats},     {"sorting", libc_sorting},     {"searching", libc_searching}, {"regexes", libc_regexes},
		{"trees", libc_trees},         {"words", libc_words},         {"locales", libc_locales},     {"converting", libc_converting},
		{"calendars", libc_calendars}, {"mathematics", libc_mathematics}, {"jumping", libc_jumping}, {"contexts", libc_contexts},
		{"handlers", libc_handlers},   {"options", libc_options},     {"memory", memory},       {"alone", alone},
		{"streams", streams},     {"descriptors", descriptors}, {"identity", identity}, {"refusals", refusals},
	};
	for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++)
		if (strcmp(argv[1], parts[i].name) == 0)
			return parts[i].part();
	return 99;
}
