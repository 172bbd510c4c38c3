import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import type { RunRecord } from '@millrace/runs';
import { RunStream } from './run-stream';

const RESET = 'event: reset\ndata: {}\n\n';

/** The response of a reader that receives one write after another, each when it asks for it. */
class SlowReader extends Writable {
  readonly received: string[] = [];
  #next: () => void = () => undefined;

  writeHead(): this {
    return this;
  }

  override _write(chunk: Buffer, _encoding: string, next: () => void): void {
    this.received.push(chunk.toString());
    this.#next = next;
  }

  async catchUp(): Promise<void> {
    while (this.writableLength > 0) {
      this.#next();
      await new Promise(setImmediate);
    }
  }
}

function openStream() {
  const reader = new SlowReader();
  const stream = new RunStream(reader as unknown as ServerResponse, () => true);
  stream.open(60_000);
  const send = (event: string) => stream.changed([{ run: {} as RunRecord, event }]);
  return { reader, send, end: () => stream.end() };
}

test('a reader that missed events reads the list again, once it has caught up', async () => {
  const { reader, send, end } = openStream();
  const large = 'x'.repeat(300_000);
  for (const event of [large, 'missed', 'missed, too']) send(event);
  await reader.catchUp();
  send('after');
  await reader.catchUp();
  expect(reader.received).toEqual([': connected\n\n', large, RESET, 'after']);
  end();
});

test('a slow reader that missed no event does not read the list again', async () => {
  const { reader, send, end } = openStream();
  const events = Array.from({ length: 3 }, (_, index) => String(index).repeat(50_000));
  for (const event of events) send(event);
  await reader.catchUp();
  expect(reader.received).toEqual([': connected\n\n', ...events]);
  end();
});
