import { NO_SUCH_CALL, PERMISSION } from './escape';
import type { Escape } from './escape';

/** Programs, other processes, ceilings and the kernel. */
export const processEscapes: readonly Escape[] = [
  {
    title: 'starts a program',
    code: `
import subprocess
return subprocess.run(['/bin/true']).returncode == 0`,
  },
  {
    title: 'starts a shell',
    ends: /^returned false/,
    code: `import os; return os.system('true') == 0`,
  },
  {
    title: 'starts a program by posix_spawn',
    code: `import os; return os.waitpid(os.posix_spawn('/bin/true', ['true'], {}), 0)[1] == 0`,
  },
  {
    title: 'becomes a setuid program',
    worksUnsealed: false,
    code: `import os; os.execv('/usr/bin/su', ['su', '-c', 'id'])`,
  },
  {
    title: 'runs a program from memory',
    worksUnsealed: false,
    code: `
import ctypes, os
program = world['raw']('memfd_create', ctypes.c_char_p(b'program'), 0)
os.execve(program, ['program'], {})`,
  },
  {
    title: 'runs a program from its scratch folder',
    code: `
import os, subprocess
with open('program', 'w') as file:
    file.write('#!/bin/sh\\nexit 0\\n')
os.chmod('program', 0o700)
return subprocess.run(['./program']).returncode == 0`,
  },
  {
    title: 'forks',
    code: `
import os
child = os.fork()
if child == 0:
    os._exit(0)
return os.waitpid(child, 0)[1] == 0`,
  },
  {
    title: 'is a fork bomb, past the C library',
    code: `
import os, signal
children = []
for _ in range(50):
    child = world['raw']('clone', signal.SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    children.append(child)
for child in children:
    os.waitpid(child, 0)
return True`,
  },
  {
    title: 'starts a thousand threads',
    ends: /^raised RuntimeError .*thread/,
    code: `
import threading
end = threading.Event()
threads = []
try:
    for _ in range(300):
        thread = threading.Thread(target=end.wait, daemon=True)
        thread.start()
        threads.append(thread)
finally:
    end.set()
return True`,
  },
  {
    title: 'takes memory without end',
    ends: /^raised (MemoryError|OSError ENOMEM)/,
    code: `
import mmap
return len(mmap.mmap(-1, 3 << 30))`,
  },
  {
    title: 'takes memory past its address space',
    ends: NO_SUCH_CALL,
    code: `
import ctypes
return world['raw']('memfd_create', ctypes.c_char_p(b'memory'), 0)`,
  },
  {
    title: 'takes shared memory',
    ends: NO_SUCH_CALL,
    code: `
import ctypes
segment = world['raw']('shmget', 0, 4096, 0o1600)
ctypes.CDLL(None).shmctl(segment, 0, None)
return True`,
  },
  {
    title: 'locks memory',
    ends: /^raised (PermissionError|OSError ENOMEM|MemoryError)/,
    worksUnsealed: false,
    code: `return world['raw']('mlockall', 3) == 0`,
  },
  {
    title: 'writes a file without end',
    ends: /^raised OSError EFBIG/,
    code: `
with open('large', 'wb') as file:
    for _ in range(20):
        file.write(b'x' * 1_000_000)
return True`,
  },
  {
    title: 'opens files without end',
    ends: /^raised OSError EMFILE/,
    code: `
import os
opened = [os.dup(2) for _ in range(400)]
return True`,
  },
  {
    title: 'computes without end',
    worksUnsealed: false,
    ends: /^signal (SIGXCPU|SIGKILL)/,
    options: { cpu_seconds: 1 },
    code: `
import signal
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
while True:
    pass`,
  },
  {
    title: 'raises its ceilings',
    worksUnsealed: false,
    ends: /^raised (ValueError|PermissionError)/,
    code: `
import resource
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
return True`,
  },
  {
    title: 'changes the ceilings of the service',
    code: `
import ctypes
return world['raw']('prlimit64', world['parent'], 7, None, ctypes.create_string_buffer(16)) == 0`,
  },
  {
    title: 'leaves a core dump',
    ends: /^returned false/,
    worksUnsealed: false,
    code: `
import resource
return resource.getrlimit(resource.RLIMIT_CORE)[0] > 0`,
  },
  {
    title: 'lets other processes read its memory again',
    code: `return world['raw']('prctl', 4, 1, 0, 0, 0) == 0`,
  },
  {
    title: 'outlives the service',
    code: `return world['raw']('prctl', 1, 0, 0, 0, 0) == 0`,
  },
  {
    title: 'sends a signal to the service',
    code: `
import os
os.kill(world['parent'], 0)
return True`,
  },
  {
    title: 'ends the process of another run',
    code: `
import os, signal
os.kill(world['sibling'], signal.SIGCONT)
return True`,
  },
  {
    title: 'sends a signal to every process',
    worksUnsealed: false,
    code: `import os; os.kill(-1, 0)`,
  },
  {
    title: 'sends a signal to a thread of another process',
    code: `return world['raw']('tgkill', world['sibling'], world['sibling'], 0) == 0`,
  },
  {
    title: 'has the kernel send a signal for it',
    code: `
import fcntl, socket
one, _ = socket.socketpair()
fcntl.fcntl(one, fcntl.F_SETOWN, world['sibling'])
return fcntl.fcntl(one, fcntl.F_GETOWN) == world['sibling']`,
  },
  {
    title: 'sends a signal by a descriptor of a process',
    ends: NO_SUCH_CALL,
    code: `
process = world['raw']('pidfd_open', world['sibling'], 0)
return world['raw']('pidfd_send_signal', process, 0, None, 0) == 0`,
  },
  {
    title: 'asks to be traced',
    code: `return world['raw']('ptrace', 0, 0, 0, 0) == 0`,
  },
  {
    title: 'traces the process of another run',
    worksUnsealed: false,
    code: `return world['raw']('ptrace', 0x4206, world['sibling'], 0, 0) == 0`,
  },
  {
    title: 'reads the memory of the service',
    worksUnsealed: false,
    code: `
import ctypes
space = ctypes.create_string_buffer(8)
local = (ctypes.c_ulong * 2)(ctypes.addressof(space), 8)
remote = (ctypes.c_ulong * 2)(world['environment'][0], 8)
return world['raw']('process_vm_readv', world['parent'], local, 1, remote, 1, 0) == 8`,
  },
  {
    title: 'changes the priority of another process',
    code: `
import os
os.setpriority(os.PRIO_PROCESS, world['sibling'], 19)
return True`,
  },
  {
    title: 'changes the processors of another process',
    code: `
import os
os.sched_setaffinity(world['sibling'], os.sched_getaffinity(0))
return True`,
  },
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
  ...['ptrace', 'process_vm_readv', 'process_vm_writev', 'process_madvise', 'process_mrelease', 'kcmp'],
  ...['io_uring_setup', 'io_uring_enter', 'io_uring_register', 'io_setup', 'bpf', 'perf_event_open'],
  ...['userfaultfd', 'keyctl', 'add_key', 'request_key', 'unshare', 'setns', 'mount', 'umount2', 'chroot'],
  ...['pivot_root', 'open_tree', 'move_mount', 'mount_setattr', 'fsopen', 'fsmount', 'name_to_handle_at'],
  ...['open_by_handle_at', 'clock_settime', 'clock_adjtime', 'settimeofday', 'sethostname', 'setdomainname'],
  ...['quotactl', 'quotactl_fd', 'personality', 'kexec_load', 'init_module', 'finit_module', 'delete_module'],
  ...['reboot', 'swapon', 'swapoff', 'acct', 'syslog', 'memfd_create', 'memfd_secret', 'shmget', 'msgget'],
  ...[
    'semget',
    'mq_open',
    'inotify_init1',
    'fanotify_init',
    'pidfd_open',
    'pidfd_send_signal',
    'pidfd_getfd',
  ],
  ...['execve', 'execveat', 'setpriority', 'ioprio_set', 'tkill', 'migrate_pages', 'move_pages', 'vmsplice'],
  ...['splice', 'setxattr', 'mknodat', 'fchownat', 'setuid', 'setresuid', 'setgroups', 'capset', 'seccomp'],
  ...[
    'landlock_create_ruleset',
    'landlock_add_rule',
    'landlock_restrict_self',
    'lookup_dcookie',
    'nfsservctl',
  ],
  ...['setsid', 'setpgid', 'remap_file_pages', 'set_mempolicy_home_node'],
] as const;
