import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModelServer } from '@millrace/model-server';
import { startServiceProcess } from '@millrace/scaled-system';
import type { Browser } from 'playwright-core';
import { openConsole, startBrowser } from './console-browser';
import type { ConsolePage } from './console-browser';

const EXAMPLES = join(__dirname, '../../examples');

/** An example flow, as far as the suites change it. */
export interface ConsoleExample {
  name: string;
  description: string;
  endpoint_name: string;
  data: { nodes: { data: { type: string; node: Record<string, unknown> } }[] };
}

/** The standalone app in a process of its own, with a model server and a browser that is signed in as an admin. */
export interface ConsoleSystem {
  readonly url: string;
  readonly key: string;
  readonly browser: Browser;
  readonly admin: ConsolePage;
  /** Calls the API with the admin's key unless another one is given. Throws unless it succeeds. */
  call<Body>(method: string, path: string, body?: unknown, as?: string): Promise<Body>;
  stop(): Promise<void>;
}

export async function startConsoleSystem(): Promise<ConsoleSystem> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-console-'));
  const lines: string[] = [];
  const model = await startModelServer();
  const service = await startServiceProcess({
    app: 'standalone',
    flags: ['--port', '0', '--data', directory],
    environment: {
      DATABASE_URL: '',
      AMQP_URL: '',
      REDIS_URL: '',
      MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'sk-test',
    },
    print: (line) => lines.push(line),
  });
  const url = `http://127.0.0.1:${String(service.ready['port'])}`;
  const key = /sk-[\w-]{43}/.exec(lines.join('\n'))?.[0] ?? '';
  const browser = await startBrowser();
  return {
    url,
    key,
    browser,
    admin: await openConsole(browser, url, key),
    async call<Body>(method: string, path: string, body?: unknown, as = key) {
      const answer = await fetch(url + path, {
        method,
        headers: { 'x-api-key': as, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      const text = await answer.text();
      return (text === '' ? undefined : JSON.parse(text)) as Body;
    },
    async stop() {
      await browser.close();
      await service.stop();
      await model.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export const readExample = (name: string): ConsoleExample =>
  JSON.parse(readFileSync(join(EXAMPLES, `${name}.json`), 'utf8')) as ConsoleExample;

/** Texts that a page must show as they are. */
export const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(2)></svg>',
  '<script>alert(3)</script>',
  'javascript:alert(4)',
  '\u202egnp.exe\u2066 \u202b hidden',
  '{{constructor.constructor("alert(5)")()}}',
  `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(6)"/>').toString('base64')}`,
];
