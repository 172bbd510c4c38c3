export interface SealedWork {
  readonly title: string;
  /** The body of a Python function. HTTP_PORT and ECHO_PORT are those of servers behind the egress proxy. */
  readonly code: string;
  readonly returns: unknown;
}

/** What authors' code needs and a sealed process can do. */
export const sealedWork: readonly SealedWork[] = [
  {
    title: 'threads and locks work',
    code: `
import concurrent.futures
with concurrent.futures.ThreadPoolExecutor(16) as pool:
    return sum(pool.map(lambda n: n * n, range(100)))`,
    returns: 328350,
  },
  {
    title: 'asyncio works, with threads, timers and streams',
    code: `
import asyncio, socket
async def main():
    one, other = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=one)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, other.send, b'ping\\n')
    writer.close()
    return (await asyncio.wait_for(reader.readline(), 5)).decode()
return asyncio.run(main())`,
    returns: 'ping\n',
  },
  {
    title: 'eventfd, pipes and select work',
    code: `
import os, select
reader, writer = os.pipe()
os.write(writer, b'x')
counter = os.eventfd(1) if hasattr(os, 'eventfd') else None
return [len(select.select([reader], [], [], 1)[0]), 1 if counter is None else os.eventfd_read(counter)]`,
    returns: [1, 1],
  },
  {
    title: 'temporary files and copies work',
    code: `
import os, pathlib, shutil, tempfile
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, 'a.txt')
    path.write_text('text')
    shutil.copy2(path, path.with_name('b.txt'))
    path.with_name('b.txt').rename(path.with_name('c.txt'))
    os.symlink('c.txt', path.with_name('link'))
    text = path.with_name('link').read_text()
    names = sorted(os.listdir(folder))
return [names, text, pathlib.Path(tempfile.gettempdir()) == pathlib.Path(world['scratch'])]`,
    returns: [['a.txt', 'c.txt', 'link'], 'text', true],
  },
  {
    title: 'SQLite, archives and memory maps work in the scratch folder',
    code: `
import mmap, sqlite3, zipfile
with sqlite3.connect('data.db') as database:
    database.execute('CREATE TABLE t (n)')
    database.execute('INSERT INTO t VALUES (7)')
with zipfile.ZipFile('data.zip', 'w') as archive:
    archive.write('data.db')
with open('data.zip', 'r+b') as file, mmap.mmap(file.fileno(), 0) as mapped:
    start = mapped[:2].decode()
return [database.execute('SELECT n FROM t').fetchone()[0], start]`,
    returns: [7, 'PK'],
  },
  {
    title: 'certificates and time zones are readable',
    code: `
import os, ssl, zoneinfo, datetime
context = ssl.create_default_context()
zone = zoneinfo.ZoneInfo('Europe/Berlin') if zoneinfo.available_timezones() else datetime.timezone(datetime.timedelta(hours=1))
return [context.check_hostname, datetime.datetime(2026, 1, 1, tzinfo=zone).utcoffset().seconds]`,
    returns: [true, 3600],
  },
  {
    title: 'time, random numbers, ids and the machine’s data are there',
    code: `
import getpass, os, platform, random, secrets, time, uuid
time.sleep(0.01)
return [time.time() > 1e9, len(secrets.token_bytes(8)), len(str(uuid.uuid4())), 0 <= random.random() < 1,
        os.cpu_count() > 0, platform.system(), getpass.getuser(), len(str(uuid.uuid1()))]`,
    returns: [true, 8, 36, true, true, 'Linux', 'millrace', 36],
  },
  {
    title: 'the packages are readable, and modules can still be imported',
    code: `
import sys
sys.path.insert(0, world['packages'])
import module, xml.dom.minidom, wsgiref.util, decimal, lzma, unittest.mock
return module.answer`,
    returns: 42,
  },
  {
    title: 'signals of its own work',
    code: `
import os, signal, time
seen = []
signal.signal(signal.SIGUSR1, lambda *_: seen.append('signal'))
os.kill(os.getpid(), signal.SIGUSR1)
signal.signal(signal.SIGALRM, lambda *_: seen.append('alarm'))
signal.setitimer(signal.ITIMER_REAL, 0.01)
time.sleep(0.1)
return seen`,
    returns: ['signal', 'alarm'],
  },
  {
    title: 'it starts with an environment of the seal alone',
    code: `
import os
return sorted(name for name in os.environ if name.islower() or not name.endswith('PROXY'))`,
    returns: ['HOME', 'LANG', 'LOGNAME', 'TMPDIR', 'USER', 'all_proxy', 'http_proxy', 'https_proxy'],
  },
  {
    title: 'it has no capabilities, and is an ordinary user',
    code: `import os; return [os.getuid() != 0, os.getgid() != 0, os.getgroups() in ([], [os.getgid()])]`,
    returns: [true, true, true],
  },
  {
    title: 'an allowed host answers through the proxy',
    code: `
import urllib.request
with urllib.request.urlopen('http://allowed.test:HTTP_PORT/path?q=1', data=b'12345', timeout=10) as answer:
    return [answer.status, answer.headers['x-proxied'], answer.read().decode()]`,
    returns: [200, 'no', 'POST /path?q=1 allowed.test:HTTP_PORT 5'],
  },
  {
    title: 'a private host is refused by the proxy',
    code: `
import urllib.error, urllib.request
try:
    urllib.request.urlopen('http://private.test/', timeout=10)
except urllib.error.HTTPError as error:
    return [error.code, error.read().decode()]`,
    returns: [403, 'private.test (10.1.2.3) is not a public address\n'],
  },
  {
    title: 'the metadata address is refused by the proxy',
    code: `
import urllib.error, urllib.request
try:
    urllib.request.urlopen('http://169.254.169.254/latest/meta-data/', timeout=10)
except urllib.error.HTTPError as error:
    return [error.code, error.read().decode()]`,
    returns: [403, '169.254.169.254 is not a public address\n'],
  },
  {
    title: 'a tunnel carries bytes both ways',
    code: `
import http.client, os
proxy = os.environ['HTTPS_PROXY'].removeprefix('http://')
tunnel = http.client.HTTPConnection(proxy, timeout=10)
tunnel.set_tunnel('allowed.test', ECHO_PORT)
tunnel.connect()
sent = bytes(range(256)) * 8000
received = b''
for start in range(0, len(sent), 100_000):
    part = sent[start:start + 100_000]
    tunnel.sock.sendall(part)
    while len(received) < start + len(part):
        received += tunnel.sock.recv(65536)
return received == sent`,
    returns: true,
  },
  {
    title: 'a tunnel to a private host is refused',
    code: `
import http.client, os
tunnel = http.client.HTTPConnection(os.environ['HTTPS_PROXY'].removeprefix('http://'), timeout=10)
tunnel.set_tunnel('private.test', 443)
try:
    tunnel.connect()
except OSError as error:
    return str(error)`,
    returns: 'Tunnel connection failed: 403 Forbidden',
  },
  {
    title: 'large bodies arrive whole, in both directions and many at once',
    code: `
import concurrent.futures, urllib.request
def call(number):
    if number % 2:
        with urllib.request.urlopen('http://allowed.test:HTTP_PORT/large', timeout=20) as answer:
            return len(answer.read())
    body = b'x' * 2_000_000
    with urllib.request.urlopen('http://allowed.test:HTTP_PORT/', data=body, timeout=20) as answer:
        return int(answer.read().split()[-1])
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    return sorted(set(pool.map(call, range(24))))`,
    returns: [2_000_000, 3_000_000],
  },
  {
    title: 'connections beyond the maximum are refused, and those after them served',
    code: `
import os, socket, time, urllib.request
host, port = os.environ['HTTP_PROXY'].removeprefix('http://').split(':')
opened = [socket.create_connection((host, int(port)), timeout=5) for _ in range(60)]
for one in opened:
    one.settimeout(2)
def is_refused(one):
    try:
        return one.recv(1) == b''
    except (TimeoutError, ConnectionError) as error:
        return isinstance(error, ConnectionError)
refused = sum(is_refused(one) for one in opened[-5:])
for one in opened:
    one.close()
time.sleep(0.3)
with urllib.request.urlopen('http://allowed.test:HTTP_PORT/', timeout=10) as answer:
    return [refused, answer.status]`,
    returns: [5, 200],
  },
  {
    title: 'what is written to standard output goes nowhere, however much it is',
    code: `
import sys
for _ in range(1000):
    print('x' * 10_000)
sys.stdout.flush()
return sys.stdin.read()`,
    returns: '',
  },
];
