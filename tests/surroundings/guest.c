/* Prints all that a program can see of where it runs: tests/surroundings/run.sh compares it between places. It may write. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static void surroundings_say(const char *what, long ret)
{
	printf("%s: %ld %s\n", what, ret, ret < 0 ? strerror(errno) : "");
}

static void surroundings_show(const char *path, const struct stat *st)
{
	printf("%s: device %lx inode %lu mode %o links %lu user %u group %u rdev %lx size %ld block %ld blocks %ld", path, st->st_dev, st->st_ino,
	       st->st_mode, (unsigned long)st->st_nlink, st->st_uid, st->st_gid, st->st_rdev, st->st_size, (long)st->st_blksize, st->st_blocks);
	printf(" times %ld.%09ld %ld.%09ld %ld.%09ld\n", st->st_atim.tv_sec, st->st_atim.tv_nsec, st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
	       st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
}

static void surroundings_look(const char *path)
{
	struct stat st;
	struct statx sx;
	if (lstat(path, &st) != 0) {
		printf("%s: %s\n", path, strerror(errno));
		return;
	}
	surroundings_show(path, &st);
	memset(&sx, 0, sizeof sx);
	statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_ALL, &sx);
	printf("  mask %x attributes %llx of %llx mount %llu device %u:%u birth %lld, may", sx.stx_mask, (unsigned long long)sx.stx_attributes,
	       (unsigned long long)sx.stx_attributes_mask, (unsigned long long)sx.stx_mnt_id, sx.stx_dev_major, sx.stx_dev_minor,
	       (long long)sx.stx_btime.tv_sec);
	for (int mode = 0; mode < 8; mode++)
		printf(" %d", access(path, mode) ? errno : 0);
	putchar('\n');
}

/* Everything below a directory, as it is listed. */
static void surroundings_walk(const char *path)
{
	DIR *d = opendir(path);
	if (!d) {
		printf("%s: %s\n", path, strerror(errno));
		return;
	}
	for (struct dirent *e; (e = readdir(d));) {
		char name[4096];
		printf("%s in %s: inode %lu offset %ld type %d\n", e->d_name, path, e->d_ino, e->d_off, e->d_type);
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		snprintf(name, sizeof name, "%s/%s", path, e->d_name);
		surroundings_look(name);
		if (e->d_type == DT_DIR)
			surroundings_walk(name);
	}
	closedir(d);
}

static void computer(void)
{
	struct utsname u;
	struct statfs fs;
	struct sysinfo info;
	struct rlimit lim;
	cpu_set_t cpus;
	unsigned char random[16];
	uname(&u);
	printf("%s %s %s %s %s %s\n", u.sysname, u.nodename, u.release, u.version, u.machine, u.domainname);
	statfs("/", &fs);
	printf("file system %lx: %ld %ld %ld %ld %ld, %ld %ld\n", (long)fs.f_type, (long)fs.f_blocks, (long)fs.f_bfree, (long)fs.f_bavail,
	       (long)fs.f_files, (long)fs.f_ffree, (long)fs.f_bsize, (long)fs.f_namelen);
	sysinfo(&info);
	printf("up %ld, memory %lu %lu, %d processes, load %lu\n", info.uptime, info.totalram, info.freeram, info.procs, info.loads[0]);
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		getrlimit(i, &lim);
		printf("limit %d: %ld %ld\n", i, (long)lim.rlim_cur, (long)lim.rlim_max);
	}
	CPU_ZERO(&cpus);
	surroundings_say("affinity", sched_getaffinity(0, sizeof cpus, &cpus));
	printf("%d processors, on %d, pages %ld of %ld\n", CPU_COUNT(&cpus), sched_getcpu(), sysconf(_SC_PHYS_PAGES), sysconf(_SC_PAGESIZE));
	surroundings_say("random", getrandom(random, sizeof random, 0));
	for (size_t i = 0; i < sizeof random; i++)
		printf("%02x", random[i]);
	printf("\nnice %d\n", getpriority(PRIO_PROCESS, 0));
}

static void surroundings_process(int argc, char **argv)
{
	char path[4096], zone[64];
	gid_t groups[64];
	struct stat st;
	for (int i = 0; i < argc; i++)
		printf("argument %d: %s at %p\n", i, argv[i], (void *)argv[i]);
	for (char **e = environ; *e; e++)
		printf("environment: %s\n", *e);
	for (unsigned long type = 1; type < 64; type++)
		if (getauxval(type))
			printf("auxiliary %lu: %lx\n", type, getauxval(type));
	printf("started as %s in %s\n", (const char *)getauxval(AT_EXECFN), getcwd(path, sizeof path));
	printf("process %d of %d, user %d %d group %d %d, session %d\n", getpid(), getppid(), getuid(), geteuid(), getgid(), getegid(), getsid(0));
	surroundings_say("groups", getgroups(64, groups));
	mode_t mask = umask(0);
	umask(mask);
	printf("umask %o, locale %s\n", mask, setlocale(LC_ALL, ""));
	for (int fd = 0; fd < 3; fd++) {
		sprintf(path, "descriptor %d", fd);
		fstat(fd, &st);
		surroundings_show(path, &st);
		printf("  terminal %d flags %x\n", isatty(fd), fcntl(fd, F_GETFL));
	}
	time_t now = time(NULL);
	struct timespec t;
	struct tms tms;
	struct rusage use;
	clock_gettime(CLOCK_REALTIME, &t);
	strftime(zone, sizeof zone, "%c %Z", localtime(&now));
	printf("now %ld.%09ld, %s\n", t.tv_sec, t.tv_nsec, zone);
	clock_gettime(CLOCK_MONOTONIC, &t);
	printf("since %ld.%09ld, %ld ticks, %ld\n", t.tv_sec, t.tv_nsec, times(&tms), clock());
	getrusage(RUSAGE_SELF, &use);
	printf("used %ld.%06ld, %ld faults\n", use.ru_utime.tv_sec, use.ru_utime.tv_usec, use.ru_minflt);
}

static void surroundings_change(void)
{
	const struct timespec t[2] = {{100, 1}, {200, 2}};
	int fd = open("new", O_RDWR | O_CREAT | O_EXCL, 0666);
	surroundings_say("open", fd);
	surroundings_say("write", write(fd, "bytes", 5));
	surroundings_say("open again", open("new", O_RDWR));
	surroundings_say("mkdir", mkdir("folder", 0777));
	surroundings_say("symlink", symlink("new", "folder/way"));
	surroundings_say("link", link("new", "folder/hard"));
	surroundings_walk("folder");
	surroundings_say("chmod", chmod("new", 0640));
	surroundings_say("times", utimensat(AT_FDCWD, "new", t, 0));
	surroundings_look("new");
	surroundings_say("chmod", chmod("folder", 0500));
	surroundings_say("refused", open("folder/no", O_CREAT | O_WRONLY, 0600));
	surroundings_say("chmod", chmod("folder", 0700));
	surroundings_say("chmod", chmod("new", 0));
	surroundings_say("refused", open("new", O_RDONLY));
	for (int i = 0; i < 3; i++) {
		surroundings_say("unlink", unlink("new"));
		close(open("new", O_CREAT | O_WRONLY, 0777));
		surroundings_look("new");
	}
	surroundings_say("rename", rename("folder/hard", "new"));
	surroundings_look("new");
	surroundings_look(".");
	struct stat st;
	fstat(fd, &st);
	surroundings_show("first", &st);
}

int main(int argc, char **argv)
{
	surroundings_process(argc, argv);
	computer();
	surroundings_look("/");
	surroundings_look("/dev/null");
	surroundings_look("/etc/passwd");
	surroundings_look("/proc/self");
	surroundings_walk(".");
	surroundings_change();
	surroundings_walk(".");
	return 0;
}
