import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { freePort } from '@millrace/testing';
import { untilSuccess } from '@millrace/service/testing';

/** A NATS server with JetStream for one test. */
export interface NatsServer {
  readonly url: string;
  /** Sends SIGKILL and starts the server again on its data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the program that NATS_SERVER names, with its data in a temporary folder. */
export async function startNatsServer(): Promise<NatsServer> {
  const program = process.env['NATS_SERVER'];
  if (!program) throw new Error('NATS_SERVER is not set: npm test finds or installs nats-server');
  const directory = mkdtempSync(join(tmpdir(), 'millrace-nats-'));
  const port = await freePort();
  const url = `nats://127.0.0.1:${port}`;
  let child: ChildProcess;
  const start = async () => {
    child = spawn(program, ['-js', '-sd', directory, '-a', '127.0.0.1', '-p', String(port)], {
      stdio: 'ignore',
    });
    await untilSuccess(async () => (await connect({ servers: url, reconnect: false })).close());
  };
  const kill = async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  await start();
  return {
    url,
    async restart() {
      await kill();
      await start();
    },
    async stop() {
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
