import { SEQUENCE_HEADER } from '@millrace/messages';
import type { OutgoingMessage } from '@millrace/messaging';
import { LRUCache } from 'lru-cache';

/** Limit for one run; older frames are dropped. */
const MAXIMUM_BYTES_A_RUN = 4_194_304;
const MAXIMUM_BYTES = 33_554_432;
/** Size that is counted for a run in addition to its frames; this limits the number of runs. */
const RUN_BYTES = 2_048;
/** A gateway that is unreachable for longer has given up. */
const KEPT_MILLISECONDS = 60_000;

interface SentRun {
  readonly attempt: number;
  readonly frames: OutgoingMessage[];
  readonly bytes: number;
}

/** The latest frames of streamed runs, for gateways whose queue was lost with their connection. */
export class SentFrames {
  readonly #runs = new LRUCache<string, SentRun>({
    maxSize: MAXIMUM_BYTES,
    sizeCalculation: ({ bytes }) => RUN_BYTES + bytes,
    ttl: KEPT_MILLISECONDS,
  });

  /** Keeps a frame; the frames of an attempt must be added in order. */
  add(runId: string, attempt: number, frame: OutgoingMessage): void {
    const before = this.#runs.get(runId);
    const frames = before?.attempt === attempt ? before.frames : [];
    let bytes = (before?.attempt === attempt ? before.bytes : 0) + frame.body.length;
    frames.push(frame);
    while (bytes > MAXIMUM_BYTES_A_RUN) bytes -= frames.shift()?.body.length ?? bytes;
    this.#runs.set(runId, { attempt, frames, bytes });
  }

  /**
   * Returns the frames of the run's newest attempt in this process from `sequence` on; all of them if `attempt` is
   * older.
   */
  since(runId: string, attempt: number, sequence: number): readonly OutgoingMessage[] {
    const run = this.#runs.get(runId);
    if (!run || run.attempt < attempt) return [];
    if (run.attempt > attempt) return run.frames;
    return run.frames.filter(({ headers }) => Number(headers?.[SEQUENCE_HEADER]) >= sequence);
  }
}
