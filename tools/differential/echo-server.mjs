import { createServer } from 'node:http';
import { once } from 'node:events';
import { portOf } from '@millrace/testing';

const page =
  '<html><head><title>Page One</title><meta name="description" content="A page"></head><body><h1>Hello</h1>' +
  '<p>First <b>bold</b> paragraph.</p><a href="/second">two</a><ul><li>a</li><li>b</li></ul></body></html>';
const feed =
  '<?xml version="1.0"?><rss version="2.0"><channel><title>F</title><link>http://f.example</link><description>d</description>' +
  '<item><title>T1</title><link>http://f.example/1</link><description>D1</description></item></channel></rss>';

/** @type {Readonly<Record<string, readonly [status: number, type: string, body: string]>>} */
const answers = {
  '/list': [200, 'application/json', '[{"a":1},{"a":2}]'],
  '/text': [200, 'text/plain', 'plain text é'],
  '/broken': [200, 'application/json', '{"broken": '],
  '/page': [200, 'text/html; charset=utf-8', page],
  '/second': [
    200,
    'text/html',
    '<html><head><title>Page Two</title></head><body><p>Another.</p></body></html>',
  ],
  '/feed': [200, 'application/rss+xml', feed],
  '/missing': [404, 'application/json', '{"error":"missing"}'],
  '/failing': [500, 'application/json', '{"error":"failing"}'],
};

/** Starts the server that flows call: a few fixed pages; any other path answers with what was sent. */
export async function startEchoServer() {
  const server = createServer((request, response) => {
    let sent = '';
    request.on('data', (chunk) => (sent += chunk));
    request.on('end', () => {
      const { method, url = '/', headers } = request;
      const echo = JSON.stringify({ method, url, type: headers['content-type'] ?? null, sent });
      const [status, type, body] = answers[url.split('?')[0]] ?? [200, 'application/json', echo];
      response
        .writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
        .end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
