/* Common parts of `escape`: system calls without a C library between, and the report of their
 * results. */
#ifndef CYCLOPS_TESTS_CLI_ESCAPE_H
#define CYCLOPS_TESTS_CLI_ESCAPE_H

enum { LEAK = 1000 /* the result of a forbidden success */ };

extern char text[1 << 16]; /* the report; its end is room for calls' output */
extern long tries, leaks;

void put(const char *s);
void put_number(long n);
/* Writes what was put, as a line. */
void flush(void);
/* Keeps a result of the present way: 0, an error's number or LEAK; */
void note(const char *call, int result);
/* and prints all of them. */
void tell(const char *way);

/* 0 or the error's number. */
int gave(long r);
long call6(long n, long a, long b, long c, long d, long e, long f);
#define CALL_(n, a, b, c, d, e, f, ...)                                                            \
	call6(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define CALL(...) CALL_(__VA_ARGS__, 0, 0, 0, 0, 0, 0)
long open_at(int dir, const char *path, int flags);
void close_fd(long fd);

/* escape_without_paths.c */
void descriptors(void);
void processes(void);
void machine(void);
void nonsense(void);

#endif
