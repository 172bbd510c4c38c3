import { PERMISSION } from './escape';
import type { Escape } from './escape';

/** Namespaces, users, mounts and system calls. */
export const kernelEscapes: readonly Escape[] = [
  {
    title: 'makes a user namespace',
    worksUnsealed: false,
    code: `return world['raw']('unshare', 0x10000000) == 0`,
  },
  {
    title: 'makes a user namespace by clone',
    worksUnsealed: false,
    code: `
import os
child = world['raw']('clone', 0x10000000 | 17, 0, 0, 0, 0)
if child == 0:
    os._exit(0)
return True`,
  },
  {
    title: 'makes a process by clone3',
    worksUnsealed: false,
    ends: /^raised OSError ENOSYS/,
    code: `
import ctypes
return world['raw']('clone3', ctypes.create_string_buffer(88), 88)`,
  },
  {
    title: 'becomes another user',
    worksUnsealed: false,
    code: `
import os
os.setuid(0 if os.getuid() else 1)
return True`,
  },
  {
    title: 'mounts a file system',
    worksUnsealed: false,
    code: `
import ctypes
return world['raw']('mount', ctypes.c_char_p(b'none'), ctypes.c_char_p(b'.'), ctypes.c_char_p(b'tmpfs'), 0, None)`,
  },
  {
    title: 'has capabilities',
    worksUnsealed: false,
    ends: /^returned false/,
    code: `
import ctypes, struct
data = ctypes.create_string_buffer(24)
world['raw']('capget', ctypes.create_string_buffer(struct.pack('Ii', 0x20080522, 0)), data)
return any(data.raw)`,
  },
  {
    title: 'pushes characters into a terminal',
    worksUnsealed: false,
    ends: /^raised OSError ENOTTY/,
    code: `
import fcntl
return fcntl.ioctl(0, 0x5412, b'x') == b'x'`,
  },
  {
    title: 'makes a system call of the 32-bit interface',
    worksUnsealed: false,
    ends: /^(signal SIGSYS|raised NotImplementedError)/,
    code: `
import ctypes, mmap, platform
if platform.machine() != 'x86_64':
    raise NotImplementedError
# mov eax, 20 (getpid); int 0x80; ret
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))
return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))() > 0`,
  },
  {
    title: 'makes a system call of the x32 interface',
    worksUnsealed: false,
    ends: /^signal SIGSYS/,
    code: `return world['raw'](0x40000000 | 39)`,
  },
  {
    title: 'makes a system call of a number that is not known',
    ends: /^raised OSError ENOSYS/,
    worksUnsealed: false,
    code: `return world['raw'](900)`,
  },
  {
    title: 'hides its descriptors in a filter of its own',
    ends: PERMISSION,
    worksUnsealed: false,
    code: `return world['raw']('seccomp', 2, 0, None)`,
  },
];

/** System calls that are refused whatever their arguments. */
export const refusedCalls = [
  'ptrace',
  'process_vm_readv',
  'process_vm_writev',
  'process_madvise',
  'process_mrelease',
  'kcmp',
  'io_uring_setup',
  'io_uring_enter',
  'io_uring_register',
  'io_setup',
  'bpf',
  'perf_event_open',
  'userfaultfd',
  'keyctl',
  'add_key',
  'request_key',
  'unshare',
  'setns',
  'mount',
  'umount2',
  'chroot',
  'pivot_root',
  'open_tree',
  'move_mount',
  'mount_setattr',
  'fsopen',
  'fsmount',
  'name_to_handle_at',
  'open_by_handle_at',
  'clock_settime',
  'clock_adjtime',
  'settimeofday',
  'sethostname',
  'setdomainname',
  'quotactl',
  'quotactl_fd',
  'personality',
  'kexec_load',
  'init_module',
  'finit_module',
  'delete_module',
  'reboot',
  'swapon',
  'swapoff',
  'acct',
  'syslog',
  'memfd_create',
  'memfd_secret',
  'shmget',
  'msgget',
  'semget',
  'mq_open',
  'inotify_init1',
  'fanotify_init',
  'pidfd_open',
  'pidfd_send_signal',
  'pidfd_getfd',
  'execve',
  'execveat',
  'setpriority',
  'ioprio_set',
  'tkill',
  'migrate_pages',
  'move_pages',
  'vmsplice',
  'splice',
  'setxattr',
  'mknodat',
  'fchownat',
  'setuid',
  'setresuid',
  'setgroups',
  'capset',
  'seccomp',
  'landlock_create_ruleset',
  'landlock_add_rule',
  'landlock_restrict_self',
  'lookup_dcookie',
  'nfsservctl',
  'setsid',
  'setpgid',
  'remap_file_pages',
  'set_mempolicy_home_node',
] as const;
