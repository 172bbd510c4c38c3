import type { Worker } from 'node:cluster';
import type { MessageToWorker } from './worker-messages';

/** To a worker process; one that has just ended hears nothing, which its supervisor notices by itself. */
export function tellWorker(worker: Worker, message: MessageToWorker): void {
  if (worker.isConnected()) worker.send(message, undefined, undefined, () => undefined);
}
