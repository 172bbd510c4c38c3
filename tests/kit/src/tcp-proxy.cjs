const { once } = require('node:events');
const { connect, createServer } = require('node:net');
const { portOf } = require('./ports.cjs');

/** @import { Server, Socket } from 'node:net' */

/**
 * @typedef {{ readonly host: string, readonly port: number }} Target
 *
 * @typedef {object} Conditions
 * @property {number} delayMilliseconds How long each chunk is delayed in each direction.
 * @property {number} sliceBytes The size of the slices in which data is sent; 0 sends chunks as they arrive.
 * @property {boolean} isStalled Forwards nothing, and closes nothing.
 * @property {boolean} isRefusing Resets new connections.
 *
 * @typedef {{ readonly bytes: Buffer, readonly onCut: () => void }} Trap
 *
 * @typedef {object} Link
 * @property {Socket} client
 * @property {Socket} server
 * @property {readonly { pump(): void }[]} flows
 *
 * @typedef {object} ProxyOptions
 * @property {number} [port] The port to listen on; a free one unless given.
 * @property {() => (chunk: Buffer) => void} [observe] Called for each connection; its result is called with what the client
 *   sends.
 */

/** The limit of buffered bytes in one direction of a link before its sender is paused. */
const MAXIMUM_HELD_BYTES = 256 * 1024;

/** A proxy between clients and a server that simulates network faults and counts those that took effect. */
class TcpProxy {
  /** @type {Server} */
  #server;
  /** @type {Set<Link>} */
  #links = new Set();
  #conditions = undisturbed();
  /** @type {Trap | undefined} */
  #trap;
  /** The port on which it listens. */
  port = 0;
  counts = { opened: 0, ended: 0, cut: 0, refused: 0, delayed: 0, sliced: 0, held: 0 };

  /**
   * Listens on the loopback interface; resolves to the proxy.
   * @param {Target} target
   * @param {ProxyOptions} [options]
   * @returns {Promise<TcpProxy>}
   */
  static async listen(target, { port = 0, observe } = {}) {
    const proxy = new TcpProxy(target, observe);
    proxy.#server.listen(port, '127.0.0.1');
    await once(proxy.#server, 'listening');
    proxy.port = portOf(proxy.#server);
    return proxy;
  }

  /**
   * @private
   * @param {Target} target
   * @param {ProxyOptions['observe']} observe
   */
  constructor(target, observe) {
    this.#server = createServer((client) => {
      if (this.#conditions.isRefusing) {
        this.counts.refused += 1;
        client.resetAndDestroy();
        return;
      }
      this.counts.opened += 1;
      const server = connect({ ...target, noDelay: true });
      client.setNoDelay(true);
      if (observe !== undefined) client.on('data', observe());
      const flows = [
        this.#flow(client, server, (chunk) => this.#takeTrap(chunk)),
        this.#flow(server, client),
      ];
      this.#join({ client, server, flows });
    });
  }

  /** The number of open connections. */
  get links() {
    return this.#links.size;
  }

  /**
   * Changes the given conditions; the others stay.
   * @param {Partial<Conditions>} change
   */
  set(change) {
    this.#conditions = { ...this.#conditions, ...change };
    for (const link of this.#links) for (const flow of link.flows) flow.pump();
  }

  /** Ends all disturbances. */
  clear() {
    this.set(undisturbed());
  }

  /** Resets every open connection; returns their number. */
  cut() {
    const count = this.#links.size;
    for (const link of this.#links) reset(link);
    this.counts.cut += count;
    return count;
  }

  /**
   * Resets the connection whose client sends these bytes next; they do not arrive.
   * @param {Buffer} bytes
   * @param {() => void} onCut
   */
  cutAt(bytes, onCut) {
    this.#trap = { bytes, onCut };
  }

  /**
   * Sends bytes on every connection as if they came from the other side.
   * @param {Buffer} bytes
   * @param {{ readonly to: 'client' | 'server' }} side
   */
  inject(bytes, { to }) {
    for (const link of this.#links) link[to].write(bytes);
  }

  async close() {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** @param {Link} link */
  #join(link) {
    const { client, server } = link;
    this.#links.add(link);
    for (const { one, other } of [
      { one: client, other: server },
      { one: server, other: client },
    ]) {
      one.on('error', () => undefined);
      one.on('close', () => {
        if (this.#links.delete(link)) this.counts.ended += 1;
        other.destroy();
      });
    }
  }

  /**
   * Forwards one direction: buffers chunks until they are due and sends them in order.
   * @param {Socket} source
   * @param {Socket} sink
   * @param {(chunk: Buffer) => Trap | undefined} [takeTrap]
   */
  #flow(source, sink, takeTrap = () => undefined) {
    /** @type {{ readonly chunk: Buffer, readonly due: number }[]} */
    const waiting = [];
    let bytes = 0;
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const pump = () => {
      clearTimeout(timer);
      for (let next = waiting[0]; next !== undefined && !this.#conditions.isStalled; next = waiting[0]) {
        const early = next.due - performance.now();
        if (early > 0) {
          timer = setTimeout(pump, early);
          break;
        }
        waiting.shift();
        bytes -= next.chunk.length;
        if (!sink.destroyed) this.#send(sink, next.chunk);
      }
      if (bytes < MAXIMUM_HELD_BYTES) source.resume();
      if (waiting.length === 0 && source.readableEnded) sink.end();
    };
    source.on('data', (/** @type {Buffer} */ chunk) => {
      const trap = takeTrap(chunk);
      if (trap !== undefined) {
        reset({ client: source, server: sink });
        return trap.onCut();
      }
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

  /**
   * @param {Socket} sink
   * @param {Buffer} chunk
   */
  #send(sink, chunk) {
    const { sliceBytes } = this.#conditions;
    if (sliceBytes === 0) {
      sink.write(chunk);
      return;
    }
    for (let from = 0; from < chunk.length; from += sliceBytes) {
      this.counts.sliced += 1;
      sink.write(chunk.subarray(from, from + sliceBytes));
    }
  }

  /**
   * Returns the trap that these bytes of a client spring, once.
   * @param {Buffer} chunk
   */
  #takeTrap(chunk) {
    const trap = this.#trap;
    if (trap === undefined || !chunk.includes(trap.bytes)) return undefined;
    this.#trap = undefined;
    return trap;
  }
}

/** @param {{ readonly client: Socket, readonly server: Socket }} link */
function reset({ client, server }) {
  client.resetAndDestroy();
  server.resetAndDestroy();
}

/** @returns {Conditions} */
function undisturbed() {
  return { delayMilliseconds: 0, sliceBytes: 0, isStalled: false, isRefusing: false };
}

module.exports = { TcpProxy };
