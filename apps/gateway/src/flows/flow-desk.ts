import type { FlowBody } from '@millrace/contracts';
import { compile, parseFlowDocument } from '@millrace/flow';
import type { ComponentRegistry, EditedCodeRule } from '@millrace/flow';
import type { FlowChanges, FlowRecord, FlowStore, SessionHistory, VariableStore } from '@millrace/runs';
import type { ControlChannel } from '../runs/control-channel';
import { acceptCode } from './accept-code';
import type { FlowCache } from './flow-cache';
import { flowChangesFromBody, newFlowFromBody } from './flow-from-body';
import { inspectFlow, isEmptyDocument } from './inspect-flow';
import type { FlowInspection } from './inspect-flow';
import { withEditedCodeRule } from './with-edited-code-rule';

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

  /** With the code `stock`, stock components are accepted in place of the code that the document carries edited. */
  async create(
    userId: string,
    body: FlowBody,
    { code = 'refuse' }: { readonly code?: EditedCodeRule } = {},
  ): Promise<FiledFlow> {
    const flow = newFlowFromBody(body);
    const ruled = withEditedCodeRule(flow.document, flow.settings?.editedCode);
    const document = code === 'stock' ? this.#accepted(ruled, 'all') : ruled;
    const inspection = await this.inspect(userId, document);
    return { flow: await this.#options.flows.create(userId, { ...flow, document }), inspection };
  }

  /** Null when the user has no such flow. */
  async update(userId: string, id: string, body: Partial<FlowBody>): Promise<FiledFlow | null> {
    const { flows } = this.#options;
    const before = await flows.find(userId, id);
    if (!before) return null;
    const changes = flowChangesFromBody(body, before.attributes);
    const { editedCode } = changes.settings ?? before.settings;
    const given = changes.document === undefined ? before.document : changes.document;
    const document = withEditedCodeRule(given, editedCode);
    const inspection = await this.inspect(userId, document);
    return this.#change(
      userId,
      id,
      document === before.document ? changes : { ...changes, document },
      inspection,
    );
  }

  /**
   * Lets these vertices, or all that can, run the stock component in place of the code they carry: a new version of the
   * flow. Null when the user has no such flow.
   */
  async acceptCode(
    userId: string,
    id: string,
    vertexIds: readonly string[] | 'all',
  ): Promise<FiledFlow | null> {
    const before = await this.#options.flows.find(userId, id);
    if (!before) return null;
    const document = this.#accepted(before.document, vertexIds);
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

  /** Says how a document would run that is filed with this code, without filing it. Throws InvalidFlowError. */
  async check(userId: string, document: unknown, code: EditedCodeRule): Promise<FlowInspection> {
    return this.inspect(userId, code === 'stock' ? this.#accepted(document, 'all') : document);
  }

  /** Says how a document of this user's would run, without filing it. Throws InvalidFlowError. */
  async inspect(userId: string, document: unknown): Promise<FlowInspection> {
    const { registry, variables, environmentVariable } = this.#options;
    const names = new Set((await variables.list(userId)).map(({ name }) => name));
    const hasVariable = (name: string) => names.has(name) || environmentVariable(name) !== undefined;
    return inspectFlow(document, { registry, hasVariable });
  }

  #accepted(document: unknown, vertexIds: readonly string[] | 'all'): unknown {
    const { registry } = this.#options;
    const parsed = parseFlowDocument(isEmptyDocument(document) ? { nodes: [] } : document);
    return acceptCode(document, compile(parsed, { flowId: 'unsaved', version: 0, registry }), vertexIds);
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
