/* A filter of system calls, seccomp(2): calls that neither compilers nor checks of hand-ins need,
 * and calls that reach other processes, networks or rarely used parts of the kernel, fail with
 * EPERM. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "core/host/posix/sandbox_kernel.h"

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define OWN_ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

static const uint32_t refused[] = {
	SYS_socket,
	SYS_socketpair,
	SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_pidfd_open,
	SYS_pidfd_getfd,
	SYS_pidfd_send_signal,
	SYS_unshare,
	SYS_setns,
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_bpf,
	SYS_perf_event_open,
	SYS_keyctl,
	SYS_add_key,
	SYS_request_key,
	SYS_io_uring_setup,
	SYS_open_by_handle_at,
	SYS_name_to_handle_at,
	SYS_userfaultfd,
	SYS_fanotify_init,
	SYS_quotactl,
	SYS_kexec_load,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_reboot,
	SYS_swapon,
	SYS_swapoff,
	SYS_acct,
	SYS_syslog,
};
enum { REFUSED = sizeof refused / sizeof *refused };

bool sandbox_enter_seccomp(void)
{
#ifdef OWN_ARCHITECTURE
	struct sock_filter code[REFUSED + 8];
	unsigned short n = 0;
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
	                                         offsetof(struct seccomp_data, arch));
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
	                                         offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
	/* Refuse x32 numbers, which are aliases of system calls. */
	code[n++] =
		(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, REFUSED + 1, 0);
#endif
	for (unsigned i = 0; i < REFUSED; i++)
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i],
		                                         (uint8_t)(REFUSED - i), 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	const struct sock_fprog program = {.len = n, .filter = code};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
#else
	return false;
#endif
}
