/* The C library has the numbers of WASI, and journals, checkpoints and guests have Linux's. The
 * headers in include/ give this program Linux's: `errno` is a place of ours, which takes over and
 * turns what the library has set since. Libraries are compiled without these headers, so what this
 * folder sets for them is set by error_number_set(). */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <wasi/api.h>

#include "core/host/web/error_number.h"

#define NUMBERS(E)                                                                             \
	E(PERM, "Operation not permitted")                                                     \
	E(NOENT, "No such file or directory")                                                  \
	E(SRCH, "No such process")                                                             \
	E(INTR, "Interrupted system call")                                                     \
	E(IO, "Input/output error")                                                            \
	E(NXIO, "No such device or address")                                                   \
	E(2BIG, "Argument list too long")                                                      \
	E(NOEXEC, "Exec format error")                                                         \
	E(BADF, "Bad file descriptor")                                                         \
	E(CHILD, "No child processes")                                                         \
	E(AGAIN, "Resource temporarily unavailable")                                           \
	E(NOMEM, "Cannot allocate memory")                                                     \
	E(ACCES, "Permission denied")                                                          \
	E(FAULT, "Bad address")                                                                \
	E(BUSY, "Device or resource busy")                                                     \
	E(EXIST, "File exists")                                                                \
	E(XDEV, "Invalid cross-device link")                                                   \
	E(NODEV, "No such device")                                                             \
	E(NOTDIR, "Not a directory")                                                           \
	E(ISDIR, "Is a directory")                                                             \
	E(INVAL, "Invalid argument")                                                           \
	E(NFILE, "Too many open files in system")                                              \
	E(MFILE, "Too many open files")                                                        \
	E(NOTTY, "Inappropriate ioctl for device")                                             \
	E(TXTBSY, "Text file busy")                                                            \
	E(FBIG, "File too large")                                                              \
	E(NOSPC, "No space left on device")                                                    \
	E(SPIPE, "Illegal seek")                                                               \
	E(ROFS, "Read-only file system")                                                       \
	E(MLINK, "Too many links")                                                             \
	E(PIPE, "Broken pipe")                                                                 \
	E(DOM, "Numerical argument out of domain")                                             \
	E(RANGE, "Numerical result out of range")                                              \
	E(DEADLK, "Resource deadlock avoided")                                                 \
	E(NAMETOOLONG, "File name too long")                                                   \
	E(NOLCK, "No locks available")                                                         \
	E(NOSYS, "Function not implemented")                                                   \
	E(NOTEMPTY, "Directory not empty")                                                     \
	E(LOOP, "Too many levels of symbolic links")                                           \
	E(NOMSG, "No message of desired type")                                                 \
	E(IDRM, "Identifier removed")                                                          \
	E(NOLINK, "Link has been severed")                                                     \
	E(PROTO, "Protocol error")                                                             \
	E(MULTIHOP, "Multihop attempted")                                                      \
	E(BADMSG, "Bad message")                                                               \
	E(OVERFLOW, "Value too large for defined data type")                                   \
	E(ILSEQ, "Invalid or incomplete multibyte or wide character")                          \
	E(NOTSOCK, "Socket operation on non-socket")                                           \
	E(DESTADDRREQ, "Destination address required")                                         \
	E(MSGSIZE, "Message too long")                                                         \
	E(PROTOTYPE, "Protocol wrong type for socket")                                         \
	E(NOPROTOOPT, "Protocol not available")                                                \
	E(PROTONOSUPPORT, "Protocol not supported")                                            \
	E(NOTSUP, "Operation not supported")                                                   \
	E(AFNOSUPPORT, "Address family not supported by protocol")                             \
	E(ADDRINUSE, "Address already in use")                                                 \
	E(ADDRNOTAVAIL, "Cannot assign requested address")                                     \
	E(NETDOWN, "Network is down")                                                          \
	E(NETUNREACH, "Network is unreachable")                                                \
	E(NETRESET, "Network dropped connection on reset")                                     \
	E(CONNABORTED, "Software caused connection abort")                                     \
	E(CONNRESET, "Connection reset by peer")                                               \
	E(NOBUFS, "No buffer space available")                                                 \
	E(ISCONN, "Transport endpoint is already connected")                                   \
	E(NOTCONN, "Transport endpoint is not connected")                                      \
	E(TIMEDOUT, "Connection timed out")                                                    \
	E(CONNREFUSED, "Connection refused")                                                   \
	E(HOSTUNREACH, "No route to host")                                                     \
	E(ALREADY, "Operation already in progress")                                            \
	E(INPROGRESS, "Operation now in progress")                                             \
	E(STALE, "Stale file handle")                                                          \
	E(DQUOT, "Disk quota exceeded")                                                        \
	E(CANCELED, "Operation canceled")                                                      \
	E(OWNERDEAD, "Owner died")                                                             \
	E(NOTRECOVERABLE, "State not recoverable")

#define WASI(name, text) [__WASI_ERRNO_##name] = E##name,
static const short error_number_of_wasi[] = {NUMBERS(WASI)[ERROR_NUMBER_NOT_HERE] = ENOPKG};
enum { WASI_NUMBERS = sizeof error_number_of_wasi / sizeof *error_number_of_wasi };

#define TEXT(name, text) {E##name, text},
static const struct {
	int number;
	const char *text;
} error_number_texts[] = {NUMBERS(TEXT) /* what this host lacks altogether */
                          {ENOPKG, ERROR_NUMBER_NOT_HERE_TEXT}};

/* In the C library's place: what it had set is in ours. */
enum { TAKEN = 0x7fff };
static int error_number_ours;

int *__errno_location(void);

int *error_number_place(void)
{
	int *const library = __errno_location();
	if (*library != TAKEN)
		error_number_ours = *library > 0 && *library < WASI_NUMBERS
		                            ? error_number_of_wasi[*library]
		                            : *library;
	*library = TAKEN;
	return &error_number_ours;
}

int error_number_set(int wasi)
{
	*__errno_location() = wasi;
	return -1;
}

const char *error_number_text(int number)
{
	static char unknown[40];
	for (size_t i = 0; i < sizeof error_number_texts / sizeof *error_number_texts; i++)
		if (error_number_texts[i].number == number)
			return error_number_texts[i].text;
	snprintf(unknown, sizeof unknown, number ? "Unknown error %d" : "Success", number);
	return unknown;
}
