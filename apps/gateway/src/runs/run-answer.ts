import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RunRequest } from '@millrace/flow';
import { RequestError } from '../http/request-error';
import type { RequestLog } from '../http/request-log';
import { endInOnePiece } from '../http/end-in-one-piece';
import type { StockCodeHeader } from '../flows/stock-code-header';
import type { ControlChannel } from './control-channel';
import { acceptsEventStream, jsonFraming, serverSentFraming } from './event-framing';
import type { EventFraming } from './event-framing';
import type { DurableRuns } from './durable-runs';
import type { RunDispatcher, RunOrder } from './run-dispatcher';
import { runFailureError } from './run-failure-error';
import type { RunObserver } from './run-observer';
import { sendAcceptedRun } from './send-accepted-run';
import { StreamedAnswer } from './streamed-answer';
import type { WaitingRoom } from './waiting-room';
import type { RunEnding, WaitingRun } from './waiting-run';

export interface RunAnswerOptions {
  readonly dispatcher: RunDispatcher;
  readonly durable: DurableRuns;
  readonly room: WaitingRoom;
  readonly control: ControlChannel;
  readonly stockCode: StockCodeHeader;
  readonly observer: RunObserver;
  readonly requests: RequestLog;
}

type Order = Omit<RunOrder, 'onEvents'>;
type Form = RunRequest['form'];

/** What the answer needs of the order. */
interface Told {
  readonly form: Form;
  /** Whether the caller or the flow says anything of caching. */
  readonly asksCache: boolean;
  /** By performance.now(). */
  readonly started: number;
}

interface Stream {
  answer: StreamedAnswer | null;
  /** Events that came before there was an answer to write them to. */
  readonly early: [Buffer, number][];
}

/** What a timer can hold. Every run ends long before. */
const LONGEST_WAIT_MILLISECONDS = 2_147_483_647;

/** Runs a flow for a waiting caller and answers: whole or streamed, and cancels when the caller leaves. */
export class RunAnswer {
  readonly #options: RunAnswerOptions;

  constructor(options: RunAnswerOptions) {
    this.#options = options;
  }

  /** Answers with the executor's own bytes. Rejects with the run's error when there is no result. */
  whole(request: IncomingMessage, response: ServerResponse, order: Order): Promise<void> {
    const told = toldOf(order);
    return this.#begin(request, response, { ...order, onEvents: null }).then((run) =>
      this.#answerWhole(response, run, told),
    );
  }

  /**
   * The same for a caller who would rather not wait longer than this: from then on, or when its answer gets lost, 202
   * tells it where the run can be read. The run is written down before it starts and goes on whatever its caller does.
   */
  wholeWithin(
    request: IncomingMessage,
    response: ServerResponse,
    order: Order,
    waitSeconds: number,
  ): Promise<void> {
    const told = toldOf(order);
    return this.#beginDurable(request, response, { ...order, onEvents: null }).then((run) =>
      this.#answerWithin(response, run, told, waitSeconds),
    );
  }

  /** Passes the run's events on as they come, then the whole answer as `end`. */
  streamed(request: IncomingMessage, response: ServerResponse, order: Order): Promise<void> {
    const told = toldOf(order);
    const stream: Stream = { answer: null, early: [] };
    const onEvents = (lines: Buffer, attempt: number) => {
      if (stream.answer) stream.answer.events(lines, attempt);
      else stream.early.push([lines, attempt]);
    };
    return this.#begin(request, response, { ...order, onEvents }).then((run) =>
      this.#answerStreamed(request, response, { run, told, stream }),
    );
  }

  /** Starts a run whose answer somebody else writes; it is cancelled when its caller leaves, unless it has a row. */
  async attend(
    response: ServerResponse,
    order: RunOrder,
    key: string | null,
    onLeave?: () => void,
  ): Promise<WaitingRun> {
    const told = toldOf(order);
    await this.#options.stockCode.set(response, order.flow);
    const run = await this.#startWith(order, key);
    this.#cancelWhenCallerLeaves(response, run, onLeave);
    void run.ended.then((ending) => this.#observe(response, run, ending, told));
    return run;
  }

  /** A request that was refused for its content: Langflow tells a streaming caller so in the stream. */
  refuseInStream(request: IncomingMessage, response: ServerResponse, text: string): void {
    this.#options.requests.refused(response, new RequestError('tweak_conflict', text), 200);
    const framing = framingFor(request);
    new StreamedAnswer({ response, headers: {}, framing, onOverflow: () => undefined }).failWith(text);
  }

  // What waits for a run must not hold its request: a suspended function holds its parameters to its end. So the functions
  // that send a run are not those that wait for it.

  async #begin(request: IncomingMessage, response: ServerResponse, order: RunOrder): Promise<WaitingRun> {
    await this.#options.stockCode.set(response, order.flow);
    return this.#startWith(order, this.#options.durable.keyOf(request, order));
  }

  async #beginDurable(
    request: IncomingMessage,
    response: ServerResponse,
    order: RunOrder,
  ): Promise<WaitingRun> {
    const { durable, stockCode } = this.#options;
    const key = durable.keyOf(request, order);
    await stockCode.set(response, order.flow);
    const run = await durable.start(order, key);
    order.onSent?.();
    return run;
  }

  async #startWith(order: RunOrder, key: string | null): Promise<WaitingRun> {
    const { durable, dispatcher } = this.#options;
    const isFast = key === null && order.flow.settings.durable !== true;
    const run = await (isFast ? dispatcher.startFast(order) : durable.start(order, key));
    order.onSent?.();
    return run;
  }

  async #answerWhole(response: ServerResponse, run: WaitingRun, told: Told): Promise<void> {
    this.#cancelWhenCallerLeaves(response, run);
    const ending = await run.ended;
    this.#observe(response, run, ending, told);
    this.#send(response, run, ending, told);
  }

  async #answerWithin(
    response: ServerResponse,
    run: WaitingRun,
    told: Told,
    waitSeconds: number,
  ): Promise<void> {
    void run.ended.then((ending) => this.#observe(response, run, ending, told));
    const ending = await endingWithin(run, Math.min(waitSeconds * 1_000, LONGEST_WAIT_MILLISECONDS));
    if (ending === null || ending.kind === 'lost') {
      return sendAcceptedRun(response, run.options.runId, `respond-async, wait=${waitSeconds}`);
    }
    response.setHeader('preference-applied', `wait=${waitSeconds}`);
    this.#send(response, run, ending, told);
  }

  async #answerStreamed(
    request: IncomingMessage,
    response: ServerResponse,
    { run, told, stream }: { readonly run: WaitingRun; readonly told: Told; readonly stream: Stream },
  ): Promise<void> {
    const { runId } = run.options;
    const cancel = () => this.#cancel(run, 'the caller reads too slowly');
    const headers = { 'x-run-id': runId, ...(told.asksCache ? { 'x-cache': run.cache } : {}) };
    const answer = new StreamedAnswer({
      response,
      headers,
      framing: framingFor(request),
      onOverflow: cancel,
    });
    stream.answer = answer;
    for (const [lines, attempt] of stream.early.splice(0)) answer.events(lines, attempt);
    this.#cancelWhenCallerLeaves(response, run, () => answer.abandon());
    const ending = await run.ended;
    this.#observe(response, run, ending, told);
    if (ending.kind === 'succeeded') return answer.succeed(ending.body, run.attempt);
    const error = errorOf(ending, told.form);
    if (!answer.fail(error)) throw withRunId(error, runId);
  }

  #send(response: ServerResponse, run: WaitingRun, ending: RunEnding, told: Told): void {
    const { runId } = run.options;
    if (ending.kind !== 'succeeded') throw withRunId(errorOf(ending, told.form), runId);
    if (told.asksCache) response.setHeader('x-cache', run.cache);
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': ending.body.length,
      'x-run-id': runId,
      'server-timing': timing(told.started),
    });
    endInOnePiece(response, ending.body);
  }

  /** A run that has a row goes on: its caller may come back for it. */
  #cancelWhenCallerLeaves(response: ServerResponse, run: WaitingRun, onLeave?: () => void): void {
    const leave = () => {
      if (response.writableFinished) return;
      onLeave?.();
      if (!run.options.durable) this.#cancel(run, 'the caller left');
    };
    if (response.destroyed) leave();
    else response.once('close', leave);
  }

  #cancel(run: WaitingRun, reason: string): void {
    const { runId } = run.options;
    const error = new RequestError('cancelled', 'The run was cancelled.');
    if (!this.#options.room.end(runId, { kind: 'lost', error })) return;
    void this.#options.control.send({ kind: 'cancel', runId, reason });
  }

  #observe(response: ServerResponse, run: WaitingRun, ending: RunEnding, { form, started }: Told): void {
    this.#options.observer.ended(response, run, ending, { form, started });
  }
}

function toldOf({ request: { form }, cache }: Order): Told {
  return { form, asksCache: Boolean(cache), started: performance.now() };
}

/** How the run ended; null when it goes on longer than this. */
async function endingWithin(run: WaitingRun, milliseconds: number): Promise<RunEnding | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), milliseconds);
  });
  try {
    return await Promise.race([run.ended, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Server-sent events for those who ask for them; for everybody else what Langflow sends under that name. */
function framingFor({ headers }: IncomingMessage): EventFraming {
  return acceptsEventStream(headers.accept) ? serverSentFraming() : jsonFraming;
}

function errorOf(ending: Exclude<RunEnding, { kind: 'succeeded' }>, form: Form): RequestError {
  return ending.kind === 'lost' ? ending.error : runFailureError(ending.status, ending.failure, form);
}

function withRunId(error: RequestError, runId: string): RequestError {
  const { code, detail, status, headers, cause } = error;
  return new RequestError(code, detail, { status, headers: { ...headers, 'x-run-id': runId }, cause });
}

function timing(started: number): string {
  return `run;dur=${(performance.now() - started).toFixed(1)}`;
}
