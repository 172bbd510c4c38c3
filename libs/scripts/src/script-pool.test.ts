import type { PythonValue } from '@millrace/python-text';
import { ScriptPool } from './script-pool';

const never = new AbortController().signal;
const limits = { maximumMemoryBytes: 16 * 1024 * 1024, threads: 2 };
const pool = new ScriptPool({ ...limits, maximumMilliseconds: 60_000 });
const run = (source: string, input: PythonValue = null, signal = never): Promise<PythonValue> =>
  pool.call({ source, input, signal });
/** For scripts that do not end. */
const hurriedPool = new ScriptPool({ ...limits, maximumMilliseconds: 400 });
const runHurried = (source: string) => hurriedPool.call({ source, input: null, signal: never });
afterAll(() => Promise.all([pool.close(), hurriedPool.close()]));

test.each<[string, PythonValue, PythonValue]>([
  ['1 + input.a', { a: 4 }, 5],
  ['function main(given) { return given.a * 2 }', { a: 4 }, 8],
  ['const main = (given) => [given, input]; main', 'é😀\u0000', ['é😀\u0000', 'é😀\u0000']],
  ['async function main(list) { let sum = 0; for await (const n of list) sum += n; return sum }', [1, 2], 3],
  ['new Promise((resolve) => resolve({ a: 1 }))', null, { a: 1 }],
  ['undefined', null, null],
  ['let a = 1', null, null],
  ['[1.5, NaN, undefined, { left: undefined }]', null, [1.5, null, null, {}]],
  ['input.map((row) => ({ ...row, n: row.n + 1 }))', [{ n: 1 }, { n: 2 }], [{ n: 2 }, { n: 3 }]],
])('%s', async (source, input, result) => {
  expect(await run(source, input)).toEqual(result);
});

test.each([
  ['throw new TypeError("no é 😀")', 'The script failed: TypeError: no é 😀'],
  ['throw "plain"', 'The script failed: plain'],
  ['throw { toString() { throw 1 } }', 'The script failed: unknown error.'],
  ['let x = {', 'The script failed: SyntaxError: invalid property name'],
  ['missing.member', "The script failed: ReferenceError: 'missing' is not defined"],
  ['async function main() { throw new Error("late") }', 'The script failed: Error: late'],
  ['new Promise(() => {})', 'The script failed: its promise never settles.'],
  ['10n', 'The script failed: TypeError: Do not know how to serialize a BigInt'],
  ['const o = {}; o.o = o; o', 'The script failed: TypeError: circular reference'],
  ['(function f() { f() })()', 'The script failed: InternalError: stack overflow'],
  ['throw new Error("x".repeat(9999))', `The script failed: Error: ${'x'.repeat(993)}`],
])('%s is reported as an error of the script', async (source, message) => {
  await expect(run(source)).rejects.toThrow(new Error(message));
});

test('a script can access only the language', async () => {
  const names = [
    'process',
    'require',
    'module',
    'fetch',
    'setTimeout',
    'setInterval',
    'queueMicrotask',
    'console',
    'WebAssembly',
    'XMLHttpRequest',
    'Worker',
    'std',
    'os',
    'Buffer',
    'navigator',
  ];
  expect(await run(`[${names.map((name) => `typeof ${name}`).join()}]`)).toEqual(
    names.map(() => 'undefined'),
  );
  expect(await run('(() => {}).constructor("return typeof process")()')).toBe('undefined');
  await expect(run('import("node:fs")')).rejects.toThrow("could not load module 'node:fs'");
});

test('a script leaves no state for the next call', async () => {
  await run('globalThis.secret = 1; Array.prototype.map = () => "mine"; Object.freeze(Object.prototype)');
  for (let round = 0; round < 4; round += 1) {
    expect(await run('[typeof secret, [1].map((n) => n + 1), (Object.prototype.x = 1)]')).toEqual([
      'undefined',
      [2],
      1,
    ]);
  }
});

test('changes of a script to prototypes have no effect outside of it', async () => {
  const attack = 'Object.prototype.toJSON = () => ({ mine: 1 }); JSON.stringify = () => "{"; [input]';
  expect(await run(attack, { a: 1 })).toEqual({ mine: 1 });
  await run('JSON.parse(\'{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}\')');
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
  await expect(run('globalThis.Error = null; Function.prototype.call = null; null.x')).rejects.toThrow(
    'TypeError: cannot read property',
  );
});

test.each([
  'while (true) {}',
  'try { while (true) {} } catch { while (true) {} } finally { while (true) {} }',
  'throw { toString() { while (true) {} } }',
  '({ toJSON() { while (true) {} } })',
  '/(a+)+$/.test("a".repeat(40) + "b")',
  'async function main() { while (true) await null }',
])('%s is stopped at the time limit', async (source) => {
  await expect(runHurried(source)).rejects.toThrow(new Error('The script took longer than 400 ms.'));
  expect(await runHurried('1')).toBe(1);
});

test.each([
  'const all = []; while (true) all.push(new Array(1e4).fill(1))',
  'const all = []; while (true) all.push("x".repeat(1e5) + all.length)',
  'new Uint8Array(1e9)',
])('%s is stopped at the memory limit or the time limit', async (source) => {
  await expect(runHurried(source)).rejects.toThrow(
    /^The script (used more than 16 MiB of memory|took longer than 400 ms)\.$/,
  );
  expect(await runHurried('2')).toBe(2);
});

test('the sizes of input and result are bounded', async () => {
  const large = 'ü'.repeat(1_500_000);
  expect(await run('input', large)).toBe(large);
  await expect(run('"x".repeat(5e6)')).rejects.toThrow(
    'The result of the script is larger than 4 MiB of JSON.',
  );
  await expect(run('1', 'x'.repeat(5_000_000))).rejects.toThrow(
    'The input of the script is larger than 4 MiB',
  );
  await expect(run(`"${'x'.repeat(5_000_000)}"`)).rejects.toThrow('The script is larger than 4 MiB');
});

test('a cancelled script ends immediately, running or waiting', async () => {
  const slow = new ScriptPool({
    maximumMilliseconds: 60_000,
    maximumMemoryBytes: 16 * 1024 * 1024,
    threads: 1,
  });
  const abort = new AbortController();
  const call = (source: string, signal: AbortSignal): Promise<PythonValue> =>
    slow.call({ source, input: null, signal });
  expect(await call('1', never)).toBe(1);
  const cancelledCalls = Promise.allSettled([call('while (true) {}', abort.signal), call('2', abort.signal)]);
  const after = call('3', never);
  await new Promise(setImmediate);
  abort.abort('cancelled');
  const cancelled = { status: 'rejected', reason: 'cancelled' };
  expect(await cancelledCalls).toEqual([cancelled, cancelled]);
  await expect(call('1', abort.signal)).rejects.toBe('cancelled');
  // The thread is available again long before the time limit.
  expect(await after).toBe(3);
  await slow.close();
});

test('scripts wait when all threads are busy', async () => {
  const sources = Array.from({ length: 40 }, (_, index) => (index % 8 === 7 ? 'throw 1' : String(index)));
  const settled = await Promise.allSettled(sources.map((source) => run(source)));
  expect(settled.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : null))).toEqual(
    sources.map((_, index) => (index % 8 === 7 ? null : index)),
  );
});

test('the number of waiting scripts is bounded', async () => {
  const small = new ScriptPool({
    maximumMilliseconds: 60_000,
    maximumMemoryBytes: 16 * 1024 * 1024,
    threads: 1,
  });
  const calls = Array.from({ length: 1_001 }, () =>
    small.call({ source: 'while (true) {}', input: null, signal: never }),
  );
  const outcomes = Promise.allSettled(calls);
  await expect(small.call({ source: '1', input: null, signal: never })).rejects.toMatchObject({
    message: 'Too many scripts are waiting to be run.',
    permanent: false,
  });
  await small.close();
  expect((await outcomes).every(({ status }) => status === 'rejected')).toBe(true);
  await expect(small.call({ source: '1', input: null, signal: never })).rejects.toThrow('shutting down');
  await small.close();
});

test('the event loop is not blocked while scripts run', async () => {
  const running = runHurried('while (true) {}').catch(() => 'over');
  let turns = 0;
  const counter = setInterval(() => (turns += 1), 1);
  await running;
  clearInterval(counter);
  expect(turns).toBeGreaterThan(10);
});
