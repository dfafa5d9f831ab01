/* Each system call's answer to each combination of good and bad arguments: a line for each
 * call. After a call that succeeds, a digest of its effects: of the files, positions of descriptors
 * and pages that it may have changed, and of the bytes that it has written to memory. Linux itself
 * is the reference: the program is compiled for the host as well, and prints the same there. A call
 * in the table must not block, end the process or take more than its own files.
 *
 *   refusals          all calls
 *   refusals NAME     one of them
 *   refusals NAME -   the same, with effects as text */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct value {
	const char *name;
	long value;
};

#define COUNT(array) (int)(sizeof(array) / sizeof(array)[0])
#define MAX_ARGUMENTS 6
#define PAGE 4096L

/* ---- values of arguments, by kind ---- */

/* Descriptors that prepare() opens, in this order from 3. */
enum {
	READ_ONLY = 3,
	WRITE_ONLY,
	BOTH,
	APPENDS,
	FOLDER,
	BY_PATH,
	PIPE_OUT,
	PIPE_IN,
	EVENT,
	TIMER,
	EPOLL,
	MEMORY,
	SOCKET,
	SOCKET_PEER,
	OPEN_END
};

static const struct value descriptor[] = {
	{"-1", -1},         {"closed", 50},     {"here", AT_FDCWD},   {"ro", READ_ONLY},
	{"wo", WRITE_ONLY}, {"rw", BOTH},       {"append", APPENDS},  {"folder", FOLDER},
	{"path", BY_PATH},  {"pipe", PIPE_OUT}, {"pipe-in", PIPE_IN}, {"event", EVENT},
	{"timer", TIMER},   {"epoll", EPOLL},   {"memfd", MEMORY},    {"socket", SOCKET},
};
static const struct value few_descriptors[] = {
	{"closed", 50},    {"ro", READ_ONLY},  {"rw", BOTH},      {"folder", FOLDER},
	{"path", BY_PATH}, {"pipe", PIPE_OUT}, {"memfd", MEMORY},
};
static const struct value one_folder[] = {{"here", AT_FDCWD}};
static const struct value two_folders[] = {{"here", AT_FDCWD}, {"ro", READ_ONLY}};
static const struct value waiters[] = {
	{"closed", 50}, {"rw", BOTH}, {"path", BY_PATH}, {"epoll", EPOLL}};
static const struct value timers_there[] = {
	{"closed", 50}, {"rw", BOTH}, {"path", BY_PATH}, {"timer", TIMER}};
static const struct value bad_descriptor[] = {{"-1", -1}, {"closed", 50}, {"huge", 1L << 31}};
static const struct value new_descriptor[] = {
	{"-1", -1}, {"same", BOTH}, {"free", 40}, {"limit", 64}, {"huge", INT32_MAX}};
static const struct value folder[] = {{"here", AT_FDCWD},
                                      {"folder", FOLDER},
                                      {"closed", 50},
                                      {"ro", READ_ONLY},
                                      {"path", BY_PATH}};

/* Filled in by prepare(): places in memory. */
static char *good, *read_only, *page_end, *names, *pages;
static struct value buffer[] = {{"null", 0},      {"1", 1},        {"good", 0},
                                {"read-only", 0}, {"page-end", 0}, {"negative", -PAGE}};
static struct value zeroes[] = {{"null", 0}, {"1", 1}, {"zeroes", 0}, {"page-end", 0}};
static struct value path[] = {{"null", 0},      {"1", 1},       {"''", 0},   {"file", 0},
                              {"dir", 0},       {"missing", 0}, {"link", 0}, {"dangling", 0},
                              {"loop", 0},      {"file/x", 0},  {"dir/", 0}, {"file/", 0},
                              {"missing/x", 0}, {"dir/.", 0},   {"full", 0}, {"long name", 0},
                              {"second", 0}};
static struct value few_paths[] = {{"1", 1},     {"''", 0},       {"file", 0},
                                   {"dir", 0},   {"missing", 0},  {"link", 0},
                                   {"file/", 0}, {"missing/", 0}, {"full", 0}};
static struct value vector[] = {
	{"null", 0}, {"1", 1}, {"zeroes", 0}, {"sum too large", 0}, {"bad base", 0}};
static struct value address[] = {{"0", 0},    {"odd", 0},           {"mapped", 0},
                                 {"hole", 0}, {"last page", -PAGE}, {"beyond", 1L << 62}};
static struct value sets[] = {{"null", 0}, {"1", 1}, {"zeroes", 0}};
static struct value times[] = {{"null", 0},     {"1", 1},      {"zeroes", 0}, {"nsec -1", 0},
                               {"nsec 1e9", 0}, {"sec -1", 0}, {"omit", 0}};
static struct value word[] = {{"null", 0}, {"odd", 0}, {"zeroes", 0}, {"negative", -PAGE}};
static struct value action[] = {{"null", 0}, {"1", 1}, {"zeroes", 0}};
static struct value stack_to[] = {
	{"null", 0}, {"1", 1}, {"small", 0}, {"bad flags", 0}, {"off", 0}};

static struct value two_buffers[] = {{"null", 0}, {"good", 0}};
static const struct value nothing[] = {{"null", 0}, {"1", 1}};
static const struct value short_length[] = {{"0", 0}, {"1", 1}, {"64", 64}};
static const struct value advised[] = {{"0", 0}, {"1", 1}, {"page+1", PAGE + 1}, {"-1", -1}};
static const struct value few_numbers[] = {{"0", 0}, {"1", 1}, {"-1", -1}};
static const struct value few_offsets[] = {{"0", 0}, {"1", 1}, {"-1", -1}};
static const struct value one_mode[] = {{"0644", 0644}};
static const struct value owner[] = {{"-1", -1}, {"50", 50}};
static const struct value length[] = {{"0", 0}, {"1", 1}, {"64", 64}, {"-1", -1}};
static const struct value size[] = {
	{"0", 0}, {"1", 1}, {"page", PAGE}, {"page+1", PAGE + 1}, {"-1", -1}, {"-page", -PAGE}};
static const struct value count[] = {{"0", 0}, {"1", 1}, {"2", 2}, {"1025", 1025}, {"-1", -1}};
static const struct value offset[] = {{"0", 0},     {"1", 1},           {"-1", -1},
                                      {"100", 100}, {"max", INT64_MAX}, {"min", INT64_MIN}};
static const struct value whence[] = {{"set", SEEK_SET},   {"cur", SEEK_CUR},   {"end", SEEK_END},
                                      {"data", SEEK_DATA}, {"hole", SEEK_HOLE}, {"5", 5},
                                      {"-1", -1}};
static const struct value zero[] = {{"0", 0}};
static const struct value small[] = {{"0", 0}, {"1", 1}, {"2", 2}, {"3", 3}, {"-1", -1}};
static const struct value opening[] = {{"r", O_RDONLY},
                                       {"w", O_WRONLY},
                                       {"rw", O_RDWR},
                                       {"3", 3},
                                       {"creat", O_CREAT | O_RDWR},
                                       {"excl", O_CREAT | O_EXCL | O_RDWR},
                                       {"trunc", O_RDWR | O_TRUNC},
                                       {"dir", O_DIRECTORY},
                                       {"dir|w", O_DIRECTORY | O_RDWR},
                                       {"dir|creat", O_DIRECTORY | O_CREAT},
                                       {"nofollow", O_NOFOLLOW},
                                       {"path", O_PATH},
                                       {"path|nofollow", O_PATH | O_NOFOLLOW},
                                       {"tmpfile", O_TMPFILE | O_RDWR},
                                       {"tmpfile|r", O_TMPFILE}};
static const struct value mode[] = {{"0644", 0644}, {"-1", -1}};
static const struct value access_mode[] = {{"exists", F_OK}, {"r", R_OK}, {"w", W_OK},
                                           {"x", X_OK},      {"8", 8},    {"-1", -1}};
static const struct value at_flags[] = {{"0", 0},
                                        {"nofollow", AT_SYMLINK_NOFOLLOW},
                                        {"follow", AT_SYMLINK_FOLLOW},
                                        {"empty", AT_EMPTY_PATH},
                                        {"removedir", AT_REMOVEDIR},
                                        {"eaccess", AT_EACCESS},
                                        {"1<<20", 1 << 20},
                                        {"-1", -1}};
static const struct value control[] = {{"dupfd", F_DUPFD},
                                       {"getfd", F_GETFD},
                                       {"setfd", F_SETFD},
                                       {"getfl", F_GETFL},
                                       {"getlk", F_GETLK},
                                       {"setlk", F_SETLK},
                                       {"cloexec", F_DUPFD_CLOEXEC},
                                       {"getsz", F_GETPIPE_SZ},
                                       {"seals", F_GET_SEALS},
                                       {"99", 99},
                                       {"-1", -1}};
static const struct value control_value[] = {{"0", 0}, {"-1", -1}, {"64", 64}};
static const struct value request[] = {{"fionread", 0x541b}, {"tcgets", 0x5401}, {"winsz", 0x5413},
                                       {"fioclex", 0x5451},  {"99", 99},         {"-1", -1}};
static const struct value locking[] = {{"sh", 1}, {"ex|nb", 6}, {"un", 8},
                                       {"0", 0},  {"16", 16},   {"-1", -1}};
static const struct value open_flags[] = {
	{"0", 0}, {"cloexec", O_CLOEXEC}, {"nonblock", O_NONBLOCK}, {"1", 1}, {"2", 2}, {"-1", -1}};
static const struct value allocation[] = {{"0", 0}, {"keep", 1}, {"punch", 3},
                                          {"2", 2}, {"-1", -1},  {"zero", 16}};
static const struct value clock_id[] = {{"realtime", CLOCK_REALTIME},
                                        {"monotonic", CLOCK_MONOTONIC},
                                        {"process", CLOCK_PROCESS_CPUTIME_ID},
                                        {"thread", CLOCK_THREAD_CPUTIME_ID},
                                        {"boottime", CLOCK_BOOTTIME},
                                        {"raw", CLOCK_MONOTONIC_RAW},
                                        {"10", 10},
                                        {"-1", -1},
                                        {"99", 99}};
static const struct value epoll_op[] = {
	{"0", 0}, {"add", EPOLL_CTL_ADD}, {"mod", EPOLL_CTL_MOD}, {"del", EPOLL_CTL_DEL}, {"4", 4}};
static const struct value set_size[] = {{"0", 0}, {"4", 4}, {"8", 8}, {"16", 16}};
static const struct value futex_op[] = {
	{"wake", 1},    {"wake private", 129}, {"wait other", 0}, {"requeue", 3}, {"cmp", 4},
	{"wake op", 5}, {"wake bitset", 10},   {"13", 13},        {"99", 99}};
static const struct value timer[] = {{"-1", -1}, {"99", 99}};
static const struct value process[] = {{"0", 0}, {"-1", -1}, {"none", 99999}, {"min", INT32_MIN}};
static const struct value other_process[] = {{"-5", -5}, {"none", 99999}};
static const struct value number[] = {{"0", 0}, {"1", 1}, {"64", 64}, {"65", 65}, {"-1", -1}};
static const struct value handled[] = {{"0", 0},          {"int", SIGINT}, {"kill", SIGKILL},
                                       {"stop", SIGSTOP}, {"64", 64},      {"65", 65},
                                       {"-1", -1}};
static const struct value protection[] = {{"none", 0},       {"r", PROT_READ}, {"rw", 3},
                                          {"x", 4},          {"8", 8},         {"-1", -1},
                                          {"grows", 1 << 24}};
static struct value hint[] = {{"0", 0}, {"odd", 0}, {"beyond", 1L << 62}};
static const struct value mapped_size[] = {{"0", 0}, {"1", 1}, {"-page", -PAGE}};
static const struct value few_protections[] = {{"r", 1}, {"rw", 3}};
static const struct value mapping[] = {{"private", MAP_PRIVATE},
                                       {"shared", MAP_SHARED},
                                       {"anon", MAP_PRIVATE | MAP_ANONYMOUS},
                                       {"anon shared", MAP_SHARED | MAP_ANONYMOUS},
                                       {"none", MAP_ANONYMOUS},
                                       {"validate", 3}};
static const struct value mapped_file[] = {
	{"-1", -1},         {"ro", READ_ONLY}, {"wo", WRITE_ONLY}, {"rw", BOTH},
	{"folder", FOLDER}, {"path", BY_PATH}, {"pipe", PIPE_OUT}, {"memfd", MEMORY}};
static const struct value file_offset[] = {{"0", 0}, {"1", 1}, {"-page", -PAGE}};
static const struct value remapping[] = {
	{"0", 0}, {"maymove", 1}, {"fixed", 2}, {"maymove|fixed", 3}, {"8", 8}, {"dontunmap", 5}};
static struct value remap_to[] = {{"odd", 0}, {"hole", 0}, {"inside", 0}};
static const struct value syncing[] = {{"0", 0}, {"async", 1}, {"sync", 4}, {"both", 5}, {"8", 8}};
static const struct value advice[] = {{"normal", 0}, {"willneed", 3}, {"dontneed", 4}, {"5", 5},
                                      {"free", 8},   {"remove", 9},   {"99", 99},      {"-1", -1}};
static const struct value random_flags[] = {{"0", 0}, {"1", 1}, {"2", 2},  {"6", 6},
                                            {"4", 4}, {"8", 8}, {"-1", -1}};
static const struct value barrier[] = {{"query", 0}, {"private", 8}, {"99", 99}, {"-1", -1}};
static const struct value resource[] = {
	{"cpu", 0}, {"data", 2}, {"stack", 3}, {"16", 16}, {"-1", -1}};
static const struct value usage_of[] = {
	{"self", 0}, {"children", -1}, {"thread", 1}, {"2", 2}, {"-2", -2}};
static const struct value waiting[] = {{"0", 0}, {"nohang", 1}, {"1<<10", 1 << 10}};
static const struct value id_type[] = {{"all", 0}, {"pid", 1}, {"pgid", 2}, {"9", 9}};
static const struct value waited[] = {{"0", 0}, {"exited|nohang", 5}, {"1<<10", 1 << 10}};
static const struct value policy[] = {{"other", 0}, {"fifo", 1}, {"rr", 2}, {"batch", 3},
                                      {"idle", 5},  {"99", 99},  {"-1", -1}};
static const struct value node[] = {
	{"file", S_IFREG}, {"0", 0}, {"fifo", S_IFIFO}, {"dir", S_IFDIR}, {"link", S_IFLNK}};
static const struct value domain[] = {{"unix", 1}, {"0", 0}, {"99", 99}};
static const struct value socket_type[] = {{"stream", 1}, {"dgram", 2}, {"0", 0}, {"99", 99}};
static const struct value seals[] = {
	{"0", 0}, {"cloexec", 1}, {"sealing", 2}, {"64", 64}, {"-1", -1}};
static const struct value range[] = {{"45", 45}, {"60", 60}, {"50", 50}};
static const struct value closing[] = {{"0", 0}, {"unshare", 2}, {"cloexec", 4}, {"8", 8}};
static const struct value head[] = {{"24", 24}, {"0", 0}, {"25", 25}};
static const struct value of_whom[] = {
	{"process", 0}, {"pgrp", 1}, {"user", 2}, {"3", 3}, {"-1", -1}};
static const struct value renaming[] = {{"0", 0},    {"noreplace", 1}, {"exchange", 2},
                                        {"both", 3}, {"whiteout", 4},  {"8", 8}};
static const struct value mask_of[] = {{"basic", 0x7ff}, {"1<<31", 1L << 31}};
static const struct value which_timer[] = {
	{"real", 0}, {"virtual", 1}, {"prof", 2}, {"3", 3}, {"-1", -1}};
static const struct value how[] = {{"block", 0}, {"unblock", 1}, {"set", 2}, {"3", 3}, {"-1", -1}};
static const struct value signals_there[] = {{"-1", -1}, {"closed", 50}, {"rw", BOTH}};

/* ---- the calls ---- */

enum {
	VALUE = 1,  /* print what a call returns, not only that it succeeds */
	CLOSES = 2, /* close the descriptors that it opens */
	UNMAPS = 4, /* unmap what it returns, of the second argument's length */
	FILES = 8, /* changes files, which are compared, then restored */
	PAGES = 16, /* changes memory: the same for the pages of prepare_pages() */
	BYTES = 32, /* writes the same bytes to memory as Linux: they are compared */
	AFRESH = FILES | PAGES,
};

struct kind {
	const struct value *values;
	int count;
};
#define OF(values)                                                                                 \
	{                                                                                          \
		values, COUNT(values)                                                              \
	}

static const struct call {
	const char *name;
	long number;
	int flags;
	struct kind arguments[MAX_ARGUMENTS];
} calls[] = {
#define CALL(name, flags, ...)                                                                     \
	{                                                                                          \
#name, SYS_##name, flags,                                                          \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}
	CALL(lseek, VALUE | FILES, OF(descriptor), OF(offset), OF(whence)),
	CALL(read, VALUE | BYTES, OF(descriptor), OF(buffer), OF(length)),
	CALL(write, VALUE | FILES, OF(descriptor), OF(buffer), OF(length)),
	CALL(readv, VALUE | BYTES, OF(descriptor), OF(vector), OF(count)),
	CALL(writev, VALUE | FILES, OF(descriptor), OF(vector), OF(count)),
	CALL(pread64, VALUE | BYTES, OF(few_descriptors), OF(buffer), OF(length), OF(offset)),
	CALL(pwrite64, VALUE | FILES, OF(few_descriptors), OF(buffer), OF(length), OF(file_offset)),
	CALL(preadv, VALUE | BYTES, OF(few_descriptors), OF(vector), OF(count), OF(file_offset), OF(zero)),
	CALL(pwritev, VALUE | FILES, OF(few_descriptors), OF(vector), OF(count), OF(file_offset), OF(zero)),
	CALL(openat, CLOSES | FILES, OF(folder), OF(path), OF(opening), OF(one_mode)),
	CALL(close, 0, OF(bad_descriptor)),
	CALL(dup, CLOSES, OF(descriptor)),
	CALL(dup3, CLOSES, OF(few_descriptors), OF(new_descriptor), OF(open_flags)),
	CALL(fcntl, VALUE | CLOSES, OF(descriptor), OF(control), OF(control_value)),
	CALL(ioctl, 0, OF(descriptor), OF(request), OF(buffer)),
	CALL(flock, 0, OF(descriptor), OF(locking)),
	CALL(mkdirat, FILES, OF(folder), OF(path), OF(mode)),
	CALL(mknodat, FILES, OF(folder), OF(few_paths), OF(node), OF(zero)),
	CALL(unlinkat, FILES, OF(folder), OF(path), OF(at_flags)),
	CALL(symlinkat, FILES, OF(few_paths), OF(two_folders), OF(path)),
	CALL(linkat, FILES, OF(two_folders), OF(few_paths), OF(one_folder), OF(few_paths),
             OF(at_flags)),
	CALL(renameat2, FILES, OF(two_folders), OF(few_paths), OF(one_folder), OF(few_paths),
             OF(renaming)),
	CALL(renameat2, FILES, OF(one_folder), OF(path), OF(two_folders), OF(path), OF(zero)),
	CALL(truncate, FILES, OF(path), OF(offset)),
	CALL(ftruncate, FILES, OF(descriptor), OF(offset)),
	CALL(fallocate, FILES, OF(few_descriptors), OF(allocation), OF(offset), OF(length)),
	CALL(faccessat, 0, OF(folder), OF(path), OF(access_mode)),
	CALL(faccessat2, 0, OF(two_folders), OF(path), OF(access_mode), OF(at_flags)),
	CALL(chdir, FILES, OF(path)),
	CALL(fchdir, FILES, OF(descriptor)),
	CALL(fchmod, FILES, OF(descriptor), OF(mode)),
	CALL(fchmodat, FILES, OF(folder), OF(path), OF(mode)),
	CALL(fchownat, FILES, OF(two_folders), OF(path), OF(owner), OF(owner), OF(at_flags)),
	CALL(fchown, FILES, OF(descriptor), OF(owner), OF(owner)),
	CALL(pipe2, CLOSES | BYTES, OF(zeroes), OF(open_flags)),
	CALL(getdents64, 0, OF(descriptor), OF(buffer), OF(length)),
	CALL(readlinkat, VALUE | BYTES, OF(folder), OF(path), OF(buffer), OF(length)),
	CALL(newfstatat, 0, OF(two_folders), OF(path), OF(two_buffers), OF(at_flags)),
	CALL(fstat, 0, OF(descriptor), OF(buffer)),
	CALL(statx, 0, OF(two_folders), OF(path), OF(at_flags), OF(mask_of), OF(two_buffers)),
	CALL(statfs, 0, OF(path), OF(buffer)),
	CALL(fstatfs, 0, OF(descriptor), OF(buffer)),
	CALL(utimensat, FILES, OF(two_folders), OF(path), OF(times), OF(at_flags)),
	CALL(fsync, 0, OF(descriptor)),
	CALL(fdatasync, 0, OF(descriptor)),
	CALL(fadvise64, 0, OF(descriptor), OF(few_offsets), OF(few_offsets), OF(advice)),
	CALL(eventfd2, CLOSES, OF(small), OF(open_flags)),
	CALL(timerfd_create, CLOSES, OF(clock_id), OF(open_flags)),
	CALL(timerfd_settime, BYTES, OF(timers_there), OF(small), OF(times), OF(zeroes)),
	CALL(timerfd_gettime, BYTES, OF(descriptor), OF(buffer)),
	CALL(epoll_create1, CLOSES, OF(open_flags)),
	CALL(epoll_ctl, FILES, OF(waiters), OF(epoll_op), OF(descriptor), OF(sets)),
	CALL(epoll_pwait, BYTES, OF(waiters), OF(buffer), OF(count), OF(zero), OF(sets), OF(set_size)),
	CALL(signalfd4, CLOSES, OF(signals_there), OF(sets), OF(set_size), OF(open_flags)),
	CALL(ppoll, BYTES, OF(zeroes), OF(small), OF(zeroes), OF(sets), OF(set_size)),
	CALL(futex, VALUE | BYTES, OF(word), OF(futex_op), OF(few_numbers), OF(nothing), OF(word),
             OF(few_numbers)),
	CALL(nanosleep, 0, OF(times), OF(buffer)),
	CALL(clock_nanosleep, 0, OF(clock_id), OF(small), OF(times), OF(zeroes)),
	CALL(clock_gettime, 0, OF(clock_id), OF(buffer)),
	CALL(clock_getres, 0, OF(clock_id), OF(buffer)),
	CALL(gettimeofday, 0, OF(buffer), OF(buffer)),
	CALL(getitimer, BYTES, OF(which_timer), OF(buffer)),
	CALL(setitimer, 0, OF(which_timer), OF(times), OF(buffer)),
	CALL(timer_create, 0, OF(clock_id), OF(sets), OF(buffer)),
	CALL(timer_gettime, BYTES, OF(timer), OF(buffer)),
	CALL(timer_getoverrun, 0, OF(timer)),
	CALL(timer_settime, 0, OF(timer), OF(small), OF(times), OF(zeroes)),
	CALL(timer_delete, 0, OF(timer)),
	CALL(sched_setparam, 0, OF(process), OF(zeroes)),
	CALL(sched_setscheduler, 0, OF(process), OF(policy), OF(zeroes)),
	CALL(sched_getscheduler, 0, OF(process)),
	CALL(sched_getparam, BYTES, OF(process), OF(buffer)),
	CALL(sched_setaffinity, 0, OF(process), OF(length), OF(zeroes)),
	CALL(sched_getaffinity, 0, OF(process), OF(set_size), OF(buffer)),
	CALL(sched_get_priority_max, VALUE, OF(policy)),
	CALL(sched_get_priority_min, VALUE, OF(policy)),
	CALL(kill, 0, OF(other_process), OF(number)),
	CALL(tkill, 0, OF(process), OF(number)),
	CALL(tgkill, 0, OF(process), OF(process), OF(number)),
	CALL(sigaltstack, 0, OF(stack_to), OF(zeroes)),
	CALL(rt_sigaction, BYTES, OF(handled), OF(action), OF(zeroes), OF(set_size)),
	CALL(rt_sigprocmask, BYTES, OF(how), OF(sets), OF(zeroes), OF(set_size)),
	CALL(rt_sigpending, BYTES, OF(zeroes), OF(set_size)),
	CALL(rt_sigtimedwait, 0, OF(sets), OF(zeroes), OF(times), OF(set_size)),
	CALL(getpriority, 0, OF(of_whom), OF(process)),
	CALL(uname, 0, OF(buffer)),
	CALL(getrlimit, 0, OF(resource), OF(buffer)),
	CALL(prlimit64, 0, OF(process), OF(resource), OF(nothing), OF(zeroes)),
	CALL(getrusage, 0, OF(usage_of), OF(buffer)),
	CALL(sysinfo, 0, OF(buffer)),
	CALL(times, 0, OF(buffer)),
	CALL(getcpu, 0, OF(buffer), OF(buffer), OF(zero)),
	CALL(getcwd, 0, OF(buffer), OF(length)),
	CALL(mmap, UNMAPS, OF(hint), OF(mapped_size), OF(few_protections), OF(mapping),
             OF(mapped_file), OF(file_offset)),
	CALL(munmap, 0, OF(address), OF(size)),
	CALL(mremap, PAGES, OF(address), OF(size), OF(size), OF(remapping), OF(remap_to)),
	CALL(mprotect, PAGES, OF(address), OF(size), OF(protection)),
	CALL(msync, PAGES, OF(address), OF(size), OF(syncing)),
	CALL(mlock, 0, OF(address), OF(size)),
	CALL(munlock, 0, OF(address), OF(size)),
	CALL(mincore, 0, OF(address), OF(size), OF(buffer)),
	CALL(madvise, PAGES, OF(address), OF(advised), OF(advice)),
	CALL(getrandom, VALUE, OF(buffer), OF(short_length), OF(random_flags)),
	CALL(memfd_create, CLOSES, OF(path), OF(seals)),
	CALL(membarrier, 0, OF(barrier), OF(small), OF(zero)),
	CALL(socketpair, CLOSES | BYTES, OF(domain), OF(socket_type), OF(small), OF(zeroes)),
	CALL(wait4, BYTES, OF(process), OF(zeroes), OF(waiting), OF(zeroes)),
	CALL(waitid, BYTES, OF(id_type), OF(process), OF(zeroes), OF(waited), OF(zeroes)),
	CALL(set_robust_list, 0, OF(zeroes), OF(head)),
	CALL(get_robust_list, 0, OF(process), OF(buffer), OF(buffer)),
	CALL(close_range, 0, OF(range), OF(range), OF(closing)),
	CALL(setuid, 0, OF(small)),
};

/* ---- files and memory of the calls ---- */

static char *refusals_text(const char *of)
{
	char *at = names;
	names += strlen(of) + 1;
	return strcpy(at, of);
}

static void set_value(struct value *values, int count, const char *name, const void *value)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(values[i].name, name))
			values[i].value = (long)value;
}
#define SET(values, name, value) set_value(values, COUNT(values), name, value)

static void name_paths(struct value *paths, int count)
{
	static char of_many[300];
	memset(of_many, 'n', sizeof of_many - 1);
	for (int i = 0; i < count; i++) {
		const char *name = paths[i].name;
		if (!strcmp(name, "null") || !strcmp(name, "1"))
			continue;
		paths[i].value = (long)(!strcmp(name, "''")          ? ""
		                        : !strcmp(name, "long name") ? of_many
		                                                     : refusals_text(name));
	}
}

static char *new_pages(int pages, int protection_of)
{
	char *at = mmap(NULL, pages * PAGE, protection_of, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED) {
		perror("mmap");
		exit(2);
	}
	return at;
}

static void prepare_memory(void)
{
	good = new_pages(2, PROT_READ | PROT_WRITE);
	read_only = new_pages(1, PROT_READ);
	page_end = new_pages(2, PROT_READ | PROT_WRITE);
	mprotect(page_end + PAGE, PAGE, PROT_NONE);
	page_end += PAGE - 4;
	names = new_pages(1, PROT_READ | PROT_WRITE);
	SET(buffer, "good", good);
	SET(two_buffers, "good", good);
	SET(buffer, "read-only", read_only);
	SET(buffer, "page-end", page_end);
	const char *nothing = good + PAGE;
	SET(zeroes, "zeroes", nothing);
	SET(zeroes, "page-end", page_end);
	SET(sets, "zeroes", nothing);
	SET(word, "zeroes", nothing);
	SET(word, "odd", nothing + 1);
	SET(action, "zeroes", nothing);
	SET(times, "zeroes", nothing);
	SET(vector, "zeroes", nothing);
	name_paths(path, COUNT(path));
	name_paths(few_paths, COUNT(few_paths));
	static struct iovec too_large[2] = {{.iov_len = INT64_MAX}, {.iov_len = INT64_MAX}};
	static struct iovec bad_base[2] = {{(void *)1, 4}, {(void *)1, 4}};
	SET(vector, "sum too large", too_large);
	SET(vector, "bad base", bad_base);
	static struct timespec of[4][4] = {{{0, -1}, {0, -1}},
	                                   {{0, 1000000000}, {0, 1000000000}},
	                                   {{-1, 0}, {-1, 0}},
	                                   {{0, UTIME_OMIT}, {0, UTIME_OMIT}}};
	SET(times, "nsec -1", of[0]);
	SET(times, "nsec 1e9", of[1]);
	SET(times, "sec -1", of[2]);
	SET(times, "omit", of[3]);
	static stack_t small_stack, bad_stack, off = {.ss_flags = SS_DISABLE};
	small_stack = (stack_t){.ss_sp = good, .ss_size = 100};
	bad_stack = (stack_t){.ss_sp = good, .ss_size = 2 * PAGE, .ss_flags = 77};
	SET(stack_to, "small", &small_stack);
	SET(stack_to, "bad flags", &bad_stack);
	SET(stack_to, "off", &off);
}

/* Four pages that calls may map, protect and move, with a hole of twelve after them. */
static void prepare_pages(void)
{
	if (!pages)
		pages = new_pages(16, PROT_NONE);
	mmap(pages, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	munmap(pages + 4 * PAGE, 12 * PAGE);
	for (char page = 0; page < 4; page++)
		pages[page * PAGE] = (char)(page + 1);
	SET(address, "mapped", pages);
	SET(address, "odd", pages + 1);
	SET(address, "hole", pages + 8 * PAGE);
	SET(hint, "odd", pages + 8 * PAGE + 1);
	SET(remap_to, "odd", pages + 12 * PAGE + 1);
	SET(remap_to, "hole", pages + 12 * PAGE);
	SET(remap_to, "inside", pages + PAGE);
}

static void refusals_expect(int seen, int expected, const char *what)
{
	if (seen == expected)
		return;
	fprintf(stderr, "refusals: %s: %d, expected %d\n", what, seen, expected);
	exit(2);
}

static int top_folder;
static const char *const made[] = {"file", "dir",      "full",    "full/inside", "link",
                                   "loop", "dangling", "missing", "nowhere",     "second"};
static ino_t numbers[COUNT(made)]; /* of these; 0: there is none */

static void remove_entries(const char *folder_name)
{
	DIR *entries = opendir(folder_name);
	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		char name[600];
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(name, sizeof name, "%s/%s", folder_name, entry->d_name);
		if (unlink(name) && errno == EISDIR) {
			chmod(name, 0755);
			remove_entries(name);
			rmdir(name);
		}
	}
	if (entries)
		closedir(entries);
}

static void prepare_files(void)
{
	fchdir(top_folder);
	fchmod(top_folder, 0755);
	remove_entries(".");
	for (int fd = READ_ONLY; fd < 60; fd++)
		close(fd);
	mkdir("dir", 0755);
	mkdir("full", 0755);
	int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0644);
	refusals_expect(fd, READ_ONLY, "a file");
	write(fd, "0123456789", 10);
	close(fd);
	close(open("full/inside", O_RDWR | O_CREAT, 0644));
	link("full/inside", "second");
	symlink("file", "link");
	symlink("nowhere", "dangling");
	symlink("loop", "loop");
	refusals_expect(open("file", O_RDONLY), READ_ONLY, "file");
	refusals_expect(open("file", O_WRONLY), WRITE_ONLY, "file");
	refusals_expect(open("file", O_RDWR), BOTH, "file");
	refusals_expect(open("file", O_RDWR | O_APPEND), APPENDS, "file");
	refusals_expect(open(".", O_RDONLY | O_DIRECTORY), FOLDER, "folder");
	refusals_expect(open("file", O_PATH), BY_PATH, "path");
	int ends[2];
	refusals_expect(pipe2(ends, O_NONBLOCK), 0, "pipe");
	refusals_expect(eventfd(0, EFD_NONBLOCK), EVENT, "eventfd");
	refusals_expect(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), TIMER, "timerfd");
	refusals_expect(epoll_create1(0), EPOLL, "epoll");
	refusals_expect(memfd_create("memory", 0), MEMORY, "memfd");
	int pair[2];
	refusals_expect(syscall(SYS_socketpair, 1, 1 | O_NONBLOCK, 0, pair), 0, "socketpair");
	refusals_expect(pair[1], SOCKET_PEER, "socketpair");
	struct stat of;
	for (int i = 0; i < COUNT(made); i++)
		numbers[i] = fstatat(top_folder, made[i], &of, AT_SYMLINK_NOFOLLOW) ? 0 : of.st_ino;
}

/* ---- a line for each call ---- */

static const char *error_name(int error)
{
	const char *name = strerrorname_np(error);
	return name ? name : "?";
}

static bool effects_as_text;
static long given[MAX_ARGUMENTS];
static const struct value *chosen[MAX_ARGUMENTS];

/* True if the call neither waits for ever nor takes resources that the program itself needs. */
static int refusals_usable(const char *name)
{
	if (!strcmp(name, "ppoll"))
		return given[2] != 0;
	if (!strcmp(name, "rt_sigtimedwait") || !strcmp(name, "clock_nanosleep"))
		return strcmp(chosen[2]->name, "null") || !strcmp(name, "clock_nanosleep");
	if (!strcmp(name, "futex"))
		return given[1] != 0 || given[2] != 0;
	if (!strcmp(name, "setitimer") || !strcmp(name, "timer_settime"))
		return 1;
	if (!strcmp(name, "fcntl"))
		return given[1] != F_SETLK || given[2] <= 0;
	return 1;
}

static void append_descriptor(FILE *out, int fd)
{
	static const int shown[] = {O_APPEND, O_NONBLOCK, O_DIRECTORY, O_NOFOLLOW, O_PATH};
	const int flags = fcntl(fd, F_GETFL);
	fprintf(out, " %d is %d,%d", fd, fcntl(fd, F_GETFD), flags & O_ACCMODE);
	for (int i = 0; i < COUNT(shown); i++)
		putc(flags & shown[i] ? '1' : '0', out);
}

/* Appends the state of the files that prepare_files() has made. */
static void append_files(FILE *out)
{
	char bytes[128];
	struct stat of;
	for (int i = 0; i < COUNT(made); i++) {
		if (fstatat(top_folder, made[i], &of, AT_SYMLINK_NOFOLLOW))
			continue;
		int same = 0; /* the first name that the file had */
		while (same < COUNT(made) && of.st_ino != numbers[same])
			same++;
		fprintf(out, " %s=%d %o", made[i], same, of.st_mode);
		if (S_ISDIR(of.st_mode))
			continue;
		fprintf(out, "*%d %ld", (int)of.st_nlink, (long)of.st_size);
		const int fd = openat(top_folder, made[i], O_RDONLY | O_NOFOLLOW);
		const ssize_t n = fd < 0 ? readlinkat(top_folder, made[i], bytes, sizeof bytes)
		                         : read(fd, bytes, sizeof bytes);
		for (ssize_t k = 0; k < n; k++)
			fprintf(out, bytes[k] >= ' ' ? "%c" : "\\%d", bytes[k]);
		close(fd);
	}
	for (int fd = READ_ONLY; fd <= BY_PATH; fd++) {
		if (fstat(fd, &of))
			continue;
		append_descriptor(out, fd);
		if (S_ISREG(of.st_mode))
			fprintf(out, " %o*%d %ld at %ld", of.st_mode, (int)of.st_nlink,
			        (long)of.st_size, (long)lseek(fd, 0, SEEK_CUR));
	}
}

/* Appends which of the 16 pages are mapped, readable and writable, and how they begin. */
static void append_pages(FILE *out)
{
	for (char *page = pages; page < pages + 16 * PAGE; page += PAGE) {
		if (msync(page, PAGE, MS_ASYNC)) {
			fprintf(out, "-");
			continue;
		}
		const long byte = pwrite(WRITE_ONLY, page, 1, 100);
		char seen = 0;
		if (byte == 1)
			pread(READ_ONLY, &seen, 1, 100);
		fprintf(out, " %ld:%d %ld", byte, seen, (long)pread(READ_ONLY, page, 1, 100));
	}
}

static void print_effects(const struct call *call)
{
	static char state[1 << 16];
	state[0] = 0;
	FILE *out = fmemopen(state, sizeof state, "w");
	if (call->flags & FILES)
		append_files(out);
	if (call->flags & PAGES)
		append_pages(out);
	for (int fd = OPEN_END; call->flags & CLOSES && fd < 50; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			append_descriptor(out, fd);
	for (int i = 0; call->flags & BYTES && i < 2 * PAGE; i++)
		if (good[i])
			fprintf(out, " %d=%d", i, good[i]);
	fclose(out);
	uint32_t digest = 2166136261;
	for (const char *at = state; *at; at++)
		digest = (digest ^ (unsigned char)*at) * 16777619;
	if (*state)
		effects_as_text ? printf("%s", state) : printf(" #%08x", digest);
}

static void refusals_answer(const struct call *call)
{
	static bool changed;
	if (changed && call->flags & FILES)
		prepare_files();
	if (changed && call->flags & PAGES)
		prepare_pages();
	memset(good, 0, 2 * PAGE);
	memset(page_end, 0, 4);
	if (!refusals_usable(call->name))
		return;
	errno = 0;
	long result =
		syscall(call->number, given[0], given[1], given[2], given[3], given[4], given[5]);
	int error = errno;
	changed = result >= 0;
	printf("%s", call->name);
	for (int i = 0; i < MAX_ARGUMENTS && call->arguments[i].count; i++)
		printf("%s %s", i ? "," : "", chosen[i]->name);
	if (result < 0)
		printf(": %s", error_name(error));
	else if (call->flags & VALUE)
		printf(": %ld", result);
	else
		printf(": ok");
	if (result >= 0)
		print_effects(call);
	putchar('\n');
	for (int fd = OPEN_END; call->flags & CLOSES && fd < 50; fd++)
		close(fd);
	if (result >= 0 && call->flags & UNMAPS)
		munmap((void *)result, (size_t)given[1]);
}

static void refusals_answers(const struct call *call, int argument)
{
	if (argument == MAX_ARGUMENTS || !call->arguments[argument].count) {
		refusals_answer(call);
		return;
	}
	const struct kind *kind = &call->arguments[argument];
	for (int i = 0; i < kind->count; i++) {
		chosen[argument] = &kind->values[i];
		given[argument] = kind->values[i].value;
		refusals_answers(call, argument + 1);
	}
}

int main(int argc, char **argv)
{
	struct rlimit limit = {64, 64};
	setrlimit(RLIMIT_NOFILE, &limit);
	refusals_expect(open(".", O_RDONLY | O_DIRECTORY), 3, "folder");
	refusals_expect(dup2(3, 62), 62, "folder");
	top_folder = 62;
	effects_as_text = argc > 2;
	prepare_memory();
	for (int i = 0; i < COUNT(calls); i++) {
		if (argc > 1 && strcmp(argv[1], calls[i].name))
			continue;
		memset(given, 0, sizeof given);
		prepare_files();
		prepare_pages();
		refusals_answers(&calls[i], 0);
	}
	return 0;
}
