import type { ServerResponse } from 'node:http';
import type { RunRecord, RunStore } from '@millrace/runs';
import type { Logger, SharedClock } from '@millrace/service';
import { storedEnding } from '../runs/durable-runs';
import { closingEventId } from './event-id';
import { EventSequence } from './event-sequence';
import type { FollowedEvent } from './event-sequence';
import type { FollowedRuns } from './followed-runs';
import type { RunFrameLog } from './run-frame-log';

const LOOK_AT_RECORD_MILLISECONDS = 1_000;
/** How long frames of an ended run may be on their way. */
const LAST_FRAMES_MILLISECONDS = 2_000;
const KEEP_ALIVE_MILLISECONDS = 15_000;
/** Then the caller, if it is still there, comes back with the last event it has. */
const LONGEST_STAY_MILLISECONDS = 3_600_000;

export interface FollowRunOptions {
  readonly log: RunFrameLog;
  readonly runs: RunStore;
  readonly followed: FollowedRuns;
  readonly logger: Logger;
  readonly clock: SharedClock;
}

export interface Following {
  readonly userId: string;
  readonly runId: string;
  /** Id of the last event the caller has; 0 when it has none. */
  readonly after: number;
  readonly headers: Readonly<Record<string, string>>;
  /** What follows from the run's record, when it has ended: JSON texts. */
  closing(record: RunRecord): Promise<readonly string[]>;
}

/**
 * Answers with a run's events as server-sent events, from the first one the caller does not have to the last, whether
 * the run goes on or ended long ago. A slow reader slows only itself: what it has not read stays in the log.
 */
export async function followRun(
  { log, runs, followed, logger, clock }: FollowRunOptions,
  response: ServerResponse,
  { userId, runId, after, headers, closing }: Following,
): Promise<void> {
  const leave = followed.enter();
  const writer = new EventWriter(response, after);
  const sequence = new EventSequence();
  let position = 0;
  let lookAt = 0;
  const leaveAt = Date.now() + LONGEST_STAY_MILLISECONDS;
  let ended: { readonly record: RunRecord; readonly seenAt: number } | null = null;
  try {
    writer.open(headers);
    while (writer.isOpen && !followed.isClosed && Date.now() < leaveAt) {
      const wasEnded = ended !== null;
      const frames = await log.read(runId, position).catch((error: unknown) => {
        logger.debug({ error, runId }, 'the events of a run could not be read');
        return [];
      });
      position += frames.length;
      for (const frame of frames) await writer.write(sequence.add(frame));
      if (frames.length > 0 && !sequence.isComplete) continue;
      if (ended && wasEnded && (sequence.isComplete || isLongAgo(ended, clock))) {
        await writer.write(sequence.flush());
        const texts = await closing(ended.record);
        await writer.write(texts.map((text, index) => ({ id: closingEventId(index + 1), text })));
        break;
      }
      if (!ended && (sequence.isComplete || Date.now() >= lookAt)) {
        lookAt = Date.now() + LOOK_AT_RECORD_MILLISECONDS;
        const record = await runs.find(userId, runId).catch((error: unknown) => {
          logger.debug({ error, runId }, 'the record of a followed run could not be read');
          return undefined;
        });
        if (record === null) break;
        if (record && storedEnding(record)) {
          ended = { record, seenAt: clock.now() };
          continue;
        }
      }
      await followed.next(runId);
    }
  } finally {
    leave();
    writer.close();
  }
}

/** The database says when a run ended. */
function isLongAgo(
  { record, seenAt }: { readonly record: RunRecord; readonly seenAt: number },
  clock: SharedClock,
): boolean {
  const finishedAt = record.finishedAt?.getTime() ?? seenAt;
  return clock.now() - Math.min(finishedAt, seenAt) > LAST_FRAMES_MILLISECONDS;
}

/** Writes events in the framing of server-sent events, as fast as the reader takes them. */
class EventWriter {
  readonly #response: ServerResponse;
  #last: number;
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, after: number) {
    this.#response = response;
    this.#last = after;
  }

  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  open(headers: Readonly<Record<string, string>>): void {
    this.#response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    this.#response.flushHeaders();
    this.#keepAlive = setInterval(() => {
      if (this.isOpen && this.#response.writableLength === 0) this.#response.write(': keep-alive\n\n');
    }, KEEP_ALIVE_MILLISECONDS);
  }

  /** Resolves when the reader can take more, or has left. Events it has already are passed over. */
  async write(events: readonly FollowedEvent[]): Promise<void> {
    let text = '';
    for (const event of events) {
      if (event.id <= this.#last) continue;
      this.#last = event.id;
      text += `id: ${event.id}\ndata: ${event.text}\n\n`;
    }
    if (text === '' || !this.isOpen || this.#response.write(text)) return;
    const response = this.#response;
    await new Promise<void>((resolve) => {
      const end = () => {
        response.off('drain', end).off('close', end);
        resolve();
      };
      response.on('drain', end).on('close', end);
    });
  }

  close(): void {
    clearInterval(this.#keepAlive);
    if (this.isOpen) this.#response.end();
  }
}
