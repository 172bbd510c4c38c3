import { once } from 'node:events';
import { connect } from 'node:net';
import { noResources } from '@millrace/engine';
import type { RunResources } from '@millrace/flow';

/** What a run under test is lent: these, and nothing else. */
export function lending(parts: Partial<RunResources>): RunResources {
  return Object.create(noResources, Object.getOwnPropertyDescriptors(parts)) as RunResources;
}

/** Connections to servers of the test's own. */
export const dial: RunResources['dial'] = async ({ host, port }, signal) => {
  const socket = connect({ host, port });
  socket.on('error', () => undefined);
  signal.addEventListener('abort', () => void socket.destroy(), { once: true });
  await once(socket, 'connect');
  return socket;
};
