/* Ends in the way that it is told: exit, abort, exec, fork (a child exits, too). For contexts.sh. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static int work(int n) { return n > 1 ? work(n - 1) + 1 : 1; }
int main(int count, char **arguments)
{
	int n = work(5);
	const char *how = count > 1 ? arguments[1] : "exit";
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "exec"))
		execl("/bin/true", "true", (char *)NULL);
	if (!strcmp(how, "fork") && fork() == 0)
		return work(7) - 7;
	if (!strcmp(how, "fork"))
		wait(NULL);
	return n - 5;
}
