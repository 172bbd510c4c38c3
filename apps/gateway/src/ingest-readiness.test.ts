import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { Health } from '@millrace/service';
import { addIngestReadiness } from './ingest-readiness';

let status = 200;
const ingest = createServer((request, response) =>
  response.writeHead(request.url === '/readyz' ? status : 404).end(),
);
let url: string;
beforeAll(async () => {
  ingest.listen(0, '127.0.0.1');
  await once(ingest, 'listening');
  url = `http://127.0.0.1:${(ingest.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => (ingest as Server).close(resolve)));

test('a new gateway is ready once ingest is, and stays ready when ingest becomes unavailable', async () => {
  const health = new Health();
  addIngestReadiness(health, url);
  status = 503;
  expect(await health.ready()).toMatchObject({
    ready: false,
    checks: { ingest: { ok: false, error: 'ingest answered 503' } },
  });
  status = 200;
  expect(await health.ready()).toMatchObject({ ready: true, checks: { ingest: { ok: true } } });
  status = 503;
  expect(await health.ready()).toMatchObject({ ready: true, checks: { ingest: { ok: false } } });
});

test('an unavailable ingest delays the readiness of a new gateway for at most 30 s', async () => {
  let now = 0;
  const health = new Health();
  addIngestReadiness(health, 'http://127.0.0.1:1', () => now);
  expect((await health.ready()).ready).toBe(false);
  now = 30_000;
  expect(await health.ready()).toMatchObject({ ready: true, checks: { ingest: { ok: false } } });
});
