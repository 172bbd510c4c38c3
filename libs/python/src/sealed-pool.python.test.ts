import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createOutgoingDial } from '@millrace/service';
import type { PythonValue } from '@millrace/python-text';
import type { PythonPool } from './index';
import { method, text } from './testing/components.fixture';
import { failureOf, runText } from './testing/run-text.fixture';
import { openTestPool } from './testing/test-pool.fixture';
import { testPython } from './testing/test-python.fixture';

jest.setTimeout(240_000);

const mebibyte = 1024 ** 2;
let server: Server;
let pool: PythonPool;

beforeAll(async () => {
  server = createServer((request, response) => response.end(`answer to ${request.url ?? ''}`)).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  pool = await openTestPool(testPython(), {
    maximumProcesses: 2,
    seal: { level: 'required', memoryBytes: 1024 * mebibyte, cpuSeconds: 3, filesBytes: 8 * mebibyte },
    limits: { maximumKeptBytes: 100 * mebibyte },
    egress: {
      dial: createOutgoingDial({
        allow: ['127.0.0.1'],
        resolve: (name, answer) =>
          answer(null, [{ address: name === 'allowed.test' ? '127.0.0.1' : '10.1.2.3', family: 4 }]),
      }),
    },
  });
});
afterAll(async () => {
  await pool.close();
  server.close();
});

const run = (lines: string): Promise<PythonValue> => runText(pool, method('none', lines));
/** In the main thread, which alone can handle signals. */
const runAsync = (lines: string): Promise<PythonValue> =>
  runText(pool, text('none', `    async def result(self):\n${lines.replace(/^/gm, '        ')}`));

test('the pool knows how its processes are sealed', async () => {
  await run('return 1');
  expect(pool.state).toEqual({
    ready: true,
    lfx: '1.13.0',
    python: expect.stringMatching(/^3\.\d+\.\d+/),
    seal: {
      level: 'sealed',
      missing: [],
      layers: expect.objectContaining({ seccomp: true, mount_namespace: true, egress_proxy: true }),
    },
    failure: null,
  });
});

test('the zygote has an environment of its own and no file of the executor', async () => {
  await run('return 1');
  const process = `/proc/${pool.zygotePid ?? 0}`;
  const variables = readFileSync(`${process}/environ`, 'utf8').split('\0').filter(Boolean);
  expect(variables.map((variable) => variable.split('=')[0]).sort()).toEqual([
    'DO_NOT_TRACK',
    'HOME',
    'LANG',
    'LANGCHAIN_TRACING_V2',
    'LANGFLOW_CONFIG_DIR',
    'LANGFLOW_USE_NOOP_DATABASE',
    'PATH',
    'TMPDIR',
  ]);
  const files = readdirSync(`${process}/fd`).map((name) => readlinkSync(`${process}/fd/${name}`));
  // Standard input and output, what wakes the zygote up, errors and the control socket.
  const kinds = files.map((name) => name.split(':')[0]).sort();
  expect(kinds).toEqual(['/dev/null', '/dev/null', 'pipe', 'pipe', 'socket', 'socket']);
});

test('a component reads an allowed host through the proxy, and is refused another', async () => {
  const { port } = server.address() as AddressInfo;
  const answers = await run(`import httpx
answers = []
for url in ("http://allowed.test:${port}/a", "http://private.test/", "http://127.0.0.1:1/"):
    answer = httpx.get(url, timeout=20)
    answers.append([answer.status_code, answer.text.strip()])
return answers`);
  expect(answers).toEqual([
    [200, 'answer to /a'],
    [403, 'private.test (10.1.2.3) is not a public address'],
    [502, expect.any(String)],
  ]);
});

test('packages of the environment work, those that are not imported yet, too', async () => {
  const seen =
    await run(`import pandas as pd, pydantic, xml.dom.minidom, sqlite3, zoneinfo, ssl, certifi, datetime
class Row(pydantic.BaseModel):
    a: int
frame = pd.DataFrame([Row(a=n).model_dump() for n in range(3)])
path = os.path.join(os.getcwd(), "rows.csv")
frame.to_csv(path)
zone = datetime.datetime(2026, 7, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")).utcoffset()
return [int(pd.read_csv(path)["a"].sum()), ssl.create_default_context(cafile=certifi.where()).cert_store_stats()["x509"] > 10, str(zone)]`);
  expect(seen).toEqual([3, true, '2:00:00']);
});

test('a component finds the environment of the seal and of lfx, and none of the service', async () => {
  const names = (await run('return sorted(os.environ)')) as string[];
  const expected =
    /^(HOME|LANG|LOGNAME|TMPDIR|USER|LANGFLOW_\w+|LANGCHAIN_\w+|DO_NOT_TRACK|\w+_(PROXY|proxy))$/;
  expect(names.filter((name) => !expected.test(name))).toEqual([]);
});

test('a process with much private memory is not kept', async () => {
  const read = async (lines: string): Promise<number> => Number(await run(lines));
  const first = await read('return os.getpid()');
  expect(await read('return os.getpid()')).toBe(first);
  await read('import sys\nsys.kept = bytearray(os.urandom(1)) * (200 << 20)\nreturn os.getpid()');
  expect(await read('return os.getpid()')).not.toBe(first);
});

test.each([
  ['memory', 'return len(bytearray(3 << 30))', 'it exceeded its memory limit of 1024 MiB'],
  [
    'memory, in small pieces',
    'kept = []\nwhile True: kept.append(bytearray(10 << 20))',
    'it exceeded its memory limit of 1024 MiB',
  ],
  [
    'memory, in an error of its own',
    'try:\n    bytearray(3 << 30)\nexcept MemoryError as error:\n    raise ValueError("too large") from error',
    'it exceeded its memory limit of 1024 MiB',
  ],
  ['CPU time', 'while True: pass', 'it exceeded its CPU limit of 3 seconds'],
  [
    'CPU time, with the signal ignored',
    'import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass',
    'it exceeded its CPU limit of 3 seconds',
  ],
])('a process that exceeds its limit of %s ends with this reason', async (_, lines, reason) => {
  const error = await failureOf(runAsync(lines));
  expect(error.message).toContain(`The Python process ended: ${reason}`);
  expect(error).toMatchObject({ code: 'component_failed', permanent: false });
  expect(await run('return 1')).toBe(1);
});

test('a process that has used half of its CPU time is not kept', async () => {
  const first = await run(`end = time.process_time() + 2
while time.process_time() < end: pass
return os.getpid()`);
  expect(await run('return os.getpid()')).not.toBe(first);
});

test('a file beyond the limit is an error of the component', async () => {
  const error = await failureOf(run('open("large", "wb").write(bytes(9 << 20))\nreturn 1'));
  expect(error.message).toContain('File too large');
});

test('two owners never share a process, and find nothing of each other', async () => {
  const owner = (ownerId: string) => ({ key: { ownerId, flowId: 'flow-1', version: 1 } });
  const leave = method('none', 'open("left", "w").write("x")\nreturn [os.getpid(), os.getcwd()]');
  const [pid, folder] = (await runText(pool, leave, owner('one'))) as [number, string];
  const look = method(
    'none',
    `seen = [os.getpid()]
for path in (${JSON.stringify(folder)}, "/proc/${pid}"):
    try:
        seen.append(os.listdir(path))
    except OSError as error:
        seen.append(type(error).__name__)
return seen`,
  );
  const [other, ...seen] = (await runText(pool, look, owner('two'))) as [number, ...string[]];
  expect(other).not.toBe(pid);
  expect(seen).toEqual(['FileNotFoundError', 'FileNotFoundError']);
});
