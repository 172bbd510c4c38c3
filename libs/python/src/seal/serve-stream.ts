import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { OutgoingRefusedError, TimeoutError, withDeadline } from '@millrace/service';
import type { OutgoingDial } from '@millrace/service';
import { parseProxyRequest } from './proxy-request';
import type { ProxyTarget } from './proxy-request';

const MAXIMUM_HEAD_BYTES = 32_768;
/** Time for a client to read the answer to a request that was not forwarded. */
const DROP_MILLISECONDS = 5_000;

export interface EgressDeadlines {
  /** Time to send the head of a request. */
  readonly headMilliseconds: number;
  /** Time without a byte in either direction after which a connection is closed. */
  readonly idleMilliseconds: number;
}

/** How a request ended: connected, or why not. */
export interface EgressOutcome {
  readonly outcome: 'connected' | 'refused' | 'unreachable' | 'invalid';
  readonly target?: ProxyTarget;
  readonly reason?: string;
}

/**
 * Serves one connection of a client: reads its request, dials, answers, and passes the bytes on until both sides have
 * ended. Resolves when that is decided; the connection can still be open.
 */
export async function serveStream(
  stream: Duplex,
  dial: OutgoingDial,
  deadlines: EgressDeadlines,
): Promise<EgressOutcome> {
  let head: string;
  try {
    const { headMilliseconds } = deadlines;
    const late = `no request within ${headMilliseconds} ms`;
    head = await withDeadline(readHead(stream), headMilliseconds, late);
  } catch (error) {
    stream.destroy();
    return { outcome: 'invalid', reason: textOf(error) };
  }
  const request = parseProxyRequest(head);
  if (request.kind === 'invalid') {
    answer(stream, 400, request.reason);
    return { outcome: 'invalid', reason: request.reason };
  }
  const target = { host: request.host, port: request.port };
  try {
    const socket = await dialUnlessClosed(stream, dial, target);
    if (request.kind === 'forward') socket.write(request.head, 'latin1');
    else stream.write('HTTP/1.1 200 Connection established\r\n\r\n');
    join(stream, socket, deadlines.idleMilliseconds);
    return { outcome: 'connected', target };
  } catch (error) {
    const isRefused = error instanceof OutgoingRefusedError;
    const status = isRefused ? 403 : error instanceof TimeoutError ? 504 : 502;
    answer(stream, status, textOf(error));
    return { outcome: isRefused ? 'refused' : 'unreachable', target, reason: textOf(error) };
  }
}

/** Reads up to the empty line, which is left out; what follows stays in the stream. */
async function readHead(stream: Duplex): Promise<string> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const chunk = stream.read() as Buffer | null;
    if (chunk === null) {
      await readable(stream);
      continue;
    }
    bytes = Buffer.concat([bytes, chunk]);
    const end = bytes.indexOf('\r\n\r\n');
    if (end >= 0 && end <= MAXIMUM_HEAD_BYTES) {
      if (bytes.length > end + 4) stream.unshift(bytes.subarray(end + 4));
      return bytes.toString('latin1', 0, end);
    }
    if (bytes.length > MAXIMUM_HEAD_BYTES) throw new Error(`a head of more than ${MAXIMUM_HEAD_BYTES} bytes`);
  }
}

function readable(stream: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      stream.off('readable', settle).off('end', ended).off('close', ended);
      if (error === undefined) resolve();
      else reject(error);
    };
    const ended = (): void => settle(new Error('the connection ended before its request'));
    if (stream.destroyed || stream.readableEnded) return ended();
    stream.once('readable', settle).once('end', ended).once('close', ended);
  });
}

async function dialUnlessClosed(stream: Duplex, dial: OutgoingDial, target: ProxyTarget): Promise<Socket> {
  const closed = new AbortController();
  const abort = (): void => closed.abort(new Error('the connection was closed'));
  if (stream.destroyed) abort();
  stream.once('close', abort);
  return await dial(target, closed.signal);
}

/** Passes bytes on in both directions; an error or silence ends both. */
function join(stream: Duplex, socket: Socket, idleMilliseconds: number): void {
  const end = (): void => {
    stream.destroy();
    socket.destroy();
  };
  socket.setTimeout(idleMilliseconds, end);
  socket.once('error', end).once('close', () => {
    // What was read from the server can still be on its way to the client.
    if (socket.readableEnded && !stream.writableFinished) stream.once('finish', end);
    else end();
  });
  stream.once('error', end).once('close', end);
  socket.pipe(stream);
  stream.pipe(socket);
}

function answer(stream: Duplex, status: number, text: string): void {
  const body = `${text}\n`;
  const head = [
    `HTTP/1.1 ${status} ${status === 403 ? 'Forbidden' : status === 400 ? 'Bad Request' : 'Bad Gateway'}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  stream.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // The client reads the answer only when it could send its whole request, which is dropped.
  stream.resume();
  const timer = setTimeout(() => stream.destroy(), DROP_MILLISECONDS);
  stream.once('close', () => clearTimeout(timer));
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
