import type { FlowBody } from '@millrace/contracts';
import { compile, parseFlowDocument } from '@millrace/flow';
import type { ComponentRegistry } from '@millrace/flow';
import type { FlowChanges, FlowRecord, FlowStore, SessionHistory, VariableStore } from '@millrace/runs';
import type { ControlChannel } from '../runs/control-channel';
import { acceptCode } from './accept-code';
import type { FlowCache } from './flow-cache';
import { flowChangesFromBody, newFlowFromBody } from './flow-from-body';
import { inspectFlow } from './inspect-flow';
import type { FlowInspection } from './inspect-flow';

export interface FlowDeskOptions {
  readonly flows: FlowStore;
  readonly cache: FlowCache;
  readonly control: ControlChannel;
  readonly history: SessionHistory;
  readonly registry: ComponentRegistry;
  readonly variables: Pick<VariableStore, 'list'>;
  /** A variable of the environment that flows may use. */
  readonly environmentVariable: (name: string) => string | undefined;
}

export interface FiledFlow {
  readonly flow: FlowRecord;
  readonly inspection: FlowInspection;
}

/** Files and changes flows: each is looked through first, and every process hears of the change after. */
export class FlowDesk {
  readonly #options: FlowDeskOptions;

  constructor(options: FlowDeskOptions) {
    this.#options = options;
  }

  async create(userId: string, body: FlowBody): Promise<FiledFlow> {
    const inspection = await this.inspect(userId, body.data);
    return { flow: await this.#options.flows.create(userId, newFlowFromBody(body)), inspection };
  }

  /** Null when the user has no such flow. */
  async update(userId: string, id: string, body: Partial<FlowBody>): Promise<FiledFlow | null> {
    const { flows } = this.#options;
    const before = await flows.find(userId, id);
    if (!before) return null;
    const inspection = await this.inspect(userId, body.data === undefined ? before.document : body.data);
    return this.#change(userId, id, flowChangesFromBody(body, before.attributes), inspection);
  }

  /**
   * Lets these vertices run the stock component in place of the code they carry: a new version of the flow. Null when
   * the user has no such flow.
   */
  async acceptCode(userId: string, id: string, vertexIds: readonly string[]): Promise<FiledFlow | null> {
    const { flows, registry } = this.#options;
    const before = await flows.find(userId, id);
    if (!before) return null;
    const plan = compile(parseFlowDocument(before.document ?? { nodes: [] }), {
      flowId: id,
      version: before.version,
      registry,
    });
    const document = acceptCode(before.document, plan, vertexIds);
    return this.#change(userId, id, { document }, await this.inspect(userId, document));
  }

  /** False when the user has no such flow. */
  async delete(userId: string, id: string): Promise<boolean> {
    const { flows, history } = this.#options;
    await history.forgetFlow(userId, id);
    const deleted = await flows.delete(userId, id);
    if (deleted) this.#announce(id);
    return deleted;
  }

  /** Says how a document of this user's would run, without filing it. Throws InvalidFlowError. */
  async inspect(userId: string, document: unknown): Promise<FlowInspection> {
    const { registry, variables, environmentVariable } = this.#options;
    const names = new Set((await variables.list(userId)).map(({ name }) => name));
    const hasVariable = (name: string) => names.has(name) || environmentVariable(name) !== undefined;
    return inspectFlow(document, { registry, hasVariable });
  }

  async #change(
    userId: string,
    id: string,
    changes: FlowChanges,
    inspection: FlowInspection,
  ): Promise<FiledFlow | null> {
    const flow = await this.#options.flows.update(userId, id, changes);
    this.#announce(id);
    return flow && { flow, inspection };
  }

  #announce(flowId: string): void {
    this.#options.cache.forget(flowId);
    void this.#options.control.send({ kind: 'flow-changed', flowId });
  }
}
