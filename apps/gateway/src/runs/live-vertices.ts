import type { ControlMessage } from '@millrace/messages';
import type { RunTrace } from '@millrace/runs';
import type { ControlChannel } from './control-channel';

/** How long to wait for the executor; the broker takes a few milliseconds, a busy executor longer. */
const ANSWER_TIMEOUT_MILLISECONDS = 1_000;
/** How long an answer is shared: each watcher of a run asks every second. */
const SHARED_MILLISECONDS = 500;
/** How long a run is not asked about again whose executor did not answer: it may have none, or one that does not tell. */
const SILENCE_MILLISECONDS = 5_000;

export interface LiveVerticesOptions {
  readonly control: Pick<ControlChannel, 'send'>;
  readonly instance: string;
}

type Answer = Extract<ControlMessage, { kind: 'vertices-so-far' }>;

interface Question {
  answered: Promise<RunTrace | null>;
  readonly resolve: (trace: RunTrace | null) => void;
  /** Ends the wait for the answer, and then the time for which it is shared. */
  timer: NodeJS.Timeout;
}

/** Asks executors what the vertices of a run have done so far. A run that is not asked about costs them nothing. */
export class LiveVertices {
  readonly #options: LiveVerticesOptions;
  /** By run id: one question for all who ask at a time. */
  readonly #questions = new Map<string, Question>();

  constructor(options: LiveVerticesOptions) {
    this.#options = options;
  }

  /** Resolves to the trace of the attempt that goes on; null when no executor tells it in time. */
  ask(runId: string): Promise<RunTrace | null> {
    const asked = this.#questions.get(runId);
    if (asked) return asked.answered;
    const { promise: answered, resolve } = Promise.withResolvers<RunTrace | null>();
    const timer = setTimeout(() => this.#end(runId, question, null), ANSWER_TIMEOUT_MILLISECONDS);
    const question: Question = { answered, resolve, timer };
    this.#questions.set(runId, question);
    void this.#options.control.send({ kind: 'which-vertices', runId, asker: this.#options.instance });
    return answered;
  }

  /** Handles the answer of an executor, which can be late. */
  handleAnswer({ runId, asker, trace }: Answer): void {
    const question = asker === this.#options.instance ? this.#questions.get(runId) : undefined;
    if (question) this.#end(runId, question, JSON.parse(trace) as RunTrace);
  }

  #end(runId: string, question: Question, trace: RunTrace | null): void {
    question.resolve(trace);
    question.answered = Promise.resolve(trace);
    clearTimeout(question.timer);
    question.timer = setTimeout(
      () => this.#questions.delete(runId),
      trace === null ? SILENCE_MILLISECONDS : SHARED_MILLISECONDS,
    ).unref();
  }
}
