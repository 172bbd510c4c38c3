import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModelServer } from '@millrace/model-server';
import { demo } from './demo';
import { openStandalone } from './open-standalone';
import type { OpenStandaloneOptions } from './open-standalone';

/**
 * Starts a model server and the app on embedded parts in a temporary folder, runs the demo against them and removes both:
 * the user's data folder and servers stay as they are.
 */
export async function runDemo(options: OpenStandaloneOptions, print: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-demo-'));
  const model = await startModelServer({ port: 0, host: '127.0.0.1' });
  try {
    const standalone = await openStandalone({
      ...options,
      settings: {
        ...options.settings,
        DATABASE_URL: undefined,
        AMQP_URL: undefined,
        REDIS_URL: undefined,
        MILLRACE_BOOTSTRAP_API_KEY: undefined,
        MILLRACE_ENCRYPTION_KEY: undefined,
        MILLRACE_DATA_DIRECTORY: folder,
        MILLRACE_OUTGOING_ALLOW: [...options.settings.MILLRACE_OUTGOING_ALLOW, '127.0.0.1/32'],
      },
      environment: { ...options.environment, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-demo' },
    });
    try {
      print(
        `Millrace ${standalone.url}, in a temporary folder. No language model is called: a server of this repository`,
      );
      print('answers in place of one, with a fixed text.');
      await demo(standalone.url, await standalone.makeKey('demo'), print);
      print('\nDemo done. It kept no key and no run. To use the app, `npm start`.');
    } finally {
      await standalone.close();
    }
  } finally {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
