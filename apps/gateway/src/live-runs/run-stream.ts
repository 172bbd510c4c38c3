import type { ServerResponse } from 'node:http';
import type { RunRecord } from '@millrace/runs';
import type { ChangedRun, RunListener } from './live-runs';

const HEARTBEAT_MILLISECONDS = 15_000;
/** Unsent bytes of one reader; events beyond them are left out, and the reader gets `reset` once it has caught up. */
const MAXIMUM_BUFFERED_BYTES = 262_144;

/** Writes the changes of the runs that a caller may see as server-sent events. */
export class RunStream implements RunListener {
  readonly #response: ServerResponse;
  readonly #selects: (run: RunRecord) => boolean;
  #isOpen = false;
  #hasMissed = false;
  #heartbeat: NodeJS.Timeout | undefined;
  #end: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, selects: (run: RunRecord) => boolean) {
    this.#response = response;
    this.#selects = selects;
  }

  /** Starts the stream, which ends after the given time. Later changes are written. */
  open(maximumMilliseconds: number): void {
    const response = this.#response;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    response.write(': connected\n\n');
    this.#isOpen = true;
    this.#heartbeat = setInterval(() => this.#write(': keep-alive\n\n'), HEARTBEAT_MILLISECONDS);
    this.#end = setTimeout(() => this.end(), maximumMilliseconds);
    response.on('drain', () => this.#catchUp());
    response.once('close', () => this.#clear());
  }

  changed(runs: readonly ChangedRun[]): void {
    const selected = runs.filter(({ run }) => this.#selects(run));
    if (selected.length > 0) this.#write(selected.map(({ event }) => event).join(''));
  }

  reset(): void {
    this.#write('event: reset\ndata: {}\n\n');
  }

  end(): void {
    this.#clear();
    if (this.#isOpen && !this.#response.writableEnded) this.#response.end();
  }

  #write(text: string): void {
    const response = this.#response;
    if (!this.#isOpen || response.writableEnded || response.destroyed) return;
    if (response.writableLength > MAXIMUM_BUFFERED_BYTES) this.#hasMissed = true;
    else response.write(text);
  }

  #catchUp(): void {
    if (!this.#hasMissed) return;
    this.#hasMissed = false;
    this.reset();
  }

  #clear(): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#end);
  }
}
