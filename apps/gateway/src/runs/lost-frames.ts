import type { Counter, Logger } from '@millrace/service';
import type { ControlChannel } from './control-channel';
import type { WaitingRun } from './waiting-run';

/** An executor answers within milliseconds, unless its own connection is down as well. */
const ASK_AGAIN_MILLISECONDS = 250;
/** How long nothing may come before the frames count as gone. */
const PATIENCE_MILLISECONDS = 2_000;

export interface LostFramesOptions {
  readonly control: Pick<ControlChannel, 'send'>;
  readonly logger: Logger;
  /** Counts gaps in streams, by what became of them. */
  readonly gaps: Counter;
  /** Nobody has the frames any more. */
  onGone(run: WaitingRun): void;
}

/** Asks executors for frames of streamed runs that did not arrive, until they are there or nobody has them. */
export class LostFrames {
  readonly #options: LostFramesOptions;
  readonly #seeking = new Map<string, NodeJS.Timeout | undefined>();

  constructor(options: LostFramesOptions) {
    this.#options = options;
  }

  /** Asks once; for a run of which frames may be missing without a sign of it. */
  ask(run: WaitingRun): void {
    const { runId } = run.options;
    const { attempt, next } = run;
    void this.#options.control.send({ kind: 'resend-frames', runId, attempt, from: next });
  }

  /** Asks again and again as long as the run misses frames; gives up when nothing comes. */
  seek(run: WaitingRun): void {
    if (!this.#seeking.has(run.options.runId)) this.#tryAgain(run, run.next, performance.now());
  }

  /** The run has ended: nothing is missing any more. */
  forget(runId: string): void {
    clearTimeout(this.#seeking.get(runId));
    this.#seeking.delete(runId);
  }

  close(): void {
    for (const runId of [...this.#seeking.keys()]) this.forget(runId);
  }

  #tryAgain(run: WaitingRun, next: number, since: number): void {
    const { runId } = run.options;
    if (!run.missesFrames) {
      this.#options.gaps.add(1, { outcome: 'filled' });
      return this.forget(runId);
    }
    const now = performance.now();
    const lastProgress = run.next === next ? since : now;
    if (now - lastProgress > PATIENCE_MILLISECONDS) {
      this.forget(runId);
      this.#options.gaps.add(1, { outcome: 'gone' });
      this.#options.logger.warn({ runId, attempt: run.attempt, from: run.next }, 'frames of a run are gone');
      return this.#options.onGone(run);
    }
    this.ask(run);
    const again = () => this.#tryAgain(run, run.next, lastProgress);
    this.#seeking.set(runId, setTimeout(again, ASK_AGAIN_MILLISECONDS));
  }
}
