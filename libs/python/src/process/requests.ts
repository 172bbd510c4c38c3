import type { PythonObject, PythonValue } from '@millrace/python-text';
import { integerOf, memberOf, objectOf, textOf } from '../frames/members';
import { PythonFailure } from './python-failure';

/** Answers a call of the host: sends parts before, and the answer at the end. */
export interface HostCall {
  readonly method: string;
  readonly args: PythonObject;
  /** Of its frame. */
  readonly bytes: number;
  chunk(value: PythonValue): void;
}

/** What a request to a process needs while it waits for its answer. */
export interface RequestHandlers {
  /** Resolves to the answer for a call of the host. */
  readonly call?: (call: HostCall) => Promise<PythonValue>;
  /** Takes a part of the answer. */
  readonly chunk?: (value: PythonValue) => void;
  /** Takes what the component prints. */
  readonly printed?: (text: string) => void;
}

interface PendingRequest extends RequestHandlers {
  readonly resolve: (answer: PythonObject) => void;
  readonly reject: (reason: unknown) => void;
}

/** Calls of the host that a process can have in progress; further ones are refused. */
const maximumHostCalls = 256;
/** Bytes of their frames; a first call can have more. */
const maximumHostCallBytes = 128 * 1024 * 1024;
/** Characters of an error for a component. The texts in it can come from the process, and must fit into a frame. */
const maximumErrorCharacters = 10_000;

/** The requests to one process that wait for an answer, and the calls of the host that they made. */
export class Requests {
  readonly #pending = new Map<number, PendingRequest>();
  readonly #send: (frame: object) => void;
  #last = 0;
  #hostCalls = 0;
  #hostCallBytes = 0;

  constructor(send: (frame: object) => void) {
    this.#send = send;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Sends a request with a new number and resolves to its answer. */
  start(frameOf: (number: number) => object, handlers: RequestHandlers): Promise<PythonObject> {
    const number = (this.#last += 1);
    return new Promise((resolve, reject) => {
      this.#pending.set(number, { ...handlers, resolve, reject });
      try {
        this.#send(frameOf(number));
      } catch (error) {
        this.#pending.delete(number);
        reject(error as Error);
      }
    });
  }

  /** Takes a frame of the process and its size; frames that belong to no request are ignored. */
  receive(frame: PythonObject, bytes: number): void {
    const done = integerOf(frame, 'done');
    if (done !== null) return this.#settle(done, ({ resolve }) => resolve(frame));
    const failed = integerOf(frame, 'failed');
    if (failed !== null) return this.#settle(failed, ({ reject }) => reject(new PythonFailure(frame)));
    const number = integerOf(frame, 'run');
    const request = number === null ? undefined : this.#pending.get(number);
    const call = integerOf(frame, 'call');
    if (call !== null) return void this.#answer(call, request, frame, bytes);
    const data = memberOf(frame, 'data') ?? null;
    if (textOf(frame, 'event') === 'chunk') request?.chunk?.(data);
    else if (textOf(frame, 'event') === 'stdout' && typeof data === 'string') request?.printed?.(data);
  }

  /** Rejects all requests. */
  end(reason: unknown): void {
    const all = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of all) reject(reason);
  }

  #settle(number: number, settle: (request: PendingRequest) => void): void {
    const request = this.#pending.get(number);
    this.#pending.delete(number);
    if (request !== undefined) settle(request);
  }

  async #answer(
    number: number,
    request: PendingRequest | undefined,
    frame: PythonObject,
    bytes: number,
  ): Promise<void> {
    const method = textOf(frame, 'method');
    if (request?.call === undefined || this.#isBusy(bytes)) {
      const reason = request?.call === undefined ? 'No component is running' : 'There are too many calls';
      return this.#refuse(number, `${reason}, so this call was refused: ${method}`);
    }
    this.#hostCalls += 1;
    this.#hostCallBytes += bytes;
    try {
      const chunk = (value: PythonValue): void => this.#send({ answer: number, chunk: value });
      this.#send({
        answer: number,
        value: await request.call({ method, args: objectOf(frame, 'args'), bytes, chunk }),
      });
    } catch (error) {
      this.#refuse(number, error instanceof Error ? error.message : String(error));
    } finally {
      this.#hostCalls -= 1;
      this.#hostCallBytes -= bytes;
    }
  }

  #isBusy(bytes: number): boolean {
    const isFirst = this.#hostCalls === 0;
    return (
      this.#hostCalls >= maximumHostCalls || (!isFirst && this.#hostCallBytes + bytes > maximumHostCallBytes)
    );
  }

  #refuse(number: number, error: string): void {
    const isLong = error.length > maximumErrorCharacters;
    this.#send({ answer: number, error: isLong ? `${error.slice(0, maximumErrorCharacters)}…` : error });
  }
}
