import type { ServerResponse } from 'node:http';
import type { FlowEvent } from '@millrace/messages';
import { machineTime } from '@millrace/service';
import type { Watcher } from './flow-watch';

const HEARTBEAT_MILLISECONDS = 30_000;
/** Maximum number of unsent bytes; a slower watcher is disconnected. */
const MAXIMUM_BUFFERED_BYTES = 1_048_576;

/** Writes a flow's events as server-sent events, with a heartbeat after 30 s without an event. */
export class WatcherStream implements Watcher {
  readonly #response: ServerResponse;
  readonly #earlyEvents: FlowEvent[] = [];
  #isOpen = false;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Starts the stream with this event, followed by those that arrived before. */
  open(first: FlowEvent): void {
    const response = this.#response;
    if (response.destroyed) return;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    this.#isOpen = true;
    this.#heartbeat = setInterval(
      () => this.event({ event: 'heartbeat', data: { timestamp: machineTime() / 1000 } }),
      HEARTBEAT_MILLISECONDS,
    );
    response.once('close', () => clearInterval(this.#heartbeat));
    for (const event of [first, ...this.#earlyEvents.splice(0)]) this.event(event);
  }

  event(event: FlowEvent): void {
    const response = this.#response;
    if (!this.#isOpen) return void this.#earlyEvents.push(event);
    if (response.writableEnded || response.destroyed) return;
    this.#heartbeat?.refresh();
    response.write(`event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`);
    if (response.writableLength > MAXIMUM_BUFFERED_BYTES) response.destroy();
  }

  end(): void {
    clearInterval(this.#heartbeat);
    if (this.#isOpen && !this.#response.writableEnded) this.#response.end();
  }
}
