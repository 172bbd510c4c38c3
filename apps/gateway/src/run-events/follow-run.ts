import type { ServerResponse } from 'node:http';
import type { RunRecord, RunStore } from '@millrace/runs';
import { machineTime } from '@millrace/service';
import type { Logger, SharedClock } from '@millrace/service';
import { endedRecord } from '../runs/stored-ending';
import { EventSequence } from './event-sequence';
import type { FollowedEvent } from './event-sequence';
import type { FollowedRuns } from './followed-runs';
import type { EventForm } from './forms/event-form';
import type { RunFrameLog } from './run-frame-log';

const RECORD_CHECK_MILLISECONDS = 1_000;
/** How long frames of an ended run can be in transit. */
const LAST_FRAMES_MILLISECONDS = 2_000;
const KEEP_ALIVE_MILLISECONDS = 15_000;
/** Maximum duration of a stream. A caller that is still connected then resumes after its last event. */
const MAXIMUM_STREAM_MILLISECONDS = 3_600_000;

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
  /** Id of the last event that the caller received; null for none. */
  readonly after: number | null;
  readonly form: EventForm;
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the closing events from the record of an ended run, as JSON texts. */
  closingEvents(record: RunRecord): Promise<readonly string[]>;
}

/**
 * Streams a run's events as server-sent events, from the first one that the caller does not have to the last, for runs
 * in progress and ended runs. A slow reader delays only itself, since its events stay in the log.
 */
export async function followRun(
  { log, runs, followed, logger, clock }: FollowRunOptions,
  response: ServerResponse,
  { userId, runId, after, form, headers, closingEvents }: Following,
): Promise<void> {
  const removeFollower = followed.addFollower(userId);
  const writer = new EventWriter(response, after ?? -1);
  const sequence = new EventSequence();
  let position = 0;
  let nextRecordCheckAt = 0;
  let checksOftenUntil = 0;
  const endAt = machineTime() + MAXIMUM_STREAM_MILLISECONDS;
  let ended: { readonly record: RunRecord; readonly seenAt: number } | null = null;
  try {
    writer.open(headers);
    await writer.write(form.opening());
    while (writer.isOpen && !followed.isClosed && machineTime() < endAt) {
      const wasEnded = ended !== null;
      const frames = await log.read(runId, position).catch((error: unknown) => {
        logger.debug({ error, runId }, 'the events of a run could not be read');
        return [];
      });
      position += frames.length;
      for (const frame of frames) await writer.write(form.running(sequence.add(frame)));
      if (frames.length > 0) checksOftenUntil = machineTime() + LAST_FRAMES_MILLISECONDS;
      if (frames.length > 0 && !sequence.isComplete) continue;
      if (ended && wasEnded && (sequence.isComplete || isLongAgo(ended, clock))) {
        await writer.write(form.running(sequence.flush()));
        const isSuspended = ended.record.status === 'suspended';
        await writer.write(form.closing(await closingEvents(ended.record), isSuspended));
        break;
      }
      // A run that was answered can wait for its next attempt for long.
      const checksOften = sequence.isComplete && machineTime() < checksOftenUntil;
      if (!ended && (checksOften || machineTime() >= nextRecordCheckAt)) {
        nextRecordCheckAt = machineTime() + RECORD_CHECK_MILLISECONDS;
        const record = await endedRecord(runs, userId, runId).catch((error: unknown) => {
          logger.debug({ error, runId }, 'the record of a followed run could not be read');
          return undefined;
        });
        if (record === null) {
          // The run was deleted, with its flow or alone.
          await writer.write(form.running(sequence.flush()));
          await writer.write(form.closing([], false));
          break;
        }
        if (record) {
          ended = { record, seenAt: clock.now() };
          continue;
        }
      }
      await followed.waitForFrame(runId);
    }
  } finally {
    removeFollower();
    writer.close();
  }
}

/** Returns whether the run ended so long ago that its last frames must have arrived. */
function isLongAgo(
  { record, seenAt }: { readonly record: RunRecord; readonly seenAt: number },
  clock: SharedClock,
): boolean {
  const finishedAt = record.finishedAt?.getTime() ?? seenAt;
  return clock.now() - Math.min(finishedAt, seenAt) > LAST_FRAMES_MILLISECONDS;
}

/** Writes events in the framing of server-sent events, with backpressure. */
class EventWriter {
  readonly #response: ServerResponse;
  readonly #after: number;
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, after: number) {
    this.#response = response;
    this.#after = after;
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

  /** Writes events that the reader does not have yet: each has a higher id than the ones before it. Resolves when it can receive more or has disconnected. */
  async write(events: readonly FollowedEvent[]): Promise<void> {
    const text = events
      .filter(({ id }) => id > this.#after)
      .map((event) => `id: ${event.id}\ndata: ${event.text}\n\n`)
      .join('');
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
