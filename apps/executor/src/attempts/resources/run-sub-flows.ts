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

/** Maximum nesting depth of flows. */
const MAXIMUM_DEPTH = 10;
const MAXIMUM_LISTED_FLOWS = 1_000;
const INPUT_FIELDS = ['input_value', 'data'];

export interface RunSubFlowsOptions {
  readonly flows: Pick<FlowStore, 'findSummary' | 'listSummaries'>;
  readonly plans: Pick<PlanCache, 'get'>;
  readonly userId: string;
  /** From the request; sub-flows can use them, too. */
  readonly globalVariables: Readonly<Record<string, string>>;
  /** Creates the environment of a sub-flow. */
  partEnvironment(part: RunPart): RunEnvironment;
}

/** A sub-flow that runs as part of a run. */
export interface RunPart {
  readonly flowId: string;
  /** Unique among all parts of the run, and the same in each attempt. */
  readonly name: string;
  readonly moment: RunMoment;
  readonly signal: AbortSignal;
  /** The flows that it can run. */
  readonly flows: SubFlows;
}

/** Finds the flows of a run's user and runs them as parts of the run. */
export class RunSubFlows implements SubFlows {
  readonly #options: RunSubFlowsOptions;
  /** The names of the enclosing parts, outermost first, and of this part. */
  readonly #path: readonly string[];
  readonly #calls = new Map<string, number>();

  constructor(options: RunSubFlowsOptions, path: readonly string[] = []) {
    this.#options = options;
    this.#path = path;
  }

  async find(reference: string): Promise<SubFlow | null> {
    const { flows, userId } = this.#options;
    const summary = await flows.findSummary(userId, reference);
    return summary === null ? null : subFlow(summary);
  }

  async list(): Promise<readonly SubFlow[]> {
    const { flows, userId } = this.#options;
    return (await flows.listSummaries(userId, MAXIMUM_LISTED_FLOWS)).map(subFlow);
  }

  async inputs(flow: SubFlow): Promise<readonly SubFlowInput[]> {
    const { vertices } = await this.#plan(flow);
    return vertices.flatMap(({ id, displayName, isInput, fields }) => {
      const field = isInput ? INPUT_FIELDS.find((name) => fields.has(name)) : undefined;
      return field === undefined ? [] : [{ vertexId: id, displayName, field }];
    });
  }

  async run(
    flow: SubFlow,
    { input, call, moment, ...request }: SubFlowRequest,
    signal: AbortSignal,
  ): Promise<readonly SubFlowOutput[]> {
    if (this.#path.length === MAXIMUM_DEPTH) {
      throw new RunError('too_many_vertices', `Flows can be nested at most ${MAXIMUM_DEPTH} levels deep.`);
    }
    const { globalVariables, partEnvironment } = this.#options;
    const path = [...this.#path, this.#uniqueName(call)];
    const flows = new RunSubFlows(this.#options, path);
    return executePart(
      await this.#plan(flow),
      {
        ...request,
        form: 'simple',
        inputs: input === undefined ? [] : [input],
        stream: false,
        globalVariables,
      },
      partEnvironment({ flowId: flow.id, name: path.join('/'), moment, signal, flows }),
    );
  }

  #uniqueName(call: string): string {
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
