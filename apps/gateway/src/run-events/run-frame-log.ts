import type { KeyValueStore } from '@millrace/key-value';

const KEPT_MILLISECONDS = 3_600_000;
/** What a run may say is bounded by its own limits; this is the net below them. */
const MAXIMUM_FRAMES = 100_000;
const FRAMES_A_READ = 200;

/** One reply of an executor: the events of a moment, one JSON object a line, or the word that no more will come. */
export interface RunFrame {
  readonly attempt: number;
  /** Counts the frames of an attempt from 0. */
  readonly sequence: number;
  readonly isFinal: boolean;
  readonly lines: string;
}

/**
 * The frames of followed runs, in the key-value store for an hour after the last one, where every gateway reads them.
 * They may stand there twice or out of order: readers go by attempt and sequence. Both methods reject with
 * KeyValueUnavailableError.
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

  /** Some of the frames from this position on; none when there are no more yet. */
  async read(runId: string, position: number): Promise<readonly RunFrame[]> {
    const entries = await this.#keyValue.range(keyOf(runId), position, position + FRAMES_A_READ - 1);
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
