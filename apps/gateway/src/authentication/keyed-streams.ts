import type { ServerResponse } from 'node:http';

/** Streams that go on for long after their key was checked, so that they end with it. */
export class KeyedStreams {
  readonly #streams = new Map<string, Set<ServerResponse>>();

  /** Keeps a stream in mind until it closes. */
  hold(keyHash: string, response: ServerResponse): void {
    const streams = this.#streams.get(keyHash) ?? new Set();
    this.#streams.set(keyHash, streams.add(response));
    response.once('close', () => {
      streams.delete(response);
      if (streams.size === 0 && this.#streams.get(keyHash) === streams) this.#streams.delete(keyHash);
    });
  }

  /** The key is revoked: its streams end where they are. */
  end(keyHash: string): void {
    for (const response of this.#streams.get(keyHash) ?? []) {
      if (response.headersSent) response.end();
      else response.destroy();
    }
  }
}
