import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
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
const objectsLeft = async () => {
  const store = openObjectStore({ url: server.url });
  const page = await store?.list('', null);
  await store?.close();
  return page?.objects.length;
};

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
  const flow = await system.post('/api/v1/flows/', {
    name: 'reads',
    data: flowData(
      [
        node('File-a', { path: [path] }, 'message'),
        node('SaveToFile-b', { file_name: 'copy', local_format: 'txt' }, 'message'),
        node('ChatOutput-z', {}, 'message'),
      ],
      ['File-a.message > SaveToFile-b.input', 'SaveToFile-b.message > ChatOutput-z.input_value'],
    ),
  });
  const { id } = (await flow.json()) as { id: string };
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
  await until(async () => (await objectsLeft()) === 0);
  await until(async () => (await system.database.query('SELECT FROM object_deletions')).rowCount === 0);
});
