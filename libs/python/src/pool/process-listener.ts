import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { once } from 'node:events';
import type { PythonObject } from '@millrace/python-text';
import { FrameDecoder } from '../frames/frame-decoder';
import { memberOf, textOf } from '../frames/members';

/** A process that has connected and said its token. */
export interface ConnectedProcess {
  readonly socket: Socket;
  /** Continues after the greeting. */
  readonly decoder: FrameDecoder;
  readonly hello: PythonObject;
}

/** How long a connection has to say its token. */
const greetingMilliseconds = 10_000;
const maximumGreetingBytes = 64 * 1024;

/** Accepts the connections of forked processes on a socket file. A token is valid once. */
export class ProcessListener {
  readonly #server: Server;
  readonly #maximumFrameBytes: number;
  readonly #expected = new Map<string, (process: ConnectedProcess) => void>();

  private constructor(maximumFrameBytes: number) {
    this.#maximumFrameBytes = maximumFrameBytes;
    this.#server = createServer((socket) => this.#greet(socket));
  }

  static async open(path: string, maximumFrameBytes: number): Promise<ProcessListener> {
    const listener = new ProcessListener(maximumFrameBytes);
    listener.#server.listen(path);
    await once(listener.#server, 'listening');
    listener.#server.unref();
    return listener;
  }

  /** Calls `connected` when a process says this token. Returns a function that makes the token invalid. */
  expect(token: string, connected: (process: ConnectedProcess) => void): () => void {
    this.#expected.set(token, connected);
    return () => void this.#expected.delete(token);
  }

  close(): void {
    this.#expected.clear();
    this.#server.close();
  }

  #greet(socket: Socket): void {
    const decoder = new FrameDecoder(this.#maximumFrameBytes);
    const timer = setTimeout(() => socket.destroy(), greetingMilliseconds);
    let bytes = 0;
    const read = (chunk: Buffer): void => {
      bytes += chunk.length;
      const hello = bytes > maximumGreetingBytes ? null : firstFrame(decoder, chunk);
      if (hello === undefined) return;
      clearTimeout(timer);
      socket.off('data', read);
      socket.pause();
      const token = hello === null ? '' : textOf(hello, 'hello');
      const connected = this.#expected.get(token);
      this.#expected.delete(token);
      if (hello === null || connected === undefined) socket.destroy();
      else connected({ socket, decoder, hello });
    };
    socket.on('data', read);
    socket.on('error', () => undefined);
    socket.once('close', () => clearTimeout(timer));
  }
}

/** Returns undefined while the first frame is incomplete, and null when it is no greeting. */
function firstFrame(decoder: FrameDecoder, chunk: Buffer): PythonObject | null | undefined {
  try {
    for (const frame of decoder.push(chunk)) return memberOf(frame, 'hello') === undefined ? null : frame;
    return undefined;
  } catch {
    return null;
  }
}
