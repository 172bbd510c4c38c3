import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, createMetrics, Health, readSettings } from '@millrace/service';
import { openStandalone, standaloneSettings } from '@millrace/standalone';

/** A standalone server for the commands of one suite. */
export interface CliServer {
  readonly url: string;
  /** The API key of the first user. */
  readonly key: string;
  /** A temporary folder, which is the home of the commands. */
  readonly folder: string;
  /** An environment without a server and a key. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function openCliServer(given: Readonly<Record<string, string>> = {}): Promise<CliServer> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-cli-'));
  const variables = {
    PORT: '0',
    MILLRACE_DATA_DIRECTORY: join(folder, 'data'),
    MILLRACE_DURABILITY: 'process',
    ...given,
  };
  const server = await openStandalone({
    settings: readSettings(standaloneSettings, variables),
    logger: createLogger({ name: 'test', level: 'silent' }),
    metrics: createMetrics(),
    health: new Health(),
    environment: variables,
    advice: { command: 'millrace up', besidesAnother: '' },
    loadsExamples: false,
  });
  return {
    url: server.url,
    key: readFileSync(join(folder, 'data', 'api-key'), 'utf8').trim(),
    folder,
    environment: { XDG_CONFIG_HOME: join(folder, 'config'), HOME: folder },
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
