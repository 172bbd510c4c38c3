const startUp = -1;
const query = 'Q'.charCodeAt(0);
const sync = 'S'.charCodeAt(0);
const terminate = 'X'.charCodeAt(0);

/**
 * Collects the bytes that a PostgreSQL client writes and splits them where the server has to answer: after a start-up
 * packet, a Query and a Sync. So a statement with all its messages reaches the worker at once, and an error in the
 * middle is handled as by a real server: the rest is skipped up to the Sync.
 */
export class FrontendMessages {
  #pending: Buffer = Buffer.alloc(0);
  #started = false;

  /** Returns the exchanges that these bytes complete; keeps the rest. */
  add(chunk: Buffer): Uint8Array<ArrayBuffer>[] {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const exchanges: Uint8Array<ArrayBuffer>[] = [];
    let start = 0;
    let position = 0;
    for (;;) {
      const message = this.#messageAt(position);
      if (!message) break;
      position = message.end;
      if (message.type === terminate) start = position;
      if (message.type === startUp || message.type === query || message.type === sync) {
        // Copied into separate memory, which can be transferred to another thread.
        exchanges.push(new Uint8Array(this.#pending.subarray(start, position)));
        start = position;
      }
    }
    this.#pending = this.#pending.subarray(start);
    return exchanges;
  }

  /** Returns the message at this position. Only the start-up packet has no type byte before its length. */
  #messageAt(position: number): { type: number; end: number } | undefined {
    const headerLength = this.#started ? 5 : 4;
    if (this.#pending.length < position + headerLength) return undefined;
    const type = this.#started ? this.#pending.readUInt8(position) : startUp;
    const end = position + headerLength - 4 + this.#pending.readInt32BE(position + headerLength - 4);
    if (this.#pending.length < end) return undefined;
    this.#started = true;
    return { type, end };
  }
}
