import type { ServerResponse } from 'node:http';

/** Tracks long-lived streams by API key, so that they end when the key is revoked. */
export class KeyedStreams {
  readonly #streams = new Map<string, Set<ServerResponse>>();

  /** Tracks a stream until it closes. */
  track(keyHash: string, response: ServerResponse): void {
    const streams = this.#streams.get(keyHash) ?? new Set();
    this.#streams.set(keyHash, streams.add(response));
    response.once('close', () => {
      streams.delete(response);
      if (streams.size === 0 && this.#streams.get(keyHash) === streams) this.#streams.delete(keyHash);
    });
  }

  /** Ends all streams of a revoked key. */
  end(keyHash: string): void {
    for (const response of this.#streams.get(keyHash) ?? []) {
      if (response.headersSent) response.end();
      else response.destroy();
    }
  }
}
