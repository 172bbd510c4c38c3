import { argumentsDigest } from './arguments-digest';
import type { ComponentContext, MessageQuery, WiredVertex } from './component-context';
import type { Message } from '../values/message';
import type { RunMoment } from '../run/run-moment';
import type { PythonValue } from '../values/python-value';

/**
 * The context of a component that a language model calls: it makes one output, for nobody but the model. It says nothing
 * in the conversation and stops no branch.
 */
export class ToolContext implements ComponentContext {
  readonly #outer: ComponentContext;
  readonly #output: string;
  readonly #arguments: Readonly<Record<string, PythonValue>>;
  readonly fields: Readonly<Record<string, PythonValue>>;
  readonly moment: RunMoment;

  constructor(
    outer: ComponentContext,
    output: string,
    fields: Readonly<Record<string, PythonValue>>,
    at: RunMoment,
  ) {
    this.#outer = outer;
    this.#output = output;
    this.#arguments = fields;
    this.moment = at;
    // No prototype, as the fields of a vertex have none.
    const all = Object.create(null) as Record<string, PythonValue>;
    this.fields = Object.assign(all, outer.fields, fields);
  }

  get vertex(): ComponentContext['vertex'] {
    return this.#outer.vertex;
  }

  get run(): ComponentContext['run'] {
    return this.#outer.run;
  }

  get signal(): AbortSignal {
    return this.#outer.signal;
  }

  get fetch(): typeof fetch {
    return this.#outer.fetch;
  }

  get resources(): ComponentContext['resources'] {
    return this.#outer.resources;
  }

  remainingMilliseconds(): number {
    return this.#outer.remainingMilliseconds();
  }

  wants(output: string): boolean {
    return output === this.#output;
  }

  feeds(): boolean {
    return false;
  }

  source(input: string): WiredVertex | null {
    return this.#outer.source(input);
  }

  firstSource(): WiredVertex | null {
    return this.#outer.firstSource();
  }

  get execution(): number {
    return this.#outer.execution;
  }

  stop(): void {
    // A tool has no branches.
  }

  repeat(): Promise<readonly PythonValue[]> {
    return Promise.resolve([]);
  }

  status(): void {
    // Only the model sees what a tool gives.
  }

  log(): void {
    // As above.
  }

  async sendMessage(message: Message): Promise<Message> {
    const { stream } = message.fields;
    if (stream === null) return message;
    let text = '';
    for await (const chunk of stream) text += chunk;
    return message.with({ text, stream: null });
  }

  storeMessage(message: Message): Promise<Message> {
    return this.#outer.storeMessage(message, this.moment);
  }

  readMessages(query: MessageQuery): Promise<readonly Message[]> {
    return this.#outer.readMessages(query, this.moment);
  }

  /** A model calls in an order of its own: calls are told apart by what they say. */
  effect<Result extends PythonValue>(name: string, act: () => Promise<Result>): Promise<Result> {
    return this.#outer.effect(`${name} ${this.#output} ${argumentsDigest(this.#arguments)}`, act);
  }

  variable(name: string): Promise<string | undefined> {
    return this.#outer.variable(name);
  }
}
