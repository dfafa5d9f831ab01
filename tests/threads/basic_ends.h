/* Parts of `basic` that are about signals, cancellation and the ends of threads. */
#ifndef CYCLOPS_TESTS_THREADS_BASIC_ENDS_H
#define CYCLOPS_TESTS_THREADS_BASIC_ENDS_H

void kills(void);
void sigwaits(void);
void cancels(void);
void exits(void);
void main_leaves(void);

#endif
