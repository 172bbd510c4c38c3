import { executePart } from '@millrace/engine';
import type { RunEnvironment } from '@millrace/engine';
import { ComponentError, RunError } from '@millrace/flow';
import type {
  Plan,
  RunMoment,
  SubFlow,
  SubFlowInput,
  SubFlowOutput,
  SubFlowRequest,
  SubFlows,
} from '@millrace/flow';
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
  partEnvironment(part: RunPart): RunEnvironment;
}

/** A flow that runs as a part of a run. */
export interface RunPart {
  readonly flowId: string;
  /** Tells it from all other parts of the run, the same in each attempt. */
  readonly name: string;
  readonly moment: RunMoment;
  readonly signal: AbortSignal;
  /** What it runs in its turn. */
  readonly flows: SubFlows;
}

/** The flows of a run's user, run inside the run. */
export class RunSubFlows implements SubFlows {
  readonly #options: RunSubFlowsOptions;
  /** The parts that this one is a part of, outermost first, and itself. */
  readonly #within: readonly string[];
  readonly #calls = new Map<string, number>();

  constructor(options: RunSubFlowsOptions, within: readonly string[] = []) {
    this.#options = options;
    this.#within = within;
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
    { input, call, moment, ...request }: SubFlowRequest,
    signal: AbortSignal,
  ): Promise<readonly SubFlowOutput[]> {
    if (this.#within.length === deepest) {
      throw new RunError('too_many_vertices', `Flows may run each other at most ${deepest} deep.`);
    }
    const { globalVariables, partEnvironment } = this.#options;
    const within = [...this.#within, this.#numbered(call)];
    const flows = new RunSubFlows(this.#options, within);
    return executePart(
      await this.#plan(flow),
      {
        ...request,
        form: 'simple',
        inputs: input === undefined ? [] : [input],
        stream: false,
        globalVariables,
      },
      partEnvironment({ flowId: flow.id, name: within.join('/'), moment, signal, flows }),
    );
  }

  #numbered(call: string): string {
    const count = (this.#calls.get(call) ?? 0) + 1;
    this.#calls.set(call, count);
    return count === 1 ? call : `${call} ${count}`;
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
