/* A program whose debug information names another user's file, and which faults there. With a name
 * as argument, it writes to standard output, then to that file. */
#include <fcntl.h>
#include <unistd.h>

#line 1 "/etc/passwd"
int main(int argc, char **argv) { if (argc < 2) *(volatile int *)0 = 1; write(1, "said\n", 5); int fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600); write(1, "said\n", 5); return write(fd, "data\n", 5) != 5; }
