import { executePart } from '@millrace/engine';
import type { RunEnvironment } from '@millrace/engine';
import { ComponentError, RunError } from '@millrace/flow';
import type { Plan, SubFlow, SubFlowInput, SubFlowOutput, SubFlowRequest, SubFlows } from '@millrace/flow';
import type { FlowStore, FlowSummary } from '@millrace/runs';
import type { PlanCache } from '../plan-cache';

/** How deep flows may run each other. */
const deepest = 10;
const mostListed = 1_000;
const inputFields = ['input_value', 'data'];

export interface RunSubFlowsOptions {
  readonly flows: Pick<FlowStore, 'findSummary' | 'listSummaries'>;
  readonly plans: Pick<PlanCache, 'get'>;
  readonly userId: string;
  /** Of the request: the flows it runs may use them too. */
  readonly globalVariables: Readonly<Record<string, string>>;
  /** What a flow runs in that is a part of the run. */
  partEnvironment(flowId: string, signal: AbortSignal, flows: SubFlows): RunEnvironment;
}

/** The flows of a run's user, run inside the run. */
export class RunSubFlows implements SubFlows {
  readonly #options: RunSubFlowsOptions;
  readonly #depth: number;

  constructor(options: RunSubFlowsOptions, depth = 0) {
    this.#options = options;
    this.#depth = depth;
  }

  async find(reference: string): Promise<SubFlow | null> {
    const { flows, userId } = this.#options;
    const summary = await flows.findSummary(userId, reference);
    return summary === null ? null : subFlow(summary);
  }

  async list(): Promise<readonly SubFlow[]> {
    const { flows, userId } = this.#options;
    return (await flows.listSummaries(userId, mostListed)).map(subFlow);
  }

  async inputs(flow: SubFlow): Promise<readonly SubFlowInput[]> {
    const { vertices } = await this.#plan(flow);
    return vertices.flatMap(({ id, displayName, isInput, fields }) => {
      const field = isInput ? inputFields.find((name) => fields.has(name)) : undefined;
      return field === undefined ? [] : [{ vertexId: id, displayName, field }];
    });
  }

  async run(
    flow: SubFlow,
    { input, ...request }: SubFlowRequest,
    signal: AbortSignal,
  ): Promise<readonly SubFlowOutput[]> {
    if (this.#depth === deepest) {
      throw new RunError('too_many_vertices', `Flows may run each other at most ${deepest} deep.`);
    }
    const { globalVariables, partEnvironment } = this.#options;
    const inner = new RunSubFlows(this.#options, this.#depth + 1);
    return executePart(
      await this.#plan(flow),
      {
        ...request,
        form: 'simple',
        inputs: input === undefined ? [] : [input],
        stream: false,
        globalVariables,
      },
      partEnvironment(flow.id, signal, inner),
    );
  }

  async #plan({ id, version }: SubFlow): Promise<Plan> {
    const plan = await this.#options.plans.get(id, version);
    if (plan === null) throw new ComponentError('Flow not found');
    return plan;
  }
}

function subFlow({ id, name, description, version }: FlowSummary): SubFlow {
  return { id, name, description: description ?? '', version };
}
