import type { Counter, Logger } from '@millrace/service';
import type { ControlChannel } from './control-channel';
import type { PendingRun } from './pending-run';

/** An executor responds within milliseconds, unless its own connection is down as well. */
const RETRY_MILLISECONDS = 250;
/** How long to wait without progress before the frames count as lost. */
const NO_PROGRESS_MILLISECONDS = 2_000;

export interface LostFramesOptions {
  readonly control: Pick<ControlChannel, 'send'>;
  readonly logger: Logger;
  /** Counts gaps in streams by outcome. */
  readonly gaps: Counter;
  /** The missing frames can no longer be obtained. */
  onLost(run: PendingRun): void;
}

/** Requests missing frames of streamed runs from executors until they arrive or count as lost. */
export class LostFrames {
  readonly #options: LostFramesOptions;
  readonly #retries = new Map<string, NodeJS.Timeout | undefined>();

  constructor(options: LostFramesOptions) {
    this.#options = options;
  }

  /** Requests frames once, for a run that may have undetected missing frames. */
  requestOnce(run: PendingRun): void {
    const { runId } = run.options;
    const { attempt, nextSequence } = run;
    void this.#options.control.send({ kind: 'resend-frames', runId, attempt, from: nextSequence });
  }

  /** Requests frames repeatedly while any are missing. Gives up when there is no progress. */
  requestUntilComplete(run: PendingRun): void {
    if (!this.#retries.has(run.options.runId)) this.#retry(run, run.nextSequence, performance.now());
  }

  /** Stops requesting frames of a run that has ended. */
  stop(runId: string): void {
    clearTimeout(this.#retries.get(runId));
    this.#retries.delete(runId);
  }

  close(): void {
    for (const runId of [...this.#retries.keys()]) this.stop(runId);
  }

  #retry(run: PendingRun, next: number, since: number): void {
    const { runId } = run.options;
    if (!run.hasMissingFrames) {
      this.#options.gaps.add(1, { outcome: 'filled' });
      return this.stop(runId);
    }
    const now = performance.now();
    const lastProgress = run.nextSequence === next ? since : now;
    if (now - lastProgress > NO_PROGRESS_MILLISECONDS) {
      this.stop(runId);
      this.#options.gaps.add(1, { outcome: 'gone' });
      this.#options.logger.warn(
        { runId, attempt: run.attempt, from: run.nextSequence },
        'frames of a streamed run are lost',
      );
      return this.#options.onLost(run);
    }
    this.requestOnce(run);
    const again = () => this.#retry(run, run.nextSequence, lastProgress);
    this.#retries.set(runId, setTimeout(again, RETRY_MILLISECONDS));
  }
}
