import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { startObjectServer } from '@millrace/scaled-system';
import type { ObjectServer } from '@millrace/scaled-system';
import { untilSuccess } from '@millrace/service/testing';
import type { ObjectStore } from './object-store';
import { openObjectStore } from './open-object-store';

let server: ObjectServer;
const opened: ObjectStore[] = [];

beforeAll(async () => {
  server = await startObjectServer({ program: process.env['SEAWEED'] ?? '' });
});
afterAll(async () => {
  for (const store of opened) await store.close();
  await server?.stop();
});

function open(change: (url: URL) => void = () => undefined): ObjectStore {
  const url = new URL(server.url);
  change(url);
  const store = openObjectStore({ url: url.href })!;
  opened.push(store);
  return store;
}

const pieces = (...parts: (string | Buffer)[]) => Readable.from(parts.map((part) => Buffer.from(part)));
const keysOf = async (store: ObjectStore, prefix: string) => {
  const keys: string[] = [];
  let next: string | null = null;
  do {
    const page = await store.list(prefix, next);
    keys.push(...page.objects.map(({ key }) => key));
    next = page.next;
  } while (next !== null);
  return keys.sort();
};

test.each([0, 1, 5_242_879, 5_242_880, 5_242_881, 12_000_000])(
  'returns %d bytes as they were stored',
  async (size) => {
    const store = open();
    const content = randomBytes(size);
    const key = `sizes/${size}`;
    expect(await store.upload(key, pieces(content.subarray(0, 7), content.subarray(7)))).toBe(size);
    if (size > 0)
      expect((await store.read(key, 0, 262_144))?.equals(content.subarray(0, 262_144))).toBe(true);
    const [from, rest] = [Math.floor(size / 2), content.subarray(Math.floor(size / 2))];
    if (size > 1)
      expect((await store.read(key, from, 1_000_000))?.equals(rest.subarray(0, 1_000_000))).toBe(true);
    await store.delete(key);
    await store.delete(key);
    expect(await store.read(key, 0, 10)).toBeNull();
  },
);

test('keys have any characters, and a list has several pages', async () => {
  const store = open();
  const odd = "odd/a b(c)*+&=é'~!";
  await store.upload(odd, pieces('x'));
  expect(await keysOf(store, 'odd/')).toEqual([odd]);
  const keys = Array.from({ length: 1_010 }, (_, index) => `many/${String(index).padStart(4, '0')}`);
  for (let start = 0; start < keys.length; start += 50)
    await Promise.all(keys.slice(start, start + 50).map((key) => store.upload(key, pieces('x'))));
  expect((await store.list('many/', null)).objects).toHaveLength(1_000);
  expect(await keysOf(store, 'many/')).toEqual(keys);
});

test('stores under different prefixes do not see each other', async () => {
  const [one, other] = [open(), open((url) => (url.pathname = '/other'))];
  await one.upload('same', pieces('1'));
  await other.upload('same', pieces('2'));
  await other.delete('same');
  expect((await one.read('same', 0, 10))?.toString()).toBe('1');
  expect(await keysOf(other, '')).toEqual([]);
});

test('content that fails leaves no object, and an upload of a process that ended is discarded later', async () => {
  const store = open();
  async function* broken() {
    yield randomBytes(6_000_000);
    throw new Error('connection lost');
  }
  await expect(store.upload('broken', broken())).rejects.toThrow('connection lost');
  expect(await store.read('broken', 0, 1)).toBeNull();
  expect(await store.discardUploads('', new Date(Date.now() + 60_000))).toBe(0);
  async function* endless() {
    yield randomBytes(6_000_000);
    await new Promise(() => undefined);
  }
  void store.upload('left/endless', endless()).catch(() => undefined);
  const end = Date.now() + 60_000;
  let discarded = 0;
  while (discarded === 0 && Date.now() < end) {
    expect(await store.discardUploads('left/', new Date(Date.now() - 3_600_000))).toBe(0);
    discarded = await store.discardUploads('left/', new Date(Date.now() + 60_000));
  }
  expect(discarded).toBe(1);
});

test('an upload that was discarded before its end fails', async () => {
  const store = open();
  async function* discarded() {
    // Whole parts, so that nothing is sent between this and the completion.
    yield randomBytes(10_485_760);
    expect(await store.discardUploads('discarded', new Date(Date.now() + 60_000))).toBe(1);
  }
  await expect(store.upload('discarded', discarded())).rejects.toThrow('did not complete an upload');
  expect(await store.read('discarded', 0, 1)).toBeNull();
});

test('names the refusal of a wrong key and of a bucket that does not exist', async () => {
  const wrong = open((url) => (url.password = 'wrong'));
  await expect(wrong.upload('a', pieces('x'))).rejects.toMatchObject({
    code: 'object_store_unavailable',
    message: expect.stringMatching(/answered a PUT with 403 SignatureDoesNotMatch/),
  });
  const missing = open((url) => (url.hostname = 'no-such-bucket'));
  await expect(missing.list('', null)).rejects.toMatchObject({
    message: expect.stringContaining('404 NoSuchBucket'),
  });
});

test('a server that is away is named, and used again when it is back', async () => {
  const store = open();
  await store.upload('before', pieces('kept'));
  await server.kill();
  await expect(store.read('before', 0, 10)).rejects.toMatchObject({ code: 'object_store_unavailable' });
  await server.start();
  const kept = await untilSuccess(() => store.read('before', 0, 10));
  expect(kept?.toString()).toBe('kept');
});

test('a server that does not answer is given up', async () => {
  const store = open();
  server.freeze();
  await expect(store.upload('late', pieces('x'))).rejects.toMatchObject({ code: 'object_store_unavailable' });
  server.thaw();
});
