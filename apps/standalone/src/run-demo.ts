import { startModelServer } from '@millrace/model-server';
import { demo } from './demo';
import { openStandalone } from './open-standalone';
import type { OpenStandaloneOptions } from './open-standalone';

/** Starts a model server and the app, runs the demo against them and stops both. */
export async function runDemo(options: OpenStandaloneOptions, print: (line: string) => void): Promise<void> {
  const model = await startModelServer({ port: 0, host: '127.0.0.1' });
  try {
    const standalone = await openStandalone({
      ...options,
      settings: {
        ...options.settings,
        MILLRACE_OUTGOING_ALLOW: [...options.settings.MILLRACE_OUTGOING_ALLOW, '127.0.0.1/32'],
      },
      environment: { ...options.environment, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-demo' },
    });
    try {
      print(`Millrace ${standalone.url} (data in ${options.settings.MILLRACE_DATA_DIRECTORY})`);
      await demo(standalone.url, await standalone.makeKey('demo'), print);
      print('\nDemo done. To keep the app running, use `npm start`.');
    } finally {
      await standalone.close();
    }
  } finally {
    await model.close();
  }
}
