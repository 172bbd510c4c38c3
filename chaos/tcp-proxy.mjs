import { connect, createServer } from 'node:net';

/** The limit of buffered bytes in one direction of a link before its sender is paused. */
const MAXIMUM_HELD_BYTES = 256 * 1024;

/**
 * A proxy between one service and one server that simulates network faults: `set({ delayMilliseconds, sliceBytes,
 * isStalled, isRefusing })`, `cut()`. `counts` counts the faults that took effect.
 */
export class TcpProxy {
  #server;
  #links = new Set();
  #conditions = undisturbed();
  counts = { opened: 0, ended: 0, cut: 0, refused: 0, delayed: 0, sliced: 0, held: 0 };

  /** Listens on a free port of the loopback interface; resolves to the proxy. */
  static async listen(target) {
    const proxy = new TcpProxy(target);
    await new Promise((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  constructor(target) {
    this.#server = createServer((client) => {
      if (this.#conditions.isRefusing) {
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
    this.#conditions = { ...this.#conditions, ...change };
    for (const link of this.#links) for (const flow of link.flows) flow.pump();
  }

  clear() {
    this.set(undisturbed());
  }

  /** Resets every open connection; returns their number. */
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

  /** Forwards one direction: buffers chunks until they are due and sends them in order. */
  #flow(source, sink) {
    const waiting = [];
    let bytes = 0;
    let timer;
    const pump = () => {
      clearTimeout(timer);
      while (waiting.length > 0 && !this.#conditions.isStalled) {
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
      const { delayMilliseconds, isStalled } = this.#conditions;
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
    const { sliceBytes } = this.#conditions;
    if (sliceBytes === 0) return sink.write(chunk);
    for (let from = 0; from < chunk.length; from += sliceBytes) {
      this.counts.sliced += 1;
      sink.write(chunk.subarray(from, from + sliceBytes));
    }
  }
}

function undisturbed() {
  return { delayMilliseconds: 0, sliceBytes: 0, isStalled: false, isRefusing: false };
}
