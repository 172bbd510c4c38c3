import { fork } from 'node:child_process';
import { join } from 'node:path';

const PROGRAM = join(__dirname, '..', '..', '..', '..', 'tools', 'services', 'own-broker.mjs');

/** A broker that a test can kill. */
export interface OwnBroker {
  readonly url: string;
  kill(): Promise<void>;
  /** Restarts a killed broker with its data. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface Answer {
  readonly id: number;
  readonly url?: string;
  readonly error?: string;
}

/** Starts a broker for this test alone, on the loopback interface, with its files in this directory. */
export async function startOwnBroker(directory: string): Promise<OwnBroker> {
  const child = fork(PROGRAM, [directory], { execArgv: [] });
  const waiting = new Map<number, (answer: Answer) => void>();
  child.on('message', (answer: Answer) => waiting.get(answer.id)?.(answer));
  let last = 0;
  const ask = (action: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const id = (last += 1);
      waiting.set(id, (answer) =>
        answer.error === undefined ? resolve(answer) : reject(new Error(answer.error)),
      );
      child.send({ id, action });
    });
  const { url = '' } = await ask('open');
  return {
    url,
    kill: async () => void (await ask('kill')),
    start: async () => void (await ask('start')),
    async stop() {
      await ask('stop');
      child.disconnect();
    },
  };
}
