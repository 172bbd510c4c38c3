import { once } from 'node:events';
import { connect } from 'node:net';
import { noResources } from '@millrace/engine';
import type { RunResources } from '@millrace/flow';

/** Returns resources for a run under test that contain only the given parts. */
export function resourcesWith(parts: Partial<RunResources>): RunResources {
  return Object.create(noResources, Object.getOwnPropertyDescriptors(parts)) as RunResources;
}

/** Connects to servers of the test, without the checks of the real implementation. */
export const dial: RunResources['dial'] = async ({ host, port }, signal) => {
  const socket = connect({ host, port });
  socket.on('error', () => undefined);
  signal.addEventListener('abort', () => void socket.destroy(), { once: true });
  await once(socket, 'connect');
  return socket;
};
