import type { KeyValueStore } from '@millrace/key-value';

const KEPT_MILLISECONDS = 3_600_000;
/** The output of a run has its own limits; this one is a safeguard. */
const MAXIMUM_FRAMES = 100_000;
const FRAMES_PER_READ = 200;

/** One frame of an executor: events, one JSON object a line, or the marker of the end. */
export interface RunFrame {
  readonly attempt: number;
  /** Counts the frames of an attempt from 0. */
  readonly sequence: number;
  readonly isFinal: boolean;
  readonly lines: string;
}

/**
 * Stores the frames of followed runs in the key-value store, where every gateway reads them, until an hour after the
 * last one. Frames can be stored twice or out of order; readers order them by attempt and sequence number. Both methods
 * reject with KeyValueUnavailableError.
 */
export class RunFrameLog {
  readonly #keyValue: Pick<KeyValueStore, 'append' | 'range'>;

  constructor({ keyValue }: { readonly keyValue: Pick<KeyValueStore, 'append' | 'range'> }) {
    this.#keyValue = keyValue;
  }

  async append(runId: string, { attempt, sequence, isFinal, lines }: RunFrame): Promise<void> {
    const entry = `${attempt} ${sequence} ${isFinal ? 1 : 0} ${lines}`;
    const options = { maximumLength: MAXIMUM_FRAMES, ttlMilliseconds: KEPT_MILLISECONDS };
    await this.#keyValue.append(keyOf(runId), [entry], options);
  }

  /** Resolves to up to FRAMES_PER_READ frames from this position; to none when there are no more yet. */
  async read(runId: string, position: number): Promise<readonly RunFrame[]> {
    const entries = await this.#keyValue.range(keyOf(runId), position, position + FRAMES_PER_READ - 1);
    return entries.map(frameOf);
  }
}

function keyOf(runId: string): string {
  return `run-events:${runId}`;
}

function frameOf(entry: string): RunFrame {
  const [, attempt, sequence, final, lines = ''] = /^(\d+) (\d+) ([01]) ([^]*)$/.exec(entry) ?? [];
  return { attempt: Number(attempt), sequence: Number(sequence), isFinal: final === '1', lines };
}
