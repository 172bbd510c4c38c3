import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunResponse } from '@millrace/flow';
import { startObjectServer } from '@millrace/scaled-system';
import type { ObjectServer } from '@millrace/scaled-system';
import { openObjectStore } from '@millrace/runs';
import { until, untilSuccess } from '@millrace/service/testing';
import { flowData, node } from '@millrace/testing';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

const MEGABYTE = 1_048_576;
const LARGE_MEGABYTES = Number(process.env['TEST_OBJECT_MEGABYTES'] ?? 320);
const ENDS = new Set(['succeeded', 'failed', 'dead', 'timed_out', 'cancelled']);
/** Increase it for a long manual run. */
const AWAY_SECONDS = Number(process.env['TEST_OBJECT_AWAY_SECONDS'] ?? 20);
/** Less than the file: what the garbage collector leaves for a while does not depend on its size. */
const MAXIMUM_GROWTH_MEGABYTES = 200;

let server: ObjectServer;
let system: TestSystem;

beforeAll(async () => {
  server = await startObjectServer({ program: process.env['SEAWEED'] ?? '' });
  system = await startTestSystem({ environment: { MILLRACE_OBJECT_STORE_URL: server.url } });
});
afterAll(async () => {
  await system?.stop();
  await server?.stop();
});

/** The bytes of a large file, without having all of them. */
async function* bytes(megabytes: number): AsyncGenerator<Buffer> {
  for (let index = 0; index < megabytes; index += 1) {
    const part = Buffer.alloc(MEGABYTE, index % 251);
    part.writeUInt32BE(index);
    yield part;
  }
}

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly text: string;
}

/** Streams a form, so that the test has no whole file either. */
function upload(path: string, name: string, content: AsyncIterable<Buffer>): Promise<Answer> {
  const boundary = 'boundary-of-the-test';
  const form = async function* () {
    yield Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n`,
    );
    yield* content;
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  };
  return new Promise((resolve, reject) => {
    const call = request(`${system.url}${path}`, {
      method: 'POST',
      headers: {
        'x-api-key': system.key,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
    });
    call.on('error', reject);
    call.on('response', (response) => {
      void response.toArray().then((parts: Buffer[]) =>
        resolve({
          status: response.statusCode ?? 0,
          code: response.headers['x-error-code'] as string | undefined,
          text: Buffer.concat(parts).toString(),
        }),
      );
    });
    void pipeline(Readable.from(form()), call).catch(reject);
  });
}

async function digestOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of content) hash.update(part);
  return hash.digest('hex');
}

const download = (id: string) =>
  fetch(`${system.url}/api/v2/files/${id}`, { headers: { 'x-api-key': system.key } });
const residentMegabytes = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
// Large results of runs move there as well.
const filesLeft = async () => (await keysLeft()).filter((key) => key.includes('/files/'));
const objectsOf = async (runId: string) => (await keysLeft()).filter((key) => key.includes(runId)).length;
const keysLeft = async () => {
  const store = openObjectStore({ url: server.url })!;
  const page = await store.list('', null);
  await store.close();
  return page.objects.map(({ key }) => key);
};

/** Stores a flow that reads a file and saves a copy of it; resolves to its id. */
async function readingFlow(name: string, path: string): Promise<string> {
  const flow = await system.post('/api/v1/flows/', {
    name,
    data: flowData(
      [
        node('File-a', { path: [path] }, 'message'),
        node('SaveToFile-b', { file_name: 'copy', local_format: 'txt' }, 'message'),
        node('ChatOutput-z', {}, 'message'),
      ],
      ['File-a.message > SaveToFile-b.input', 'SaveToFile-b.message > ChatOutput-z.input_value'],
    ),
  });
  return ((await flow.json()) as { id: string }).id;
}

test('a large file goes up and down in bounded memory', async () => {
  const pid = system.gateway.pid;
  await upload('/api/v2/files', 'warm', bytes(8));
  const before = residentMegabytes(pid);
  let highest = before;
  const timer = setInterval(() => (highest = Math.max(highest, residentMegabytes(pid))), 50);
  const stored = await upload('/api/v2/files', 'large', bytes(LARGE_MEGABYTES));
  const afterUpload = highest;
  expect(stored.status).toBe(201);
  const { id, size } = JSON.parse(stored.text) as { id: string; size: number };
  expect(size).toBe(LARGE_MEGABYTES * MEGABYTE);
  const response = await download(id);
  expect(await digestOf(response.body!)).toBe(await digestOf(bytes(LARGE_MEGABYTES)));
  clearInterval(timer);
  if (process.env['MILLRACE_FIGURES'])
    process.stderr.write(
      `${LARGE_MEGABYTES} MiB: gateway ${before.toFixed(0)} MiB before, at most ${afterUpload.toFixed(0)} in the upload, ${highest.toFixed(0)} with the download\n`,
    );
  expect(highest - before).toBeLessThan(MAXIMUM_GROWTH_MEGABYTES);
  const { rows } = await system.database.query('SELECT FROM file_chunks');
  expect(rows).toEqual([]);
});

test('a run reads a file of the store, and saves one there', async () => {
  const text = 'a line\n'.repeat(60_000);
  const stored = await upload('/api/v2/files', 'lines.txt', Readable.from([Buffer.from(text)]));
  const { path } = JSON.parse(stored.text) as { path: string };
  const id = await readingFlow('reads', path);
  const response = await system.post(`/api/v1/run/${id}`, {});
  expect([response.status, response.status === 200 ? '' : await response.text()]).toEqual([200, '']);
  await ((await response.json()) as RunResponse);
  const { rows } = await system.database.query<{ name: string; key: string | null; bytes: number }>(
    `SELECT name, object_key AS key, size_bytes::int AS bytes FROM files WHERE name LIKE 'copy%'`,
  );
  expect(rows).toEqual([{ name: 'copy', key: expect.any(String), bytes: expect.any(Number) }]);
  expect(rows[0]!.bytes).toBeGreaterThan(262_144);
});

test('while the store is away, large files get 503, all else works, and deleted files leave no object', async () => {
  const stored = await upload('/api/v2/files', 'kept', bytes(2));
  const { id } = JSON.parse(stored.text) as { id: string };
  await server.kill();
  expect(await upload('/api/v2/files', 'refused', bytes(2))).toMatchObject({
    status: 503,
    code: 'object_store_unavailable',
  });
  const refused = await download(id);
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([503, 'object_store_unavailable']);
  await refused.arrayBuffer();
  const small = await upload('/api/v2/files', 'small', Readable.from([Buffer.from('small')]));
  expect(small.status).toBe(201);
  const ready = await fetch(`${system.url}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([200, expect.any(String)]);
  await server.start();
  const digest = await untilSuccess(async () => {
    const response = await download(id);
    if (response.status !== 200) throw new Error(await response.text());
    return digestOf(response.body!);
  });
  expect(digest).toBe(await digestOf(bytes(2)));
  const removed = await fetch(`${system.url}/api/v2/files`, {
    method: 'DELETE',
    headers: { 'x-api-key': system.key },
  });
  expect(removed.status).toBe(200);
  await until(async () => (await filesLeft()).length === 0);
  await until(async () => (await system.database.query('SELECT FROM object_deletions')).rowCount === 0);
});

test('a large request and result of a run go to the store and are read as before; away, they get 503 and nothing is lost', async () => {
  const { id: flow } = await system.upload('echo');
  const text = `${randomBytes(150_000).toString('hex')} end`;
  const body = { input_value: text, session_id: 'large' };
  const send = () =>
    system.post(`/api/v1/run/${flow}`, body, { headers: { ...system.headers, 'idempotency-key': 'large' } });
  const first = await send();
  const answer = await first.text();
  expect([first.status, answer.includes(text)]).toEqual([200, true]);
  const id = first.headers.get('x-run-id') ?? '';
  const read = async (path = '') => {
    const response = await fetch(`${system.url}/api/v1/runs/${id}${path}`, { headers: system.headers });
    // The test changes the time of the end.
    const shown = (await response.text()).replace(/"finished_at":"[^"]*",/, '');
    const digest = createHash('sha256').update(shown).digest('hex');
    return [response.status, response.headers.get('x-error-code'), digest];
  };
  const before = [await read(), await read('/request')];
  await system.database.query(`UPDATE runs SET finished_at = now() - interval '2 minutes' WHERE id = $1`, [
    id,
  ]);
  const inObjects = async () =>
    (
      await system.database.query(
        `SELECT FROM runs WHERE id = $1 AND left(result, 2) || left(request, 2) = '~@~@'`,
        [id],
      )
    ).rowCount === 1;
  await until(inObjects, 'the request and the result did not move');
  expect([await read(), await read('/request')]).toEqual(before);
  const again = await send();
  expect([again.status, again.headers.get('x-run-id'), (await again.text()) === answer]).toEqual([
    200,
    id,
    true,
  ]);
  await server.kill();
  const refused = [503, 'object_store_unavailable', expect.any(String)];
  expect([await read(), await read('/request')]).toEqual([refused, refused]);
  const repeated = await send();
  expect([repeated.status, repeated.headers.get('x-error-code')]).toEqual([503, 'object_store_unavailable']);
  expect((await read('/attempts'))[0]).toBe(200);
  const { runs } = await system.getJson<{ runs: { id: string }[] }>('/api/v1/runs?limit=200');
  expect(runs.map((run) => run.id)).toContain(id);
  expect((await system.post(`/api/v1/run/${flow}`, { input_value: 'small' })).status).toBe(200);
  await server.start();
  await untilSuccess(async () => expect([await read(), await read('/request')]).toEqual(before));
  const removed = await fetch(`${system.url}/api/v1/runs/${id}`, {
    method: 'DELETE',
    headers: system.headers,
  });
  expect(removed.status).toBe(204);
  await until(async () => (await objectsOf(id)) === 0, 'objects of the deleted run are left');
}, 120_000);

test('a time without the store under load loses nothing that was accepted, and leaves no object over', async () => {
  const lines = Readable.from([Buffer.from('a line\n'.repeat(60_000))]);
  const { path } = JSON.parse((await upload('/api/v2/files', 'read.txt', lines)).text) as { path: string };
  const flow = await readingFlow('reads under load', path);
  const kept = new Map<string, string>();
  const runs: string[] = [];
  const faults: string[] = [];
  const counts = { stored: 0, refused: 0, small: 0, deleted: 0 };
  let isStopped = false;
  let number = 0;
  const send = async (content: Buffer) => {
    const answer = await upload('/api/v2/files', `file-${++number}`, Readable.from([content]));
    return answer.status === 201 ? { ...answer, id: (JSON.parse(answer.text) as { id: string }).id } : answer;
  };
  const sendLarge = async () => {
    const content = randomBytes(300_000 + Math.floor(Math.random() * 600_000));
    const answer = await send(content);
    if ('id' in answer) {
      counts.stored += 1;
      kept.set(answer.id, createHash('sha256').update(content).digest('hex'));
    } else if (answer.code === 'object_store_unavailable') counts.refused += 1;
    else faults.push(`${answer.status} ${answer.text}`);
  };
  const sendSmall = async () => {
    const answer = await send(Buffer.from('small'));
    if ('id' in answer) counts.small += 1;
    else faults.push(`${answer.status} ${answer.text}`);
  };
  const remove = async () => {
    const [id] = kept.keys();
    if (id === undefined || kept.size < 10) return;
    kept.delete(id);
    const headers = { 'x-api-key': system.key };
    const { status } = await fetch(`${system.url}/api/v2/files/${id}`, { method: 'DELETE', headers });
    if (status === 200) counts.deleted += 1;
    else faults.push(`a deletion was answered with ${status}`);
  };
  const run = async () => {
    const headers = { ...system.headers, prefer: 'respond-async' };
    const answer = await system.post(`/api/v1/run/${flow}`, {}, { headers });
    const text = await answer.text();
    if (answer.status === 202) runs.push((JSON.parse(text) as { run_id: string }).run_id);
    else faults.push(`${answer.status} ${text}`);
  };
  const repeat = async (work: () => Promise<void>, milliseconds: number) => {
    while (!isStopped) {
      await work();
      await pause(milliseconds);
    }
  };
  const load = Promise.all([
    repeat(sendLarge, 50),
    repeat(sendLarge, 50),
    repeat(sendSmall, 100),
    repeat(remove, 300),
    repeat(run, 1_000),
  ]);
  await pause(5_000);
  await server.kill();
  await pause(AWAY_SECONDS * 1_000);
  await server.start();
  await pause(5_000);
  isStopped = true;
  await load;
  const ends = async () =>
    (
      await system.database.query<{ status: string; runs: number }>(
        'SELECT status, count(*)::int AS runs FROM runs WHERE id = ANY($1) GROUP BY status',
        [runs],
      )
    ).rows;
  const isEnded = async () => (await ends()).every(({ status }) => ENDS.has(status));
  await until(isEnded, 'a run has not ended', 240_000);
  if (process.env['MILLRACE_FIGURES'])
    process.stderr.write(`${AWAY_SECONDS} s away: ${JSON.stringify({ ...counts, runs: await ends() })}\n`);
  expect(faults).toEqual([]);
  expect(await ends()).toEqual([{ status: 'succeeded', runs: runs.length }]);
  expect(counts.refused).toBeGreaterThan(0);
  for (const [id, digest] of kept) expect(await digestOf((await download(id)).body!)).toBe(digest);
  await until(async () => (await system.database.query('SELECT FROM object_deletions')).rowCount === 0);
  const { rows } = await system.database.query<{ key: string }>(
    'SELECT object_key AS key FROM files WHERE object_key IS NOT NULL',
  );
  expect((await filesLeft()).sort()).toEqual(rows.map(({ key }) => key).sort());
}, 590_000);
