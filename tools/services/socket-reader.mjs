import { connect as connectPlain } from 'node:net';
import { connect as connectSecure } from 'node:tls';

/** A connection whose bytes are asked for by count; each wait has a deadline. */
export class SocketReader {
  #socket;
  #received = Buffer.alloc(0);
  #waiting;
  #ended;
  #deadlineMilliseconds;

  constructor(socket, deadlineMilliseconds) {
    this.#socket = socket;
    this.#deadlineMilliseconds = deadlineMilliseconds;
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#waiting?.();
    });
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end(new Error('the server closed the connection')));
  }

  static connect({ host, port, secure = false, deadlineMilliseconds = 5000 }) {
    return new Promise((resolve, reject) => {
      const socket = secure ? connectSecure({ host, port, servername: host }) : connectPlain({ host, port });
      const timer = setTimeout(() => {
        socket.destroy();
        reject(new Error(`no connection within ${deadlineMilliseconds} ms`));
      }, deadlineMilliseconds);
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        clearTimeout(timer);
        socket.removeAllListeners('error');
        resolve(new SocketReader(socket, deadlineMilliseconds));
      });
      socket.once('error', (error) => {
        clearTimeout(timer);
        reject(error);
      });
    });
  }

  write(bytes) {
    this.#socket.write(bytes);
  }

  /** Resolves to the next `count` bytes. */
  async read(count) {
    await this.#until(() => this.#received.length >= count);
    return this.#take(count);
  }

  /** Resolves to the next line, without its CRLF. */
  async readLine() {
    await this.#until(() => this.#received.includes('\r\n'));
    const length = this.#received.indexOf('\r\n');
    return this.#take(length + 2).toString('utf8', 0, length);
  }

  close() {
    this.#socket.destroy();
  }

  #take(count) {
    const bytes = this.#received.subarray(0, count);
    this.#received = this.#received.subarray(count);
    return bytes;
  }

  #end(error) {
    this.#ended ??= error;
    this.#waiting?.();
  }

  async #until(isThere) {
    const end = Date.now() + this.#deadlineMilliseconds;
    while (!isThere()) {
      if (this.#ended !== undefined) throw this.#ended;
      const left = end - Date.now();
      if (left <= 0) throw new Error(`no answer within ${this.#deadlineMilliseconds} ms`);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#waiting = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#waiting = undefined;
    }
  }
}
