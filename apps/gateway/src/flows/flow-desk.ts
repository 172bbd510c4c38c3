import type { FlowBody } from '@millrace/contracts';
import type { ComponentRegistry, FlowProblem } from '@millrace/flow';
import type { FlowRecord, FlowStore, SessionHistory } from '@millrace/runs';
import type { ControlChannel } from '../runs/control-channel';
import type { FlowCache } from './flow-cache';
import { flowChangesFromBody, newFlowFromBody } from './flow-from-body';
import { inspectFlow } from './inspect-flow';

export interface FlowDeskOptions {
  readonly flows: FlowStore;
  readonly cache: FlowCache;
  readonly control: ControlChannel;
  readonly history: SessionHistory;
  readonly registry: ComponentRegistry;
}

export interface FiledFlow {
  readonly flow: FlowRecord;
  readonly problems: readonly FlowProblem[];
}

/** Files and changes flows: each is looked through first, and every process hears of the change after. */
export class FlowDesk {
  readonly #options: FlowDeskOptions;

  constructor(options: FlowDeskOptions) {
    this.#options = options;
  }

  async create(userId: string, body: FlowBody): Promise<FiledFlow> {
    const problems = this.#inspect(body.data);
    return { flow: await this.#options.flows.create(userId, newFlowFromBody(body)), problems };
  }

  /** Null when the user has no such flow. */
  async update(userId: string, id: string, body: Partial<FlowBody>): Promise<FiledFlow | null> {
    const { flows } = this.#options;
    const before = await flows.find(userId, id);
    if (!before) return null;
    const problems = this.#inspect(body.data === undefined ? before.document : body.data);
    const flow = await flows.update(userId, id, flowChangesFromBody(body, before.attributes));
    this.#announce(id);
    return flow && { flow, problems };
  }

  /** False when the user has no such flow. */
  async delete(userId: string, id: string): Promise<boolean> {
    const { flows, history } = this.#options;
    await history.forgetFlow(userId, id);
    const deleted = await flows.delete(userId, id);
    if (deleted) this.#announce(id);
    return deleted;
  }

  #inspect(document: unknown): readonly FlowProblem[] {
    return inspectFlow(document, 'unsaved', this.#options.registry);
  }

  #announce(flowId: string): void {
    this.#options.cache.forget(flowId);
    void this.#options.control.send({ kind: 'flow-changed', flowId });
  }
}
