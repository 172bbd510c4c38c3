import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMetrics, createOutgoingDial } from '@millrace/service';
import {
  EgressFrameDecoder,
  EgressProtocolError,
  FrameKind,
  frameHeader,
  WINDOW_BYTES,
} from './egress-frames';
import type { EgressFrame } from './egress-frames';
import { EgressProxy } from './egress-proxy';
import { EgressStream } from './egress-stream';

const folder = mkdtempSync(join(tmpdir(), 'egress-'));
const path = join(folder, 'egress.sock');
const metrics = createMetrics();
const lines: object[] = [];
let proxy: EgressProxy;

beforeAll(async () => {
  const note = (fields: object) => void lines.push(fields);
  proxy = await EgressProxy.start({
    path,
    dial: createOutgoingDial({ allow: [] }),
    logger: { info: note, warn: note, error: note },
    metrics,
    maximumConnections: 2,
    headMilliseconds: 300,
  });
});
afterAll(async () => {
  await proxy.close();
  await metrics.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => void lines.splice(0));

/** A process that speaks the protocol as it likes. */
async function hostileProcess(): Promise<{
  send(kind: number, stream: number, payload?: string | Buffer, value?: number): void;
  frames(count: number): Promise<EgressFrame[]>;
  closed: Promise<unknown>;
  socket: Socket;
}> {
  const socket = connect(path);
  const decoder = new EgressFrameDecoder();
  const received: EgressFrame[] = [];
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('data', (chunk) => void received.push(...decoder.decode(chunk)));
  await once(socket, 'connect');
  return {
    socket,
    closed,
    send: (kind, stream, payload = '', value = Buffer.byteLength(payload)) =>
      void socket.write(Buffer.concat([frameHeader(kind, stream, value), Buffer.from(payload)])),
    frames: async (count) => {
      while (received.length < count) await once(socket, 'data');
      return received;
    },
  };
}

test('a process that names itself twice keeps its first name', async () => {
  const { send, frames, socket } = await hostileProcess();
  send(FrameKind.hello, 0, 'first');
  send(FrameKind.hello, 0, 'second');
  send(FrameKind.open, 1);
  send(FrameKind.data, 1, 'CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n');
  const text = (await frames(2)).map(({ payload }) => payload.toString()).join('');
  expect(text).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n[^]*127\.0\.0\.1 is not a public address\n$/);
  expect(lines).toEqual([
    {
      process: 'first',
      outcome: 'refused',
      host: '127.0.0.1',
      port: 1,
      reason: '127.0.0.1 is not a public address',
    },
  ]);
  socket.destroy();
});

test('a request that is not one of a proxy is answered 400', async () => {
  const { send, frames, socket } = await hostileProcess();
  send(FrameKind.open, 1);
  send(FrameKind.data, 1, 'GET /path HTTP/1.1\r\n\r\n');
  const text = (await frames(2)).map(({ payload }) => payload.toString()).join('');
  expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  socket.destroy();
});

test('a connection that sends no request ends at its deadline', async () => {
  const { send, frames, socket } = await hostileProcess();
  send(FrameKind.open, 1);
  send(FrameKind.data, 1, 'CONNECT ');
  const kinds = (await frames(2)).map(({ kind }) => kind);
  expect(kinds).toEqual([FrameKind.credit, FrameKind.reset]);
  expect(lines).toEqual([
    expect.objectContaining({ outcome: 'invalid', reason: 'no request within 300 ms' }),
  ]);
  socket.destroy();
});

test('a head without end is refused', async () => {
  const { send, frames, socket } = await hostileProcess();
  send(FrameKind.open, 1);
  send(FrameKind.data, 1, Buffer.alloc(40_000, 'x'));
  expect((await frames(2)).at(-1)?.kind).toBe(FrameKind.reset);
  socket.destroy();
});

test('connections beyond the maximum are refused', async () => {
  const { send, frames, socket } = await hostileProcess();
  for (const stream of [1, 2, 3]) send(FrameKind.open, stream);
  expect(await frames(1)).toMatchObject([{ kind: FrameKind.reset, streamId: 3 }]);
  socket.destroy();
});

test.each<[string, (send: (kind: number, stream: number, payload?: Buffer, value?: number) => void) => void]>(
  [
    ['a frame of an unknown kind', (send) => send(9, 1)],
    ['a frame that is too long', (send) => send(FrameKind.data, 1, Buffer.alloc(0), 100_000)],
    ['the same stream twice', (send) => send(FrameKind.open, 1)],
    ['credit that it was not owed', (send) => send(FrameKind.credit, 1, Buffer.alloc(0), 1)],
    [
      'bytes after the end of a stream',
      (send) => {
        send(FrameKind.end, 1);
        send(FrameKind.data, 1, Buffer.from('x'));
      },
    ],
  ],
)('a process that sends %s is cut off', async (title, misbehave) => {
  const { send, closed } = await hostileProcess();
  send(FrameKind.hello, 0, title);
  send(FrameKind.open, 1);
  misbehave(send);
  await closed;
  expect(lines).toContainEqual(expect.objectContaining({ outcome: 'cut_off', process: title }));
});

test('a stream takes no more than its window while it is not read', () => {
  const stream = new EgressStream({ send: () => true, canSend: () => true });
  stream.receive(Buffer.alloc(WINDOW_BYTES));
  expect(() => stream.receive(Buffer.alloc(1))).toThrow(EgressProtocolError);
});

test('a process that makes the proxy answer and does not read is cut off', async () => {
  const { socket, closed, send: sendFrame } = await hostileProcess();
  sendFrame(FrameKind.hello, 0, 'greedy');
  socket.pause();
  const excess = Buffer.concat(
    Array.from({ length: 5_000 }, (_, index) => frameHeader(FrameKind.open, index + 1, 0)),
  );
  const send = (): void => {
    while (!socket.destroyed && socket.write(excess));
  };
  socket.on('drain', send);
  send();
  await closed;
  expect(await metrics.prometheusText()).toMatch(
    /millrace_python_egress_total\{[^}]*outcome="cut_off"[^}]*\} [1-9]/,
  );
});
