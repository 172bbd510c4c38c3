import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer } from '@millrace/model-server';
import type { Browser, Page } from 'playwright-core';
import { accessibilityViolations, openConsole, startBrowser } from './console-browser';
import type { ConsolePage } from './console-browser';
import { startStandalone } from './start-standalone';
import type { StandaloneOptions } from './start-standalone';

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
  /** Stores an example flow with changes, without an endpoint name unless they have one. */
  newFlow(example: string, changes?: object, as?: string): Promise<{ readonly id: string }>;
  /**
   * Opens each path in light and dark, 1440 and 360 pixels wide. Resolves to what is wrong there: violations, offences, and
   * pages that scroll sideways. Signed in as the admin unless another key is given.
   */
  faultsOf(
    paths: readonly string[],
    ready: (page: Page) => Promise<unknown>,
    as?: string,
  ): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export async function startConsoleSystem({
  port,
  environment = {},
}: Pick<StandaloneOptions, 'port' | 'environment'> = {}): Promise<ConsoleSystem> {
  const model = await startModelServer();
  const app = await startStandalone({
    ...(port === undefined ? {} : { port }),
    environment: {
      MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'sk-test',
      ...environment,
    },
  });
  const { url, key, call } = app;
  const browser = await startBrowser();
  return {
    url,
    key,
    browser,
    admin: await openConsole(browser, url, key),
    call,
    newFlow: (example, changes = {}, as = key) =>
      call('POST', '/api/v1/flows/', { ...readExample(example), endpoint_name: null, ...changes }, as),
    faultsOf: (paths, ready, as = key) => faultsIn({ browser, url, key: as, paths, ready }),
    async stop() {
      await browser.close();
      await app.stop();
      await model.close();
    },
  };
}

interface Views {
  readonly browser: Browser;
  readonly url: string;
  readonly key: string;
  readonly paths: readonly string[];
  readonly ready: (page: Page) => Promise<unknown>;
}

async function faultsIn({ browser, url, key, paths, ready }: Views): Promise<readonly string[]> {
  const found: string[] = [];
  for (const theme of ['light', 'dark'] as const)
    for (const width of [1440, 360]) {
      const { page, visit, offences, close } = await openConsole(browser, url, key, { theme, width });
      for (const path of paths) {
        await visit(path);
        await ready(page);
        const sideways = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        const faults = [
          ...(await accessibilityViolations(page)),
          ...(sideways > 0 ? ['scrolls sideways'] : []),
        ];
        found.push(...faults.map((fault) => `${path} (${theme}, ${width}): ${fault}`));
      }
      found.push(...offences);
      await close();
    }
  return found;
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
