import { NO_FILE, PERMISSION } from './escape';
import type { Escape } from './escape';

/** Files and devices. */
export const fileEscapes: readonly Escape[] = [
  { title: 'reads /etc/passwd', ends: NO_FILE, code: `return open('/etc/passwd').read()` },
  { title: 'lists the root folder', code: `import os; return os.listdir('/')` },
  { title: 'reads a file of the service', ends: NO_FILE, code: `return open(world['secret']).read()` },
  {
    title: 'learns the size of a file of the service',
    ends: NO_FILE,
    code: `import os; return os.stat(world['secret']).st_size`,
  },
  {
    title: 'reads the scratch folder of another run',
    ends: NO_FILE,
    code: `return open(world['other_scratch'] + '/notes.txt').read()`,
  },
  {
    title: 'writes outside its scratch folder',
    ends: NO_FILE,
    code: `return open(world['outside'] + '/new.txt', 'w').write('x')`,
  },
  {
    title: 'writes to /tmp, /dev/shm or /var/tmp',
    ends: /^raised (PermissionError|FileNotFoundError|OSError EROFS)/,
    code: `
import os
for folder in ('/dev/shm', '/var/tmp', '/tmp'):
    try:
        path = f'{folder}/millrace-escape-{os.getpid()}'
        open(path, 'x').close()
        os.unlink(path)
        return folder
    except OSError as error:
        last = error
raise last`,
  },
  {
    title: 'makes a file in the root folder',
    ends: /^raised (PermissionError|OSError EROFS)/,
    worksUnsealed: false,
    code: `return open('/escape.txt', 'x')`,
  },
  {
    title: 'removes a module of the packages',
    ends: /^raised (PermissionError|OSError EROFS)/,
    code: `
import os, shutil
shutil.copy(world['packages'] + '/module.py', world['packages'] + '/copy.py')
os.unlink(world['packages'] + '/copy.py')
return True`,
  },
  {
    title: 'changes a module of the packages',
    ends: /^raised (PermissionError|OSError EROFS)/,
    code: `return open(world['packages'] + '/module.py', 'a').write('# changed\\n')`,
  },
  {
    title: 'changes the mode of a module of the packages',
    ends: /^raised (PermissionError|OSError EROFS)/,
    code: `
import os
os.chmod(world['packages'] + '/module.py', 0o666)
return True`,
  },
  {
    title: 'changes the mode of an open module of the packages',
    ends: /^raised (PermissionError|OSError EROFS)/,
    code: `
import os
os.fchmod(os.open(world['packages'] + '/module.py', os.O_RDONLY), 0o666)
return True`,
  },
  {
    title: 'changes the times of a module of the packages',
    ends: /^raised (PermissionError|OSError EROFS)/,
    code: `
import os
os.utime(world['packages'] + '/module.py', (1, 1))
return True`,
  },
  {
    title: 'changes the mode of a file of the service',
    ends: NO_FILE,
    code: `
import os
os.chmod(world['secret'], 0o666)
return True`,
  },
  {
    title: 'makes a module of the packages its own',
    ends: /^raised (PermissionError|OSError EROFS)/,
    code: `
import os
os.chown(world['packages'] + '/module.py', os.getuid(), os.getgid())
return True`,
  },
  {
    title: 'reads outside through a symbolic link in its scratch folder',
    ends: NO_FILE,
    code: `
import os
os.symlink(world['secret'], 'link')
return open('link').read()`,
  },
  {
    title: 'reads outside through a hard link in its scratch folder',
    ends: NO_FILE,
    code: `
import os
os.link(world['secret'], 'link')
return open('link').read()`,
  },
  {
    title: 'reads outside through .. of its scratch folder',
    ends: NO_FILE,
    code: `
import os
return open(os.getcwd() + '/..' * 20 + world['secret']).read()`,
  },
  {
    title: 'moves a file out of its scratch folder',
    ends: /^raised (PermissionError|FileNotFoundError|OSError EXDEV)/,
    code: `
import os
open('file', 'w').close()
os.rename('file', world['outside'] + '/moved')
return True`,
  },
  {
    title: 'reads the environment of the service',
    ends: NO_FILE,
    code: `return b'planted' in open(f"/proc/{world['parent']}/environ", 'rb').read()`,
  },
  {
    title: 'finds a variable of the service in its own environment',
    ends: /^returned false/,
    code: `
import os
return 'planted' in os.environ.get('MILLRACE_PLANTED', '')`,
  },
  {
    title: 'finds a variable of the service in the memory of its own environment',
    ends: /^returned false/,
    code: `
import ctypes
start, end = world['environment']
return b'planted' in ctypes.string_at(start, end - start)`,
  },
  {
    title: 'opens the memory of the service',
    ends: NO_FILE,
    worksUnsealed: false,
    code: `return open(f"/proc/{world['parent']}/mem", 'r+b').fileno()`,
  },
  {
    title: 'lists processes',
    ends: NO_FILE,
    code: `import os; return [name for name in os.listdir('/proc') if name.isdigit()]`,
  },
  {
    title: 'leaves through /proc/self/root',
    ends: NO_FILE,
    code: `return open('/proc/self/root' + world['secret']).read()`,
  },
  {
    title: 'leaves through a descriptor in /proc/self/fd',
    ends: NO_FILE,
    code: `import os; return os.listdir('/proc/self/fd')`,
  },
  {
    title: 'writes its own memory through /proc/self/mem',
    ends: NO_FILE,
    code: `return open('/proc/self/mem', 'r+b').fileno()`,
  },
  {
    title: 'uses a descriptor that the service left open',
    ends: /^raised OSError EBADF/,
    code: `import os; return os.pread(world['forgotten'], 100, 0).decode()`,
  },
  {
    title: 'writes to the standard output of the service',
    ends: /^returned false/,
    code: `
import os
if os.fstat(1).st_ino != world['stdout']:
    return os.write(1, b'x' * 50_000_000) < 0
return True`,
  },
  {
    title: 'makes a device',
    worksUnsealed: false,
    ends: PERMISSION,
    code: `
import os, stat
os.mknod('device', stat.S_IFCHR | 0o600, os.makedev(1, 1))
return open('device', 'rb').read(1)`,
  },
  {
    title: 'makes a named pipe',
    ends: PERMISSION,
    code: `
import os
os.mkfifo('pipe')
return True`,
  },
  {
    title: 'reads the memory of the machine',
    worksUnsealed: false,
    ends: NO_FILE,
    code: `return open('/dev/mem', 'rb').fileno()`,
  },
  {
    title: 'reads the kernel log',
    worksUnsealed: false,
    ends: NO_FILE,
    code: `return open('/dev/kmsg', 'rb').fileno()`,
  },
  {
    title: 'writes a setting of the kernel',
    worksUnsealed: false,
    ends: NO_FILE,
    code: `return open('/proc/sys/kernel/core_pattern', 'w').fileno()`,
  },
];
