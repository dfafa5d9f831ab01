/* Common parts of the guest about signals. */
#ifndef CYCLOPS_TESTS_SIGNALS_GUEST_H
#define CYCLOPS_TESTS_SIGNALS_GUEST_H

enum { STACK = 65536 };
extern char stack[STACK];         /* for handlers */
extern volatile int depth, hits;  /* of handlers */

void on(int sig, void (*handler)(int), int flags);
/* A handler that prints the blocked signals, and counts. */
void say(int sig);

/* ends.c, wrong.c */
void again(void);
void bad_stack(void);
void bad_altstack(void);
void bad_return(void);
void bad_stack_caught(void);
void bad_return_caught(void);
void endless(void);
void endless_altstack(void);
void no_handler(void);
void alarm_ends(void);
void alarm_ends_wait(void);
void ignored_fault(void);
void wrong(void);

#endif
