import { connect, createServer } from 'node:net';

/** What may wait in one direction of one link before its sender is held back. */
const MAXIMUM_HELD_BYTES = 256 * 1024;

/**
 * Stands between one service and one server and does what networks do: `set({ delayMilliseconds, sliceBytes,
 * isStalled, isRefusing })`, `cut()`. `counts` tells what of it really happened.
 */
export class TcpProxy {
  #server;
  #links = new Set();
  #weather = fair();
  counts = { opened: 0, ended: 0, cut: 0, refused: 0, delayed: 0, sliced: 0, held: 0 };

  /** Listens on a free port of the loopback interface, or on the one given. */
  static async listen(target) {
    const proxy = new TcpProxy(target);
    await new Promise((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  constructor(target) {
    this.#server = createServer((client) => {
      if (this.#weather.isRefusing) {
        this.counts.refused += 1;
        client.resetAndDestroy();
        return;
      }
      this.counts.opened += 1;
      const server = connect({ ...target, noDelay: true });
      client.setNoDelay(true);
      const link = { client, server, flows: [] };
      link.flows = [this.#flow(client, server), this.#flow(server, client)];
      this.#links.add(link);
      for (const [one, other] of [
        [client, server],
        [server, client],
      ]) {
        one.on('error', () => undefined);
        one.on('close', () => {
          if (this.#links.delete(link)) this.counts.ended += 1;
          other.destroy();
        });
      }
    });
  }

  get port() {
    return this.#server.address().port;
  }

  get links() {
    return this.#links.size;
  }

  set(change) {
    this.#weather = { ...this.#weather, ...change };
    for (const link of this.#links) for (const flow of link.flows) flow.pump();
  }

  clear() {
    this.set(fair());
  }

  /** Resets every connection there is; resolves to how many there were. */
  cut() {
    const count = this.#links.size;
    for (const { client, server } of this.#links) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
    this.counts.cut += count;
    return count;
  }

  async close() {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** One direction: what was read waits here for its time and goes on in order. */
  #flow(source, sink) {
    const waiting = [];
    let bytes = 0;
    let timer;
    const pump = () => {
      clearTimeout(timer);
      while (waiting.length > 0 && !this.#weather.isStalled) {
        const early = waiting[0].due - performance.now();
        if (early > 0) {
          timer = setTimeout(pump, early);
          break;
        }
        const { chunk } = waiting.shift();
        bytes -= chunk.length;
        if (!sink.destroyed) this.#send(sink, chunk);
      }
      if (bytes < MAXIMUM_HELD_BYTES) source.resume();
      if (waiting.length === 0 && source.readableEnded) sink.end();
    };
    source.on('data', (chunk) => {
      const { delayMilliseconds, isStalled } = this.#weather;
      if (delayMilliseconds > 0) this.counts.delayed += 1;
      if (isStalled) this.counts.held += 1;
      waiting.push({ chunk, due: performance.now() + delayMilliseconds });
      bytes += chunk.length;
      if (bytes >= MAXIMUM_HELD_BYTES) source.pause();
      pump();
    });
    source.on('end', pump);
    return { pump };
  }

  #send(sink, chunk) {
    const { sliceBytes } = this.#weather;
    if (sliceBytes === 0) return sink.write(chunk);
    for (let from = 0; from < chunk.length; from += sliceBytes) {
      this.counts.sliced += 1;
      sink.write(chunk.subarray(from, from + sliceBytes));
    }
  }
}

function fair() {
  return { delayMilliseconds: 0, sliceBytes: 0, isStalled: false, isRefusing: false };
}
