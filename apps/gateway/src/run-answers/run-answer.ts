import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RunRequest } from '@millrace/flow';
import { factsOf, HttpError } from '@millrace/http';
import { idempotencyScope } from '../end-users/end-user-sessions';
import { dedupeKeyOf } from '../http/run-headers';
import type { RequestLog } from '../http/request-log';
import type { StockCodeHeader } from './answer-headers';
import { serverTiming } from './answer-headers';
import type { ControlChannel } from '../runs/control-channel';
import type { DurableRuns } from '../runs/durable-runs';
import type { RunEnding, PendingRun } from '../runs/pending-run';
import type { PendingRuns } from '../runs/pending-runs';
import type { RunDispatcher } from '../runs/run-dispatcher';
import { RunError } from '../runs/run-error';
import type { RunOrder } from '../runs/run-order';
import { acceptsEventStream, jsonFraming, serverSentFraming } from './event-framing';
import type { EventFraming } from './event-framing';
import { endingError } from './ending-error';
import { runFailureError } from './run-failure-error';
import type { RunObserver } from './run-observer';
import { sendAcceptedRun } from './send-accepted-run';
import { StreamedAnswer } from './streamed-answer';
import { whenClosed } from '../http/when-closed';

/** Copying more than this costs more than a second write. */
const MAXIMUM_COPIED_BYTES = 16_384;

export interface RunAnswerOptions {
  readonly dispatcher: RunDispatcher;
  readonly durable: DurableRuns;
  readonly pendingRuns: PendingRuns;
  readonly control: ControlChannel;
  readonly stockCode: StockCodeHeader;
  readonly observer: RunObserver;
  readonly requests: RequestLog;
}

type Order = Omit<RunOrder, 'onEvents'>;
type Form = RunRequest['form'];

/** The parts of the order that the answer needs. */
interface AnswerContext {
  readonly form: Form;
  /** Whether the caller or the flow sets a cache policy. */
  readonly hasCachePolicy: boolean;
  /** Start time from performance.now(). */
  readonly started: number;
}

interface Stream {
  answer: StreamedAnswer | null;
  /** Events that arrived before the answer was open. */
  readonly earlyEvents: [Buffer, number][];
}

/** The maximum delay of a timer. Every run ends long before. */
const MAXIMUM_TIMEOUT_MILLISECONDS = 2_147_483_647;

/**
 * Runs a flow for a waiting caller and sends the answer, whole or streamed. Cancels the run if the caller disconnects.
 */
export class RunAnswer {
  readonly #options: RunAnswerOptions;

  constructor(options: RunAnswerOptions) {
    this.#options = options;
  }

  /** Answers with the executor's bytes unchanged. Rejects with the run's error when there is no result. */
  whole(request: IncomingMessage, response: ServerResponse, order: Order): Promise<void> {
    const context = answerContextOf(order);
    return this.#begin(request, response, { ...order, onEvents: null }).then((run) =>
      this.#answerWhole(response, run, context),
    );
  }

  /**
   * Like `whole`, but waits at most `waitSeconds`. After that, or when the answer is lost, answers 202 with the
   * location of the run. The run is durable and continues if the caller disconnects.
   */
  wholeOrAccepted(
    request: IncomingMessage,
    response: ServerResponse,
    order: Order,
    waitSeconds: number,
  ): Promise<void> {
    const context = answerContextOf(order);
    return this.#beginDurable(request, response, { ...order, onEvents: null }).then((run) =>
      this.#answerWithin(response, run, context, waitSeconds),
    );
  }

  /** Forwards the run's events as they arrive, then sends the whole answer as the `end` event. */
  streamed(request: IncomingMessage, response: ServerResponse, order: Order): Promise<void> {
    const context = answerContextOf(order);
    const stream: Stream = { answer: null, earlyEvents: [] };
    const onEvents = (lines: Buffer, attempt: number) => {
      if (stream.answer) stream.answer.events(lines, attempt);
      else stream.earlyEvents.push([lines, attempt]);
    };
    return this.#begin(request, response, { ...order, onEvents }).then((run) =>
      this.#answerStreamed(request, response, { run, context, stream }),
    );
  }

  /** Starts a run whose answer the calling code writes. Cancels it if the caller disconnects, unless it is durable. */
  async start(
    response: ServerResponse,
    order: RunOrder,
    key: string | null,
    onDisconnect?: () => void,
  ): Promise<PendingRun> {
    const context = answerContextOf(order);
    factsOf(response.req).flowId = order.flow.id;
    await this.#options.stockCode.set(response, order.flow);
    const run = await this.#startRun(order, key);
    this.#cancelOnDisconnect(response, run, onDisconnect);
    void run.ended.then((ending) => this.#observe(response, run, ending, context));
    return run;
  }

  /** Sends the error of a refused request as a stream event, as Langflow does for streaming callers. */
  refuseInStream(request: IncomingMessage, response: ServerResponse, error: HttpError, text: string): void {
    this.#options.requests.logRefusal(response, error, 200);
    const framing = framingFor(request);
    new StreamedAnswer({ response, headers: {}, framing, onOverflow: () => undefined }).failWith(text);
  }

  // A suspended async function keeps its parameters in memory. The functions that wait for a run therefore must not
  // have its request as a parameter, and are separate from the functions that send it.

  async #begin(request: IncomingMessage, response: ServerResponse, order: RunOrder): Promise<PendingRun> {
    await this.#options.stockCode.set(response, order.flow);
    return this.#startRun(order, dedupeKeyOf(request.headers, idempotencyScope(order)));
  }

  async #beginDurable(
    request: IncomingMessage,
    response: ServerResponse,
    order: RunOrder,
  ): Promise<PendingRun> {
    const { durable, stockCode } = this.#options;
    const key = dedupeKeyOf(request.headers, idempotencyScope(order));
    await stockCode.set(response, order.flow);
    const run = await durable.start(order, key);
    order.onSent?.();
    return run;
  }

  async #startRun(order: RunOrder, key: string | null): Promise<PendingRun> {
    const { durable, dispatcher } = this.#options;
    const isInteractive =
      key === null && order.flow.settings.durable !== true && !order.callback && order.isDurable !== true;
    const run = await (isInteractive ? dispatcher.startInteractive(order) : durable.start(order, key));
    order.onSent?.();
    return run;
  }

  async #answerWhole(response: ServerResponse, run: PendingRun, context: AnswerContext): Promise<void> {
    this.#cancelOnDisconnect(response, run);
    const ending = await run.ended;
    this.#observe(response, run, ending, context);
    this.#send(response, run, ending, context);
  }

  async #answerWithin(
    response: ServerResponse,
    run: PendingRun,
    context: AnswerContext,
    waitSeconds: number,
  ): Promise<void> {
    void run.ended.then((ending) => this.#observe(response, run, ending, context));
    const ending = await endingWithin(run, Math.min(waitSeconds * 1_000, MAXIMUM_TIMEOUT_MILLISECONDS));
    if (ending === null || ending.kind === 'lost' || ending.kind === 'suspended') {
      return sendAcceptedRun(response, run.options.runId, `respond-async, wait=${waitSeconds}`);
    }
    response.setHeader('preference-applied', `wait=${waitSeconds}`);
    this.#send(response, run, ending, context);
  }

  async #answerStreamed(
    request: IncomingMessage,
    response: ServerResponse,
    {
      run,
      context,
      stream,
    }: { readonly run: PendingRun; readonly context: AnswerContext; readonly stream: Stream },
  ): Promise<void> {
    const { runId } = run.options;
    const cancel = () => this.#cancel(run, 'the caller reads the stream too slowly');
    const headers = { 'x-run-id': runId, ...(context.hasCachePolicy ? { 'x-cache': run.cache } : {}) };
    const answer = new StreamedAnswer({
      response,
      headers,
      framing: framingFor(request),
      onOverflow: cancel,
    });
    stream.answer = answer;
    for (const [lines, attempt] of stream.earlyEvents.splice(0)) answer.events(lines, attempt);
    this.#cancelOnDisconnect(response, run, () => answer.abandon());
    const ending = await run.ended;
    this.#observe(response, run, ending, context);
    if (ending.kind === 'succeeded') return answer.succeed(ending.body, run.attempt);
    // Langflow's stream is open before it reads the tweaks.
    if (ending.kind === 'failed' && ending.failure.code === 'tweak_invalid')
      return answer.failWith(ending.failure.message);
    const error = errorOf(ending, context.form);
    if (!answer.fail(error)) throw withRunId(error, runId);
  }

  #send(response: ServerResponse, run: PendingRun, ending: RunEnding, context: AnswerContext): void {
    const { runId } = run.options;
    if (ending.kind === 'suspended') return sendAcceptedRun(response, runId, 'respond-async');
    if (ending.kind !== 'succeeded') throw withRunId(errorOf(ending, context.form), runId);
    if (context.hasCachePolicy) response.setHeader('x-cache', run.cache);
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': ending.body.length,
      'x-run-id': runId,
      ...(run.record === 'full' ? {} : { 'x-run-record': run.record }),
      'server-timing': serverTiming(performance.now() - context.started, run.timing),
    });
    if (Buffer.isBuffer(ending.body)) endInOneWrite(response, ending.body);
    else endWithSlices(response, ending.body.slices());
  }

  /** Does not cancel a durable run, since its caller can attach to it again. */
  #cancelOnDisconnect(response: ServerResponse, run: PendingRun, onDisconnect?: () => void): void {
    const onClose = () => {
      if (response.writableFinished) return;
      onDisconnect?.();
      if (!run.options.durable) this.#cancel(run, 'the caller disconnected');
    };
    whenClosed(response, onClose);
  }

  #cancel(run: PendingRun, reason: string): void {
    const { runId } = run.options;
    const error = new RunError('cancelled', 'The run was cancelled.');
    if (!this.#options.pendingRuns.end(runId, { kind: 'lost', error })) return;
    void this.#options.control.send({ kind: 'cancel', runId, reason });
  }

  #observe(
    response: ServerResponse,
    run: PendingRun,
    ending: RunEnding,
    { form, started }: AnswerContext,
  ): void {
    this.#options.observer.ended(response, run, ending, { form, started });
  }
}

function answerContextOf({ request: { form }, cache }: Order): AnswerContext {
  return { form, hasCachePolicy: Boolean(cache), started: performance.now() };
}

/** Resolves to the ending of the run, or null when it takes longer than this. */
async function endingWithin(run: PendingRun, milliseconds: number): Promise<RunEnding | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), milliseconds);
  });
  try {
    return await Promise.race([run.ended, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Selects server-sent events for callers that ask for them, otherwise Langflow's framing. */
function framingFor({ headers }: IncomingMessage): EventFraming {
  return acceptsEventStream(headers.accept) ? serverSentFraming() : jsonFraming;
}

function errorOf(ending: Exclude<RunEnding, { kind: 'succeeded' }>, form: Form): HttpError {
  return ending.kind === 'failed'
    ? runFailureError(ending.status, ending.failure, form)
    : endingError(ending);
}

function withRunId(error: HttpError, runId: string): HttpError {
  const { code, detail, status, headers, cause } = error;
  return new HttpError(code, detail, { status, headers: { ...headers, 'x-run-id': runId }, cause });
}

/**
 * Ends an answer with bytes in one write. Node.js writes head and body separately unless the body is text. As latin1,
 * in which every byte is one character, the body is sent unchanged.
 */
function endInOneWrite(response: ServerResponse, body: Buffer): void {
  if (body.length > MAXIMUM_COPIED_BYTES) response.end(body);
  else response.end(body.toString('latin1'), 'latin1');
}

/** Ends an answer with bytes that the socket takes together. */
function endWithSlices(response: ServerResponse, slices: readonly Buffer[]): void {
  response.cork();
  for (const slice of slices) response.write(slice);
  response.end();
  response.uncork();
}
