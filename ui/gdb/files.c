/* vFile: the program, its libraries, and files as the program sees them; with --rw gdb can also
 * create a file. The journal does not record this, like all changes from outside. */
#include "ui/gdb/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/mem/mem.h"
#include "core/os/linux.h"
#include "core/os/os.h"
#include "ui/gdb/server.h"

/* gdb's File-I/O extension: errors that differ from Linux's, and flags. */
enum { FILEIO_ENAMETOOLONG = 91, FILEIO_ENOSYS = 88, FILEIO_EUNKNOWN = 9999 };
enum { WRITING = 3, ANEW = 0x601 }; /* O_WRONLY | O_CREAT | O_TRUNC */

static const char *host_file(const struct server *v)
{
	return v->m.s->launch.file ? v->m.s->launch.file : v->m.s->launch.path;
}

char *files_program(const struct server *v)
{
	char *path = alloc_real_path(host_file(v));
	return path ? path : alloc_text(v->m.s->launch.path);
}

static void files_answer_error(struct answer *a, int error)
{
	a->n = 0;
	answer_text(a, "F-1,%x",
	            (unsigned)(error == ENAMETOOLONG                ? FILEIO_ENAMETOOLONG
	                       : error == ENOSYS                    ? FILEIO_ENOSYS
	                       : error > 0 && error <= ESPIPE + 1 ? error
	                                                            : FILEIO_EUNKNOWN));
}

/* ---- /proc ---- */
static void put_maps(const struct server *v, FILE *f)
{
	const struct mem *mem = machine_mem_const(v->m.s->machine);
	for (struct mem_region r = {0}; mem_next_region(mem, r.end, &r) && r.end <= MEM_TOP;) {
		const bool special = !strcmp(r.name, "stack") || !strcmp(r.name, "heap");
		fprintf(f, "%08" PRIx64 "-%08" PRIx64 " %c%c%cp 00000000 00:00 0 %*s%s%s%s\n",
		        r.start, r.end, r.prot & PROT_R ? 'r' : '-',
		        r.prot & PROT_W ? 'w' : '-', r.prot & PROT_X ? 'x' : '-', 25, "",
		        special ? "[" : "", special ? r.name : "", special ? "]" : "");
	}
}

static void put_command_line(const struct server *v, FILE *f)
{
	for (int i = 0; i < v->m.s->launch.argc; i++) {
		fputs(v->m.s->launch.argv[i], f);
		fputc('\0', f);
	}
}

/* Returns the name below /proc/PID/; NULL: the path leads elsewhere. */
static const char *proc_name(const char *path)
{
	char own[32];
	const int n = snprintf(own, sizeof own, "/proc/%d/", GUEST_PID);
	return strncmp(path, own, (size_t)n) ? NULL : path + n;
}

/* Makes the text of a file in /proc as Linux would; false: there is no such file. */
static bool proc_file(const struct server *v, const char *path, struct gdb_file *file)
{
	path = proc_name(path);
	if (!path)
		return false;
	const bool maps = !strcmp(path, "maps");
	if (!maps && strcmp(path, "cmdline") != 0)
		return false;
	FILE *f = alloc_stream(&file->text, &file->length);
	if (!f)
		return false;
	if (maps)
		put_maps(v, f);
	else
		put_command_line(v, f);
	return fclose(f) == 0;
}

/* ---- the requests ---- */
static int files_open_host_file(const struct server *v, const char *path, uint64_t flags,
                                struct gdb_file *file)
{
	struct stat st;
	char *own = files_program(v);
	const bool program = own && !strcmp(own, path);
	free(own);
	int fd;
	file->fd = -1;
	if (flags & WRITING) {
		if ((flags & (ANEW | WRITING)) != ANEW)
			return launch_writes(&v->m.s->launch) ? EINVAL : EROFS;
		fd = os_open_for_ended(machine_os_const(v->m.s->machine), path);
		file->fd = fd;
		return fd < 0 ? -fd : 0;
	}
	if (proc_file(v, path, file))
		return 0;
	fd = program ? open(host_file(v), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
	                       : os_open_mapped(machine_os_const(v->m.s->machine), path);
	if (fd < 0)
		return program ? errno : -fd;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return EACCES;
	}
	file->fd = fd;
	return 0;
}

static void do_open(struct server *v, const char *args, struct answer *a)
{
	char hex[2 * PATH_MAX + 1], path[PATH_MAX + 1];
	uint64_t flags, mode;
	const size_t n = strcspn(args, ",");
	if (n >= sizeof hex) {
		files_answer_error(a, ENAMETOOLONG);
		return;
	}
	memcpy(hex, args, n);
	hex[n] = '\0';
	args += n;
	const long length = from_hex(hex, path, sizeof path - 1);
	unsigned slot = 0;
	while (slot < FILES_MAX && v->file[slot].used)
		slot++;
	if (length < 0 || !take_text(&args, ",") || !take_number(&args, &flags) ||
	    !take_text(&args, ",") || !take_number(&args, &mode)) {
		files_answer_error(a, EINVAL);
		return;
	}
	path[length] = '\0';
	struct gdb_file file = {.used = true};
	const int error = slot == FILES_MAX ? EMFILE
	                  : memchr(path, 0, (size_t)length)
	                          ? EINVAL
	                          : files_open_host_file(v, path, flags, &file);
	if (error) {
		free(file.text);
		files_answer_error(a, error);
		return;
	}
	v->file[slot] = file;
	answer_text(a, "F%x", slot);
}

static struct gdb_file *files_parse_descriptor(struct server *v, const char **args)
{
	uint64_t slot;
	if (!take_number(args, &slot) || slot >= FILES_MAX || !v->file[slot].used)
		return NULL;
	return &v->file[slot];
}

static void do_read(struct server *v, const char *args, struct answer *a)
{
	char bytes[WIRE_PAYLOAD / 2]; /* half: escapes may double the bytes */
	uint64_t count, offset;
	const struct gdb_file *f = files_parse_descriptor(v, &args);
	if (!f) {
		files_answer_error(a, EBADF);
		return;
	}
	if (!take_text(&args, ",") || !take_number(&args, &count) || !take_text(&args, ",") ||
	    !take_number(&args, &offset) || offset > INT64_MAX) {
		files_answer_error(a, EINVAL);
		return;
	}
	if (count > sizeof bytes)
		count = sizeof bytes;
	ssize_t n = 0;
	if (f->fd >= 0) {
		n = pread(f->fd, bytes, (size_t)count, (off_t)offset);
	} else if (offset < f->length) {
		n = (ssize_t)(count < f->length - offset ? count : f->length - offset);
		memcpy(bytes, f->text + offset, (size_t)n);
	}
	if (n < 0) {
		files_answer_error(a, errno);
		return;
	}
	answer_text(a, "F%zx;", (size_t)n);
	answer_bytes(a, bytes, (size_t)n);
}

/* FD,OFFSET,BYTES */
static void do_write(struct server *v, const char *args, const char *end, struct answer *a)
{
	uint64_t offset;
	const struct gdb_file *f = files_parse_descriptor(v, &args);
	if (!f || !take_text(&args, ",") || !take_number(&args, &offset) ||
	    !take_text(&args, ",") || offset > INT64_MAX) {
		files_answer_error(a, f ? EINVAL : EBADF);
		return;
	}
	const ssize_t n = pwrite(f->fd, args, (size_t)(end - args), (off_t)offset);
	if (n < 0)
		files_answer_error(a, errno);
	else
		answer_text(a, "F%zx", (size_t)n);
}

static void put_big(struct answer *a, uint64_t value, unsigned bytes)
{
	while (bytes--) {
		const char byte = (char)(value >> 8 * bytes);
		answer_bytes(a, &byte, 1);
	}
}

static void put_zeros(struct answer *a, unsigned bytes)
{
	while (bytes--)
		put_big(a, 0, 1);
}

static void do_stat(struct server *v, const char *args, struct answer *a)
{
	struct stat st = {.st_mode = S_IFREG | S_IRUSR};
	const struct gdb_file *f = files_parse_descriptor(v, &args);
	if (!f) {
		files_answer_error(a, EBADF);
		return;
	}
	if (f->fd < 0)
		st.st_size = (off_t)f->length;
	else if (fstat(f->fd, &st) != 0) {
		files_answer_error(a, errno);
		return;
	}
	/* Don't disclose the file's owner, device and times. */
	answer_text(a, "F40;");
	put_zeros(a, 8);  /* device, number */
	put_big(a, S_IFREG | (st.st_mode & 0555), 4);
	put_big(a, 1, 4);
	put_zeros(a, 12); /* owner, group, device */
	put_big(a, (uint64_t)st.st_size, 8);
	put_big(a, PAGE_BYTES, 8);
	put_big(a, ((uint64_t)st.st_size + 511) / 512, 8);
	put_zeros(a, 12); /* times */
}

/* readlink of the program's links in /proc. */
static void do_link(struct server *v, const char *args, struct answer *a)
{
	char path[64];
	const long n = from_hex(args, path, sizeof path - 1);
	path[n < 0 ? 0 : n] = '\0';
	const char *name = proc_name(path);
	char *to = name && !strcmp(name, "cwd")   ? alloc_text("/")
	           : name && !strcmp(name, "exe") ? files_program(v)
	                                          : NULL;
	if (to) {
		answer_text(a, "F%zx;", strlen(to));
		answer_bytes(a, to, strlen(to));
	} else {
		files_answer_error(a, n < 0 ? ENAMETOOLONG : ENOENT);
	}
	free(to);
}

static void close_one(struct gdb_file *f)
{
	if (f->used && f->fd >= 0)
		close(f->fd);
	free(f->text);
	*f = (struct gdb_file){0};
}

void files_close(struct server *v)
{
	for (unsigned i = 0; i < FILES_MAX; i++)
		close_one(&v->file[i]);
}

void files_packet(struct server *v, const char *args, size_t n, struct answer *a)
{
	const char *const end = args + n;
	if (take_text(&args, "pwrite:")) {
		do_write(v, args, end, a);
	} else if (memchr(args, '\0', n)) {
		files_answer_error(a, EINVAL);
	} else if (take_text(&args, "open:")) {
		do_open(v, args, a);
	} else if (take_text(&args, "pread:")) {
		do_read(v, args, a);
	} else if (take_text(&args, "fstat:")) {
		do_stat(v, args, a);
	} else if (take_text(&args, "close:")) {
		struct gdb_file *f = files_parse_descriptor(v, &args);
		if (f) {
			close_one(f);
			answer_text(a, "F0");
		} else {
			files_answer_error(a, EBADF);
		}
	} else if (take_text(&args, "readlink:")) {
		do_link(v, args, a);
	} else if (take_text(&args, "setfs:")) {
		answer_text(a, "F0");
	} else if (take_text(&args, "unlink:")) {
		files_answer_error(a, EROFS);
	}
}
