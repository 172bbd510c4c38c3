import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { guideFiles } from './guide-files';

const SCRIPT = 'console.log("guide")';
const html = { accept: 'text/html,*/*;q=0.8' };
const folder = mkdtempSync(join(tmpdir(), 'guide-'));
mkdirSync(join(folder, 'assets'));
mkdirSync(join(folder, 'use'));
writeFileSync(join(folder, 'index.html'), '<title>Guide</title>');
writeFileSync(join(folder, '404.html'), '<title>No such page</title>');
writeFileSync(join(folder, 'use', 'errors.html'), '<title>Errors</title>');
writeFileSync(join(folder, 'assets', 'app-1a2b.js'), SCRIPT);
writeFileSync(join(folder, 'assets', 'app-1a2b.js.gz'), gzipSync(SCRIPT));
writeFileSync(`${folder}-secret.txt`, 'secret');
afterAll(() => {
  rmSync(folder, { recursive: true });
  rmSync(`${folder}-secret.txt`);
});

/** Sends a request to a server that answers 418 to what is not of the guide. */
async function open(path: string, init: RequestInit = { headers: html }, found: string | null = folder) {
  const serve = guideFiles(found);
  const server = createServer((request, response) => {
    response.setHeader('content-security-policy', 'other');
    serve(request, response, () => response.writeHead(418).end(request.url));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const answer = await fetch(`http://127.0.0.1:${String(port)}${path}`, { redirect: 'manual', ...init });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test.each([
  ['/guide/', 'Guide'],
  ['/guide/use/errors', 'Errors'],
  ['/guide/use/errors?theme=dark', 'Errors'],
])('%s is a page that runs its own scripts alone', async (path, title) => {
  const { status, headers, text } = await open(path);
  expect([status, text]).toEqual([200, `<title>${title}</title>`]);
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
      "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  );
  expect(headers.get('cache-control')).toBe('no-cache');
});

test('an asset is sent compressed, and kept', async () => {
  const { headers, text } = await open('/guide/assets/app-1a2b.js', {
    headers: { 'accept-encoding': 'gzip' },
  });
  expect(text).toBe(SCRIPT);
  expect(headers.get('content-encoding')).toBe('gzip');
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
});

test('an unchanged page is answered with 304 and its own policy, which browsers keep', async () => {
  const { headers: first } = await open('/guide/');
  const etag = first.get('etag') ?? '';
  const { status, headers, text } = await open('/guide/', { headers: { ...html, 'if-none-match': etag } });
  expect([status, text]).toEqual([304, '']);
  expect(headers.get('content-security-policy')).toBe(first.get('content-security-policy'));
});

test.each(['bytes=5-2', 'bytes=-5', 'bytes=99999-', 'bytes=a'])('a range %s is ignored', async (range) => {
  const { status, text } = await open('/guide/', { headers: { ...html, range } });
  expect([status, text]).toEqual([200, '<title>Guide</title>']);
});

test('the address without a slash leads to the first page', async () => {
  const { status, headers } = await open('/guide');
  expect([status, headers.get('location')]).toEqual([307, 'guide/']);
});

test('a browser gets the page for unknown addresses; other clients, methods and paths are left to the gateway', async () => {
  const missing = await open('/guide/unknown');
  expect([missing.status, missing.text]).toEqual([404, '<title>No such page</title>']);
  const left = await open('/guide/unknown?a=1', { headers: { accept: 'application/json' } });
  expect([left.status, left.text]).toEqual([418, '/guide/unknown?a=1']);
  expect(left.headers.get('content-security-policy')).toBe('other');
  expect((await open('/guide/', { method: 'POST', headers: html })).status).toBe(418);
  expect((await open('/guidebook')).status).toBe(418);
});

test.each([
  '/guide/..%2f..%2fetc%2fpasswd',
  '/guide/%2e%2e/package.json',
  '/guide/%E0%A4%A',
  '/guide/../-secret.txt',
])('%s reads nothing outside of the folder', async (path) => {
  expect((await open(path)).status).not.toBe(200);
});

test('in a checkout without a built guide, a page names the command that builds it', async () => {
  const { status, text } = await open('/guide/use/errors', { headers: html }, null);
  expect([status, text]).toEqual([404, expect.stringContaining('npm run build -- --site')]);
  expect((await open('/guide/', { headers: { accept: '*/*' } }, null)).status).toBe(418);
});
