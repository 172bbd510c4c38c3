import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { openTestGateway } from '../testing/test-gateway';
import type { TestGateway } from '../testing/test-gateway';

const SCRIPT = 'console.log("console")';
const folder = mkdtempSync(join(tmpdir(), 'console-'));
mkdirSync(join(folder, 'assets'));
writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Console</title>');
writeFileSync(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
writeFileSync(join(folder, 'assets', 'index-1a2b.js'), SCRIPT);
writeFileSync(join(folder, 'assets', 'index-1a2b.js.br'), brotliCompressSync(SCRIPT));
writeFileSync(join(folder, 'assets', 'index-1a2b.js.gz'), gzipSync(SCRIPT));

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({ consoleFolder: folder });
}, 60_000);
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true });
});

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'x-api-key': '' };
const open = (path: string, headers: Record<string, string> = html, method = 'GET') =>
  fetch(gateway.url + path, { method, headers, redirect: 'manual' });

test.each(['/', '/runs', '/runs/0198?tab=trace', '/flows/a.b/versions', '/settings/keys/'])(
  'a browser gets the console at %s, with a policy that runs its own scripts alone',
  async (path) => {
    const response = await open(path);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<title>Console</title>');
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
        "font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    );
  },
);

test.each([
  ['br', 'gzip, br'],
  ['gzip', 'gzip'],
  [null, 'identity'],
])('a script is sent as %s to a browser that accepts %s, and kept', async (encoding, accepted) => {
  const response = await open('/assets/index-1a2b.js', { 'accept-encoding': accepted });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-encoding')).toBe(encoding);
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(response.headers.get('content-type')).toMatch(/^text\/javascript/);
  expect(await response.text()).toBe(SCRIPT);
});

test('other files are served with their type', async () => {
  const response = await open('/favicon.svg', {});
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
});

test('HEAD has the headers of GET', async () => {
  const response = await open('/runs', html, 'HEAD');
  expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
    200,
    '37',
    '',
  ]);
});

test.each([
  ['an unknown path of the API', '/api/v1/unknown', html],
  ['a missing asset', '/assets/index-0000.js', html],
  ['a client that is no browser', '/runs', { accept: 'application/json' }],
  ['a client without preference', '/runs', { accept: '*/*' }],
])('%s is not found', async (_what, path, headers) => {
  const response = await open(path, headers);
  expect([response.status, response.headers.get('x-error-code')]).toEqual([404, 'route_unknown']);
});

test('routes go first, and other methods are refused', async () => {
  expect((await open('/health')).headers.get('content-type')).toBe('application/json');
  expect((await open('/docs')).headers.get('location')).toBe('guide/api/');
  expect((await open('/docs/')).status).toBe(307);
  expect((await open('/runs', html, 'POST')).status).toBe(404);
  const plain = await open('/', { accept: '*/*' });
  expect(await plain.text()).toContain('<title>Millrace</title>');
});

test.each([
  '/../package.json',
  '/assets/../../package.json',
  '/assets/%2e%2e/%2e%2e/package.json',
  '/%2fetc/passwd',
])('%s leaves the folder in no way', async (path) => {
  const status = await new Promise<number | undefined>((resolve, reject) => {
    request({ host: '127.0.0.1', port: gateway.port, path }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
    })
      .once('error', reject)
      .end();
  });
  expect(status).toBe(404);
});

test('with MILLRACE_CONSOLE=off, `/` is the plain page', async () => {
  const without = await openTestGateway({ consoleFolder: folder, environment: { MILLRACE_CONSOLE: 'off' } });
  try {
    expect(await (await fetch(without.url, { headers: html })).text()).toContain('<title>Millrace</title>');
    expect((await fetch(`${without.url}/runs`, { headers: html })).status).toBe(404);
  } finally {
    await without.close();
  }
});
