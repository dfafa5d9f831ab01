/* Waiting until a descriptor can be read or written. Times are milliseconds; 0: does not wait, -1:
 * without an end. */
#ifndef CYCLOPS_CORE_HOST_WAIT_READY_H
#define CYCLOPS_CORE_HOST_WAIT_READY_H

#include <stdbool.h>

/* 1: a read or write would not block, which may be since it fails; 0: the time is over; -1 with
 * errno on failure, EINTR after a signal. */
int wait_input(int fd, int ms);
int wait_output(int fd, int ms);
/* Waits for either descriptor; b may be -1. Returns the sum of 1: a can be read, and 2: b can; 0:
 * the time is over; -1 with errno, as above. */
int wait_either_input(int a, int b, int ms);
/* Waits for input without an end, unless came() is true, or a signal is handled first: signals are
 * blocked from the question to the wait, so none is noticed only with the next input. Returns
 * whether there is input. */
bool wait_input_unless(int fd, bool (*came)(void));
/* True if nothing is at the other end any more: of a terminal, a pipe or a socket. */
bool wait_end_is_gone(int fd);

#endif
