/* The limit of the next child. */
#ifndef CYCLOPS_CORE_HOST_WEB_SANDBOX_LIMIT_H
#define CYCLOPS_CORE_HOST_WEB_SANDBOX_LIMIT_H

/* Seconds, which sandbox_enter() sets; 0: none. */
extern unsigned sandbox_seconds;

#endif
