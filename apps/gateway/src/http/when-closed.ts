import type { ServerResponse } from 'node:http';

/** Calls back once when a response closes; at once where it has closed, since a caller can leave while their request is prepared. */
export function whenClosed(response: ServerResponse, done: () => void): void {
  if (response.destroyed) done();
  else response.once('close', done);
}
