import type { Worker } from 'node:cluster';
import type { MessageToWorker } from './worker-messages';

/** Sends a message to a worker process. Ignores one that has just ended, which its supervisor detects anyway. */
export function sendToWorker(worker: Worker, message: MessageToWorker): void {
  if (worker.isConnected()) worker.send(message, undefined, undefined, () => undefined);
}
