import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { version } from '@millrace/service';
import { gatewayForTests, openTestGateway } from '../../testing/test-gateway';
import { homeCommands } from './home-page';

const gateway = gatewayForTests();

const withoutKey = { 'x-api-key': '' };
const home = (headers: Record<string, string> = {}, method = 'GET') =>
  gateway.call(method, '/', undefined, { ...withoutKey, ...headers });

test('a browser gets a page with the version and with links that work', async () => {
  const { status, headers, text } = await home({ accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(text).toContain(`Millrace <small>${version}</small>`);
  const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
  expect(links).toEqual(expect.arrayContaining(['health', 'readyz', 'guide/', 'docs', 'openapi.json']));
  // The guide is no part of a gateway that has not been built.
  for (const link of links.filter((known) => known !== 'guide/' && known !== 'docs'))
    expect([link, (await gateway.call('GET', `/${link}`, undefined, withoutKey)).status]).toEqual([
      link,
      200,
    ]);
});

test('the page loads and runs nothing, and its policy allows only its style', async () => {
  const { headers, text } = await home();
  expect(text).not.toMatch(/<script|<link|<img|<form|src=|@import|style="|javascript:/);
  const style = /<style>([^]*)<\/style>/.exec(text)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  expect(headers.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect(style).toContain('color-scheme: light dark');
  expect(style).not.toMatch(/#[\da-f]{3,6}\b|url\(/i);
});

test('its commands use the address of the request', async () => {
  const { text } = await home();
  const shown = /<pre>([^]*)<\/pre>/.exec(text)?.[1] ?? '';
  const commands = shown.replaceAll('&quot;', '"').replaceAll('&amp;', '&').split('\n');
  expect(commands).toEqual(homeCommands(gateway.url));
});

test('an invalid host appears neither in the page nor in its commands', async () => {
  const received = await new Promise<string>((resolve, reject) => {
    const headers = { host: `x'"><b>$(id)` };
    request({ port: gateway.port, host: '127.0.0.1', path: '/', headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.once('end', () => resolve(text));
    })
      .once('error', reject)
      .end();
  });
  expect(received).toContain('http://127.0.0.1:7860/api/v1/run/echo');
  expect(received).not.toMatch(/<b>|\$\(id\)/);
});

test('a client that wants JSON gets the same as JSON', async () => {
  const { status, headers, json } = await home({ accept: 'application/json' });
  expect(status).toBe(200);
  expect(headers.get('vary')).toContain('Accept');
  expect(json).toEqual({
    name: 'Millrace',
    version,
    health: `${gateway.url}/health`,
    readiness: `${gateway.url}/readyz`,
    documentation: `${gateway.url}/docs`,
    openapi: `${gateway.url}/openapi.json`,
  });
});

test('HEAD answers as GET without a body, another method is refused', async () => {
  const head = await home({}, 'HEAD');
  expect(head).toMatchObject({ status: 200, text: '' });
  expect(head.headers.get('content-length')).toBe((await home()).headers.get('content-length'));
  const post = await home({}, 'POST');
  expect(post.status).toBe(405);
  expect(post.headers.get('allow')).toBe('GET');
});

test('with MILLRACE_PUBLIC_URL the page shows that address', async () => {
  const proxied = await openTestGateway({
    environment: { MILLRACE_PUBLIC_URL: 'https://mill.example/base/' },
  });
  try {
    const { text } = await proxied.call('GET', '/');
    expect(text).toContain('https://mill.example/base/api/v1/run/echo');
  } finally {
    await proxied.close();
  }
});
