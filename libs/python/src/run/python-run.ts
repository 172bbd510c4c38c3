import { AsyncLocalStorage } from 'node:async_hooks';
import { cannotWait, ComponentError, RunSuspension } from '@millrace/flow';
import type { ComponentContext, PythonVertices, VertexCall, VertexOutcome } from '@millrace/flow';
import type { PythonObject, PythonValue, TextStream } from '@millrace/python-text';
import type { PythonObjectUse } from '../bridges/python-object-use';
import { PythonEndedError } from '../pool/pool-errors';
import type { LeaseKey } from '../pool/pool-settings';
import type { ProcessLease, PythonPool } from '../pool/python-pool';
import { PythonFailure } from '../process/python-failure';
import { ProcessEndedError } from '../process/process-ended-error';
import type { PythonProcess } from '../process/python-process';
import type { HostCall, RequestHandlers } from '../process/requests';
import { encodeMembers } from '../values/encode-value';
import { decodeValue } from '../values/decode-value';
import { someTagged } from '../values/tagged-values';
import { checkText } from './check-text';
import { computeOnce } from './compute-once';
import type { ComputedVertex } from './compute-once';
import { decodeOutcome } from './decode-outcome';
import { HostCallBudget } from './host-call-budget';
import { answerHostCall } from './host-calls';
import { LeaseObjects } from './lease-objects';
import { PartQueue } from './part-queue';
import { ReplayedText } from './replayed-text';
import type { ContextChange, VertexRecording } from './vertex-recording';

/** Characters of a streamed answer that its reader has not read yet. */
const maximumWaitingCharacters = 16 * 1024 * 1024;
/** Characters that a vertex prints; the worker has the same limit, which an author's code can evade. */
const maximumPrintedCharacters = 64 * 1024;

interface OpenLease {
  readonly lease: ProcessLease;
  readonly process: PythonProcess;
}

/**
 * The Python part of one run. Leases a process at its first vertex in Python and gives it back at the end of the run,
 * so that objects of Python pass between its vertices. The end of the signal of a vertex ends the process.
 */
export class PythonRun implements PythonVertices {
  readonly #pool: PythonPool;
  readonly #key: LeaseKey;
  readonly #objects: LeaseObjects;
  readonly #budget = new HostCallBudget();
  /** The context of the vertex that an object of Python came from last: objects call the executor with its rights. */
  readonly #makers = new Map<number, ComponentContext>();
  /** Changes of replayed vertices that the process does not have yet. */
  readonly #restored: { readonly part: string; readonly change: ContextChange }[] = [];
  #opening: Promise<OpenLease> | null = null;
  /** The context whose values are being decoded: that of the objects among them. */
  #current: ComponentContext | null = null;
  #isClosed = false;

  constructor(pool: PythonPool, key: LeaseKey) {
    this.#pool = pool;
    this.#key = key;
    this.#objects = new LeaseObjects(
      (reference) => this.#useOf(reference),
      (reference) => this.#textOf(reference),
    );
  }

  /**
   * Computes a vertex; in a durable run once in all attempts (see `computeOnce`). Rejects with a PythonFailure, with the
   * reason of the signal, with a PythonBusyError, or with a PythonEndedError that is temporary in the first attempt.
   */
  async compute(call: VertexCall, context: ComponentContext): Promise<VertexOutcome> {
    checkText(call.source);
    const decode = ({ done, printed }: ComputedVertex): VertexOutcome => {
      this.#current = context;
      return decodeOutcome(done, printed, this.#objects);
    };
    if (!context.recordsEffects) return decode(await this.#compute(call, context, null));
    return computeOnce(context, {
      compute: (recording) => this.#compute(call, context, recording),
      decode,
      decodeMessage: (message) => decodeValue(message, this.#objects),
      restore: (change) => void this.#restored.push({ part: context.run.part, change }),
    });
  }

  /** Ends the run's lease. A process in which something is still in progress ends. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const opened = await this.#opening?.catch(() => null);
    await opened?.lease.release();
  }

  async #compute(
    call: VertexCall,
    context: ComponentContext,
    recording: VertexRecording | null,
  ): Promise<ComputedVertex> {
    const { process } = await this.#open(context);
    let printed = '';
    const handlers: RequestHandlers = {
      // Calls arrive on the connection of the process; what they start belongs to this vertex.
      call: AsyncLocalStorage.bind((hostCall: HostCall) => this.#answer(hostCall, context, recording)),
      printed: (text) => (printed += text.slice(0, maximumPrintedCharacters - printed.length)),
    };
    const frame = this.#frameOf(call, context, recording);
    try {
      const done = await this.#during(context, process, () => process.run(call.source, frame, handlers));
      return { done, printed };
    } catch (error) {
      if (error instanceof PythonFailure) this.#logFailure(error, context);
      throw error;
    }
  }

  /** The traceback can contain values of the flow: only the log has it, and only at the level for debugging. */
  #logFailure({ type, trace }: PythonFailure, { run, vertex }: ComponentContext): void {
    const { id: runId, flowId, attempt } = run;
    const fields = { runId, flowId, attempt, vertexId: vertex.id, componentType: vertex.type, type, trace };
    this.#pool.logger.debug(fields, 'a component failed in Python');
  }

  async #open(context: ComponentContext): Promise<OpenLease> {
    if (this.#isClosed) throw new ComponentError('The run has ended.');
    this.#opening ??= this.#lease(context.signal);
    try {
      return await this.#opening;
    } catch (error) {
      this.#opening = null;
      throw error;
    }
  }

  async #lease(signal: AbortSignal): Promise<OpenLease> {
    const lease = await this.#pool.lease(this.#key, signal);
    return { lease, process: lease.process };
  }

  #frameOf(call: VertexCall, { run }: ComponentContext, recording: VertexRecording | null): PythonObject {
    const fields = encodeMembers(call.fields, this.#objects);
    // An object that can change has to go through the same vertices in each attempt.
    const canRecord =
      recording !== null && !someTagged(fields, (tag, content) => this.#canChange(tag, content));
    return {
      ...(canRecord ? { record: true } : {}),
      id: call.id,
      type: call.type,
      name: call.displayName,
      node: {
        outputs: call.outputs as readonly PythonObject[],
        is_input: call.isInput,
        is_output: call.isOutput,
      },
      fields,
      wanted: call.wanted,
      sources: call.sources as unknown as PythonObject,
      feeds: call.feeds,
      flow: {
        flow_id: run.flowId,
        user_id: run.userId,
        session_id: run.sessionId,
        run_id: run.id,
        part: run.part,
        flow_name: '',
      },
    };
  }

  #canChange(tag: string, reference: PythonValue): boolean {
    return tag === '$ref' && typeof reference === 'number' && this.#objects.canChange(reference);
  }

  async #answer(
    call: HostCall,
    context: ComponentContext,
    recording: VertexRecording | null,
  ): Promise<PythonValue> {
    this.#budget.take(call);
    this.#current = context;
    recording?.begin(call.method);
    const answer = await answerHostCall(call, context, this.#objects).catch((error: unknown) =>
      this.#endUnasked(error, context),
    );
    recording?.end(call.method, answer);
    return answer;
  }

  /** A component in Python cannot wait for a person, and would go on without the answer: its process and the run end. */
  async #endUnasked(error: unknown, { vertex }: ComponentContext): Promise<never> {
    if (!(error instanceof RunSuspension)) throw error;
    const refused = cannotWait(vertex);
    (await this.#opening)?.process.kill(refused, 'cancelled');
    throw refused;
  }

  /** Runs a request; the end of the signal ends the process, because nothing else stops a component in a thread. */
  async #during<Result>(
    context: ComponentContext,
    process: PythonProcess,
    request: () => Promise<Result>,
  ): Promise<Result> {
    const { signal } = context;
    signal.throwIfAborted();
    for (const { part, change } of this.#restored.splice(0)) process.restore(part, change);
    const abort = (): void => process.kill(signal.reason, 'cancelled');
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await request();
    } catch (error) {
      throw error instanceof ProcessEndedError ? this.#endedError(error, context) : error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** A process can end for a reason outside of the flow once; a second time counts as the flow's. */
  #endedError(error: ProcessEndedError, { run }: ComponentContext): PythonEndedError {
    return new PythonEndedError(error.message, {
      permanent: run.attempt > 1,
      cause: error,
    });
  }

  #useOf(reference: number): PythonObjectUse {
    if (this.#current !== null) this.#makers.set(reference, this.#current);
    return {
      call: (method, args, context) => this.#use(reference, method, args, context, {}),
      stream: (method, args, context) => this.#stream(reference, method, args, context),
    };
  }

  async #use(
    reference: number,
    method: string,
    args: PythonObject,
    caller: ComponentContext | null,
    handlers: RequestHandlers,
  ): Promise<PythonValue> {
    const context = caller ?? this.#makers.get(reference) ?? this.#current;
    if (context === null || this.#opening === null || this.#isClosed) {
      throw new ComponentError('An object of a Python process cannot be used after its run has ended.');
    }
    const { process } = await this.#opening;
    return this.#during(context, process, () =>
      process.use(reference, method, encodeMembers(args, this.#objects), {
        ...handlers,
        call: AsyncLocalStorage.bind((hostCall: HostCall) => this.#answer(hostCall, context, null)),
      }),
    );
  }

  async *#stream(
    reference: number,
    method: string,
    args: PythonObject,
    context: ComponentContext | null,
  ): AsyncGenerator<PythonValue, PythonValue, undefined> {
    const parts = new PartQueue<PythonValue>(maximumWaitingCharacters);
    const chunk = (value: PythonValue): void => {
      if (!parts.push(value, typeof value === 'string' ? value.length : 1_000)) {
        parts.fail(
          new ComponentError('The text of a Python component was produced faster than it was read.'),
        );
      }
    };
    let answer: PythonValue = null;
    this.#use(reference, method, args, context, { chunk }).then(
      (value) => {
        answer = value;
        parts.complete();
      },
      (error: unknown) => parts.fail(error),
    );
    yield* parts.read();
    return answer;
  }

  #textOf(reference: number): TextStream {
    const maker = this.#current;
    return new ReplayedText(() => this.#stream(reference, 'text.read', {}, maker));
  }
}
