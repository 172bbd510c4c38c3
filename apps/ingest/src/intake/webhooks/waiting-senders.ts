import type { ServerResponse } from 'node:http';
import { MAXIMUM_WAITING_SENDERS, HttpError, sendHttpError } from '@millrace/http';
import { firstTextOf, flowAnswerOf } from '@millrace/flow';
import type { FlowAnswer, RunResponse } from '@millrace/flow';
import type { EndedRun, FlowReference, RunStore } from '@millrace/runs';
import { SharedPlaces } from '@millrace/service';
import type { Logger } from '@millrace/service';

const POLL_MILLISECONDS = 50;
/** How many of the senders can wait for flows of one user. */
const MAXIMUM_WAITING_OF_USER = 250;
/** How many of the senders can wait for one flow that needs no API key. */
const MAXIMUM_WAITING_OF_OPEN_FLOW = 100;

export interface WaitingSendersOptions {
  readonly runs: Pick<RunStore, 'ended' | 'wholeResult'>;
  readonly logger: Logger;
}

export interface WaitOptions {
  readonly waitSeconds: number;
  readonly flow: Pick<FlowReference, 'id' | 'userId'>;
  /** Whether senders of the flow need no API key. */
  readonly isOpen: boolean;
  /** Answers that the run was accepted: it takes longer. */
  accept(): void;
}

type Resolve = (ended: EndedRun | null) => void;

/**
 * Answers senders of webhooks with the answer that the flow of their run has chosen, or its text. The text is whatever a
 * flow makes of a request of a stranger, so that a browser must not run it.
 */
export class WaitingSenders {
  readonly #options: WaitingSendersOptions;
  readonly #waiting = new Map<string, Set<Resolve>>();
  readonly #places = new SharedPlaces({ maximum: MAXIMUM_WAITING_SENDERS });
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: WaitingSendersOptions) {
    this.#options = options;
  }

  /** Answers with the end of a run within the time, otherwise that it was accepted. Never rejects. */
  async answer(response: ServerResponse, runId: string, options: WaitOptions): Promise<void> {
    const ended = this.#isClosed ? null : await this.#waitInPlace(response, runId, options);
    if (response.destroyed) return;
    if (ended === null) return options.accept();
    try {
      const resultText = await this.#options.runs.wholeResult(runId, ended.resultText);
      sendEnd(response, { ...ended, resultText });
    } catch (error) {
      this.#options.logger.warn({ error, runId }, 'the result of a run could not be read for its sender');
      options.accept();
    }
  }

  /** Answers all senders that their runs were accepted. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#polling;
    for (const runId of [...this.#waiting.keys()]) this.#resolve(runId, null);
  }

  /** Waits while the process, the user and the flow have places; resolves to null at once otherwise. */
  async #waitInPlace(
    response: ServerResponse,
    runId: string,
    { waitSeconds, flow, isOpen }: WaitOptions,
  ): Promise<EndedRun | null> {
    const leave = this.#places.take({
      [flow.userId]: MAXIMUM_WAITING_OF_USER,
      ...(isOpen && { [flow.id]: MAXIMUM_WAITING_OF_OPEN_FLOW }),
    });
    return leave && this.#wait(response, runId, waitSeconds).finally(leave);
  }

  /** The wait ends with the connection of the sender, too. */
  #wait(response: ServerResponse, runId: string, waitSeconds: number): Promise<EndedRun | null> {
    if (response.destroyed) return Promise.resolve(null);
    return new Promise<EndedRun | null>((resolve) => {
      const waiting = this.#waiting.get(runId) ?? new Set();
      this.#waiting.set(runId, waiting);
      const done: Resolve = (ended) => {
        clearTimeout(timer);
        waiting.delete(done);
        if (waiting.size === 0) this.#waiting.delete(runId);
        response.off('close', leave);
        resolve(ended);
      };
      const leave = () => done(null);
      const timer = setTimeout(leave, waitSeconds * 1_000);
      response.once('close', leave);
      waiting.add(done);
      this.#schedule();
    });
  }

  /** One query for all senders while there are any. */
  #schedule(): void {
    if (this.#isClosed || this.#timer !== undefined || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#polling = this.#poll().then(() => {
        this.#timer = undefined;
        this.#schedule();
      });
    }, POLL_MILLISECONDS);
  }

  async #poll(): Promise<void> {
    try {
      const ended = await this.#options.runs.ended([...this.#waiting.keys()]);
      for (const run of ended) this.#resolve(run.id, run);
    } catch (error) {
      this.#options.logger.warn({ error }, 'ends of runs could not be read; senders of webhooks wait on');
    }
  }

  #resolve(runId: string, ended: EndedRun | null): void {
    for (const done of [...(this.#waiting.get(runId) ?? [])]) done(ended);
  }
}

function sendEnd(response: ServerResponse, { id, status, resultText }: EndedRun): void {
  const headers = { 'x-run-id': id, location: `/api/v1/runs/${id}` };
  if (status !== 'succeeded' || resultText === null) {
    // Without the reason: the sender does not own the flow.
    return sendHttpError(response, new HttpError('component_failed', 'The run failed.', { headers }));
  }
  const result = JSON.parse(resultText) as RunResponse;
  const answer = flowAnswerOf(result) ?? answerWith(firstTextOf(result));
  const length =
    answer.status === 204 || answer.status === 304
      ? {}
      : { 'content-length': Buffer.byteLength(answer.body) };
  response.writeHead(answer.status, {
    ...headers,
    ...answer.headers,
    ...length,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
  });
  response.end(answer.body);
}

/** The answer of a flow that has chosen none: the text of its first message. */
function answerWith(text: string): FlowAnswer {
  const type = isJson(text) ? 'application/json' : 'text/plain; charset=utf-8';
  return { status: 200, headers: { 'content-type': type }, body: text };
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
