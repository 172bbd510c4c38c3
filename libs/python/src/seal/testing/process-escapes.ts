import { NO_SUCH_CALL } from './escape';
import type { Escape } from './escape';

/** Programs, ceilings and other processes. */
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
];
