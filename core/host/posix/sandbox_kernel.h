/* Entering each of the kernel's means; only for sandbox.c. All are called in the child, in this
 * order, and return true if the means took effect; a failure leaves the child as it was, or with
 * access to nothing. */
#ifndef CYCLOPS_CORE_HOST_POSIX_SANDBOX_KERNEL_H
#define CYCLOPS_CORE_HOST_POSIX_SANDBOX_KERNEL_H

#include <stdbool.h>

struct sandbox;

bool sandbox_enter_namespaces(const struct sandbox *s);
bool sandbox_enter_landlock(const struct sandbox *s);
bool sandbox_enter_seccomp(void);

#endif
