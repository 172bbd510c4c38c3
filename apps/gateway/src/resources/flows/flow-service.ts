import type { FlowCache } from '@millrace/access';
import type { FlowBody } from '@millrace/contracts';
import { compile, parseFlowDocument } from '@millrace/flow';
import type { ComponentRegistry, EditedCodeRule } from '@millrace/flow';
import type { FlowChanges, FlowRecord, FlowStore, SessionHistory, VariableStore } from '@millrace/runs';
import type { ControlChannel } from '../../runs/control-channel';
import { acceptCode } from './accept-code';
import { flowChangesFromBody, newFlowFromBody } from './flow-from-body';
import { inspectFlow, isEmptyDocument } from './inspect-flow';
import type { FlowInspection } from './inspect-flow';
import { withEditedCodeRule } from './with-edited-code-rule';

export interface FlowServiceOptions {
  readonly flows: FlowStore;
  readonly cache: FlowCache;
  readonly control: ControlChannel;
  readonly history: SessionHistory;
  readonly registry: ComponentRegistry;
  readonly variables: Pick<VariableStore, 'list'>;
  /** Returns an environment variable that flows can use. */
  readonly environmentVariable: (name: string) => string | undefined;
}

export interface StoredFlow {
  readonly flow: FlowRecord;
  readonly inspection: FlowInspection;
}

/** Creates and changes flows. Inspects each first, and announces changes to all processes. */
export class FlowService {
  readonly #options: FlowServiceOptions;

  constructor(options: FlowServiceOptions) {
    this.#options = options;
  }

  /** Creates a flow. The rule `stock` accepts the stock components instead of edited code. */
  async create(
    userId: string,
    body: FlowBody,
    { code = 'refuse' }: { readonly code?: EditedCodeRule } = {},
  ): Promise<StoredFlow> {
    const flow = newFlowFromBody(body);
    const withRule = withEditedCodeRule(flow.document, flow.settings?.editedCode);
    const document = code === 'stock' ? this.#withAcceptedCode(withRule, 'all') : withRule;
    const inspection = await this.inspect(userId, document);
    return { flow: await this.#options.flows.create(userId, { ...flow, document }), inspection };
  }

  /** Changes a flow. Resolves to null when the user has no such flow. */
  async update(userId: string, id: string, body: Partial<FlowBody>): Promise<StoredFlow | null> {
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
   * Accepts the stock component instead of the edited code of these vertices, or of all that can, in a new version of
   * the flow. Resolves to null when the user has no such flow.
   */
  async acceptCode(
    userId: string,
    id: string,
    vertexIds: readonly string[] | 'all',
  ): Promise<StoredFlow | null> {
    const before = await this.#options.flows.find(userId, id);
    if (!before) return null;
    const document = this.#withAcceptedCode(before.document, vertexIds);
    return this.#change(userId, id, { document }, await this.inspect(userId, document));
  }

  /** Deletes a flow. Resolves to false when the user has no such flow. */
  async delete(userId: string, id: string): Promise<boolean> {
    const { flows, history } = this.#options;
    await history.invalidateFlow(userId, id);
    const deleted = await flows.delete(userId, id);
    if (deleted) this.#announce(id);
    return deleted;
  }

  /** Reports how a document would run if it were created with this rule. Throws InvalidFlowError. */
  async check(userId: string, document: unknown, code: EditedCodeRule): Promise<FlowInspection> {
    return this.inspect(userId, code === 'stock' ? this.#withAcceptedCode(document, 'all') : document);
  }

  /** Reports how a document of this user would run, without storing it. Throws InvalidFlowError. */
  async inspect(userId: string, document: unknown): Promise<FlowInspection> {
    const { registry, variables, environmentVariable } = this.#options;
    const names = new Set((await variables.list(userId)).map(({ name }) => name));
    const hasVariable = (name: string) => names.has(name) || environmentVariable(name) !== undefined;
    return inspectFlow(document, { registry, hasVariable });
  }

  #withAcceptedCode(document: unknown, vertexIds: readonly string[] | 'all'): unknown {
    const { registry } = this.#options;
    const parsed = parseFlowDocument(isEmptyDocument(document) ? { nodes: [] } : document);
    return acceptCode(document, compile(parsed, { flowId: 'unsaved', version: 0, registry }), vertexIds);
  }

  async #change(
    userId: string,
    id: string,
    changes: FlowChanges,
    inspection: FlowInspection,
  ): Promise<StoredFlow | null> {
    const flow = await this.#options.flows.update(userId, id, changes);
    this.#announce(id);
    return flow && { flow, inspection };
  }

  #announce(flowId: string): void {
    this.#options.cache.invalidate(flowId);
    void this.#options.control.send({ kind: 'flow-changed', flowId });
  }
}
