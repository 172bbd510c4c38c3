import { createHash } from 'node:crypto';
import type { ExecutionScope } from './execution-scope';
import type {
  ComponentContext,
  HumanDecision,
  HumanRequest,
  MessageQuery,
  ModelSpending,
  PlanEdge,
  PlanVertex,
  RunMoment,
  RunResources,
  VertexObservation,
  ConnectedVertex,
  LangflowRelease,
} from '@millrace/flow';
import { cannotWait, RunError, RunSuspension, toolCallSuffix } from '@millrace/flow';
import type { Message, MessageUsage, PythonValue } from '@millrace/python-text';
import {
  assignMessageIdentity,
  beginSpoken,
  emitPartial,
  sendMessage,
  speakMessage,
} from '../messages/send-message';
import type { OngoingRun } from '../run/ongoing-run';
import type { VertexLog } from '../run/vertex-record';
import type { VertexValues } from '../run/given-values';

const nothingStopped: ReadonlySet<string> = new Set();
const nothingLogged: ReadonlyMap<string, readonly VertexLog[]> = new Map();

/** Everything that one vertex's component can access in one run. */
export class VertexContext implements ComponentContext {
  #stopped: Set<string> | null = null;
  #logs: Map<string, VertexLog[]> | null = null;
  #fields: Readonly<Record<string, PythonValue>> | null = null;
  #moment: RunMoment | null = null;
  shown: PythonValue = null;
  shownByOutput: Map<string, PythonValue> | null = null;
  /** The sender's name of the message that was sent; undefined when none was. */
  sentName: string | null | undefined;
  readonly #run: OngoingRun;
  readonly #vertex: PlanVertex;
  readonly #values: VertexValues;
  readonly #executionScope: ExecutionScope;

  constructor(run: OngoingRun, vertex: PlanVertex, values: VertexValues, around: ExecutionScope) {
    this.#run = run;
    this.#vertex = vertex;
    this.#values = values;
    this.#executionScope = around;
  }

  get stopped(): ReadonlySet<string> {
    return this.#stopped ?? nothingStopped;
  }

  get logs(): ReadonlyMap<string, readonly VertexLog[]> {
    return this.#logs ?? nothingLogged;
  }

  get execution(): number {
    return this.#executionScope.execution(this.#vertex);
  }

  get moment(): RunMoment {
    this.#moment ??= this.#executionScope.moment(this.#vertex);
    return this.#moment;
  }

  get place(): string {
    return this.#executionScope.place(this.#vertex);
  }

  get vertex(): ComponentContext['vertex'] {
    return this.#vertex;
  }

  get run(): ComponentContext['run'] {
    const { environment, plan, request } = this.#run;
    return {
      id: environment.runId,
      attempt: environment.attempt,
      part: environment.part ?? '',
      flowId: plan.flowId,
      userId: environment.userId,
      sessionId: request.sessionId,
    };
  }

  get signal(): AbortSignal {
    return this.#run.lifetime.signal;
  }

  get fields(): Readonly<Record<string, PythonValue>> {
    this.#fields ??= this.#values.fields();
    return this.#fields;
  }

  remainingMilliseconds(): number {
    return this.#run.lifetime.remainingMilliseconds();
  }

  wants(output: string): boolean {
    return this.#vertex.wanted.includes(output);
  }

  feeds(type: string): boolean {
    return this.#vertex.outgoing.some(({ target }) => {
      const vertex = this.#run.plan.vertices[target];
      return vertex?.type === type || vertex?.component?.type === type;
    });
  }

  source(input: string): ConnectedVertex | null {
    return this.#connectedVertex(this.#vertex.settings.get(input)?.edges[0]);
  }

  firstSource(): ConnectedVertex | null {
    return this.#connectedVertex(this.#vertex.incoming[0]);
  }

  stop(output: string): void {
    this.#stopped ??= new Set();
    this.#stopped.add(output);
  }

  askHuman(request: Omit<HumanRequest, 'request_id'>, key = ''): HumanDecision | null {
    if (this.#vertex.component?.asksHuman === true && this.#vertex.outgoing.length === 0) return null;
    const { checkpoint, runId } = this.#run.environment;
    if (checkpoint === undefined) throw cannotWait(this.#vertex);
    const { place } = this;
    // Langflow's id, which only the first execution of a vertex can have.
    const parts = [this.#vertex.id, runId, checkpoint.part, place === this.#vertex.id ? '' : place, key];
    const request_id = parts.filter((text) => text !== '').join(':');
    const decision = checkpoint.decisionOn(request_id);
    if (decision === undefined) throw new RunSuspension([{ request_id, ...request }]);
    return decision;
  }

  status(value: PythonValue, output?: string): void {
    this.shown = value;
    if (output !== undefined) (this.shownByOutput ??= new Map()).set(output, value);
  }

  log(message: string, options: { readonly name?: string; readonly output?: string } = {}): void {
    const output = options.output ?? this.#vertex.wanted[0] ?? '';
    this.#logs ??= new Map();
    const lines = this.#logs.get(output) ?? [];
    const line = { name: options.name ?? `Log ${lines.length + 1}`, message, type: 'text' } as const;
    lines.push(line);
    this.#logs.set(output, lines);
    this.#run.emitLater({ event: 'log', data: { ...line, output, component_id: this.#vertex.id } });
  }

  repeat(output: string, values: readonly PythonValue[]): Promise<readonly PythonValue[]> {
    return this.#executionScope.repeat({ vertex: this.#vertex, moment: this.moment }, output, values);
  }

  beginMessage(message: Message): Message {
    const begun = message.with({ timestamp: this.#run.timestamp() });
    return this.feeds('ChatOutput') ? beginSpoken(this.#run, this.#vertex, begun) : begun;
  }

  emitPartial(message: Message): void {
    emitPartial(this.#run, message);
  }

  removePartial({ fields: { id } }: Message): void {
    if (this.#run.request.vertexEvents !== true) return;
    this.#run.emitLater({ event: 'remove_message', data: { id } });
  }

  emitLog(line: Parameters<ComponentContext['emitLog']>[0]): void {
    const { name, message, output } = line;
    const data = { name, message, type: 'object', output, component_id: this.#vertex.id };
    this.#run.emitLater({ event: 'log', data });
  }

  emitBuild(event: 'build_start' | 'build_end'): void {
    this.#run.emitLater({ event, data: { id: this.#vertex.id } });
  }

  async sendMessage(message: Message): Promise<Message> {
    this.#checkStoring();
    this.sentName = message.fields.senderName;
    return sendMessage(this.#run, { vertex: this.#vertex, moment: this.moment }, message);
  }

  async speakMessage(message: Message, stores: boolean): Promise<Message> {
    this.#checkStoring();
    return speakMessage(this.#run, message, stores ? this.moment : null);
  }

  async storeMessage(message: Message, at: RunMoment = this.moment): Promise<Message> {
    this.#checkStoring();
    const addressed = assignMessageIdentity(this.#run, message);
    await this.#run.store(addressed, at);
    // A chat output that gets it sends the same message, in place of the stored one.
    if (addressed.fields.id !== null) this.#run.addPartial(addressed.fields.id);
    return addressed;
  }

  countTokens(usage: MessageUsage): void {
    this.#run.tokens.add(this.#vertex, usage);
  }

  withUsageBefore(message: Message): Message {
    return this.#run.tokens.withUsageBefore(this.#run.plan, this.#vertex, message);
  }

  readMessages(query: MessageQuery, at: RunMoment = this.moment): Promise<readonly Message[]> {
    return this.#run.read(query, at);
  }

  get recordsEffects(): boolean {
    return this.#run.environment.effects !== undefined;
  }

  async effect<Result extends PythonValue>(name: string, act: () => Promise<Result>): Promise<Result> {
    const { effects } = this.#run.environment;
    if (effects === undefined) return act();
    return (await effects.once(this.place, `${name}${toolCallSuffix()}`, act)) as Result;
  }

  async findStep(name: string): Promise<PythonValue | undefined> {
    return this.#run.environment.effects?.findStep(this.place, name);
  }

  stepKey(name: string): string | null {
    if (!this.recordsEffects) return null;
    const { runId, part = '' } = this.#run.environment;
    return createHash('sha256')
      .update(JSON.stringify([runId, part, this.place, name]))
      .digest('hex');
  }

  async recordStep(name: string, result: PythonValue): Promise<void> {
    await this.#run.environment.effects?.recordStep(this.place, name, result);
  }

  variable(name: string): Promise<string | undefined> {
    return this.#run.variable(name);
  }

  hide(texts: readonly string[]): void {
    this.#run.hide(texts);
  }

  get fetch(): typeof fetch {
    return (input, init) => {
      const signal = init?.signal ? AbortSignal.any([this.signal, init.signal]) : this.signal;
      return this.#run.environment.fetch(input, { ...init, signal });
    };
  }

  get langflow(): LangflowRelease {
    return this.#run.environment.langflow ?? '1.13';
  }

  get resources(): RunResources {
    return this.#run.environment.resources;
  }

  get spending(): ModelSpending | undefined {
    return this.#run.environment.spending;
  }

  get observation(): VertexObservation | undefined {
    return this.#executionScope.observed;
  }

  /** A component that stores messages must declare it, because readers do not wait for other components. */
  #checkStoring(): void {
    const { component, displayName } = this.#vertex;
    if (component?.storesMessages !== true)
      throw new RunError('internal', `"${displayName}" stores messages but does not declare it.`);
  }

  #connectedVertex(edge: PlanEdge | undefined): ConnectedVertex | null {
    const vertex = edge === undefined ? undefined : this.#run.plan.vertices[edge.source];
    if (vertex === undefined) return null;
    const { id, type, displayName, component } = vertex;
    const componentName = component?.typeNames?.[type] ?? component?.displayName ?? displayName;
    return { id, type, displayName, componentName, modelName: this.#modelName(vertex) };
  }

  /** Returns the model name of a vertex, from the first of the three fields that different releases use. */
  #modelName(vertex: PlanVertex): string | null {
    const tweaked = this.#run.overrides.get(vertex.index)?.fields;
    for (const name of ['model_name', 'model_id', 'model']) {
      const model = modelNameOf(tweaked?.get(name)?.value ?? vertex.values[name]);
      if (model !== null) return model;
    }
    return null;
  }
}

/** A model is saved as its name or, since 1.7, as a list with one `{ name, provider, … }`. */
function modelNameOf(value: PythonValue | undefined): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  const first: unknown = Array.isArray(value) ? value[0] : null;
  if (typeof first !== 'object' || first === null || !('name' in first)) return null;
  return typeof first.name === 'string' && first.name !== '' ? first.name : null;
}
