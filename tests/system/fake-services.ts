import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** External services of the example flows: a web page, a news feed, and a receiver of alerts. */
export interface FakeServices {
  readonly url: string;
  /** Bodies of the received alerts. */
  readonly alerts: unknown[];
  close(): Promise<void>;
}

const FEED = `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>
<item><title>Flood</title><link>http://news.example/1</link><description>The river rose.</description></item>
<item><title>Harvest</title><link>http://news.example/2</link><description>The barns are full.</description></item>
</channel></rss>`;

/** Serves /page, /feed and POST /alerts on a free port; responds with 404 to everything else. */
export async function startFakeServices(): Promise<FakeServices> {
  const alerts: unknown[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const route = `${request.method ?? ''} ${request.url ?? ''}`;
    if (route === 'GET /page') {
      response
        .setHeader('content-type', 'text/html')
        .end('<html><body><p>The wheel turns.</p></body></html>');
    } else if (route === 'GET /feed') {
      response.setHeader('content-type', 'application/rss+xml').end(FEED);
    } else if (route === 'POST /alerts' && request.headers['content-type'] === 'application/json') {
      alerts.push(JSON.parse(await text(request)));
      response.writeHead(202).end();
    } else {
      response.writeHead(404).end();
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    alerts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
