import type { ControlMessage } from '@millrace/contracts';
import type { RunTrace } from '@millrace/runs';
import type { ControlChannel } from './control-channel';

/** How long to wait for the executor; the broker takes a few milliseconds, a busy executor longer. */
const ANSWER_TIMEOUT_MILLISECONDS = 1_000;

export interface LiveVerticesOptions {
  readonly control: Pick<ControlChannel, 'send'>;
  readonly instance: string;
}

type Answer = Extract<ControlMessage, { kind: 'vertices-so-far' }>;

/** Asks executors what the vertices of a run have done so far. A run that is not asked about costs them nothing. */
export class LiveVertices {
  readonly #options: LiveVerticesOptions;
  /** By run id: one question for all who ask at a time. */
  readonly #questions = new Map<
    string,
    { readonly answered: Promise<RunTrace | null>; readonly resolve: (trace: RunTrace | null) => void }
  >();

  constructor(options: LiveVerticesOptions) {
    this.#options = options;
  }

  /** Resolves to the trace of the attempt that goes on; null when no executor tells it in time. */
  ask(runId: string): Promise<RunTrace | null> {
    const asked = this.#questions.get(runId);
    if (asked) return asked.answered;
    const { promise: answered, resolve } = Promise.withResolvers<RunTrace | null>();
    const end = (trace: RunTrace | null) => {
      clearTimeout(timer);
      this.#questions.delete(runId);
      resolve(trace);
    };
    const timer = setTimeout(() => end(null), ANSWER_TIMEOUT_MILLISECONDS);
    this.#questions.set(runId, { answered, resolve: end });
    void this.#options.control.send({ kind: 'which-vertices', runId, asker: this.#options.instance });
    return answered;
  }

  /** Handles the answer of an executor. */
  handleAnswer({ runId, asker, trace }: Answer): void {
    if (asker === this.#options.instance) this.#questions.get(runId)?.resolve(JSON.parse(trace) as RunTrace);
  }
}
