import type { Message, MessageUsage, PythonValue } from '@millrace/python-text';
import { argumentsDigest } from './arguments-digest';
import type { ComponentContext, MessageQuery, ConnectedVertex } from './component-context';
import { ComponentError } from '../errors';
import type { RunMoment } from '../run/run-moment';
import { toolCallSuffix } from '../run/tool-call-scope';

/**
 * The context of a component that a language model calls as a tool: one output is computed, for the model only. The
 * component sends no messages to the conversation and stops no branch.
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
    // No prototype, like the fields of a vertex.
    const all = Object.create(null) as Record<string, PythonValue>;
    this.fields = Object.assign(all, outer.fields, fields);
  }

  get vertex(): ComponentContext['vertex'] {
    return this.#outer.vertex;
  }

  get place(): string {
    return this.#outer.place;
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

  hide(texts: readonly string[]): void {
    this.#outer.hide(texts);
  }

  get resources(): ComponentContext['resources'] {
    return this.#outer.resources;
  }

  get langflow(): ComponentContext['langflow'] {
    return this.#outer.langflow;
  }

  get recordsEffects(): boolean {
    return this.#outer.recordsEffects;
  }

  get observation(): ComponentContext['observation'] {
    return this.#outer.observation;
  }

  get spending(): ComponentContext['spending'] {
    return this.#outer.spending;
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

  source(input: string): ConnectedVertex | null {
    return this.#outer.source(input);
  }

  firstSource(): ConnectedVertex | null {
    return this.#outer.firstSource();
  }

  get execution(): number {
    return this.#outer.execution;
  }

  stop(): void {
    // A tool has no branches.
  }

  askHuman(): never {
    throw new ComponentError('A tool cannot wait for human input.');
  }

  repeat(): Promise<readonly PythonValue[]> {
    return Promise.resolve([]);
  }

  status(): void {
    // Only the model sees the result of a tool.
  }

  log(): void {
    // As above.
  }

  emitPartial(): void {
    // A tool sends no messages.
  }

  removePartial(): void {
    // As above.
  }

  emitLog(): void {
    // As above.
  }

  emitBuild(): void {
    // As above.
  }

  beginMessage(message: Message): Message {
    return this.#outer.beginMessage(message);
  }

  speakMessage(message: Message): Promise<Message> {
    return this.sendMessage(message);
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

  countTokens(usage: MessageUsage): void {
    this.#outer.countTokens(usage);
  }

  withUsageBefore(message: Message): Message {
    return message;
  }

  readMessages(query: MessageQuery): Promise<readonly Message[]> {
    return this.#outer.readMessages(query, this.moment);
  }

  /** A model can repeat calls in another order; the arguments identify a call. */
  effect<Result extends PythonValue>(name: string, act: () => Promise<Result>): Promise<Result> {
    return this.#outer.effect(`${name} ${this.#output} ${argumentsDigest(this.#arguments)}`, act);
  }

  findStep(name: string): Promise<PythonValue | undefined> {
    return this.#outer.findStep(this.#stepName(name));
  }

  stepKey(name: string): string | null {
    return this.#outer.stepKey(this.#stepName(name));
  }

  recordStep(name: string, result: PythonValue): Promise<void> {
    return this.#outer.recordStep(this.#stepName(name), result);
  }

  #stepName(name: string): string {
    return `${name} ${this.#output} ${argumentsDigest(this.#arguments)}${toolCallSuffix()}`;
  }

  variable(name: string): Promise<string | undefined> {
    return this.#outer.variable(name);
  }
}
