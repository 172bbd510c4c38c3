import {
  askingTraits,
  canAsk,
  cannotWait,
  ComponentError,
  RunError,
  RunSuspension,
  toolCallId,
} from '@millrace/flow';
import type {
  LocalVectors,
  McpServers,
  Permission,
  PythonVertices,
  RunFiles,
  RunResources,
  Scripts,
  SubFlows,
  Plan,
  RunMoment,
  SubFlow,
  SubFlowInput,
  SubFlowOutput,
  SubFlowRequest,
} from '@millrace/flow';
import type { McpServerStore, FlowStore, FlowSummary } from '@millrace/runs';
import { parsePythonJson } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { executePart } from '@millrace/engine';
import type { RunEnvironment } from '@millrace/engine';
import type { StoredCheckpoint, SubFlowVersion } from '../stored-checkpoint';
import type { ResourceProviders } from './resource-providers';
import { StoredRunFiles } from './stored-run-files';
import type { ResourceOwner } from './stored-run-files';
import { UserVectors } from './user-vectors';
import type { PlanCache } from '../plan-cache';

/** The resources that the components of one attempt can use; each is created on first use. */
export class AttemptResources implements RunResources {
  readonly #providers: ResourceProviders;
  #files: RunFiles | null = null;
  readonly owner: ResourceOwner;
  readonly flows: SubFlows;
  readonly python: PythonVertices;

  constructor(
    providers: ResourceProviders,
    owner: ResourceOwner,
    { flows, python }: { readonly flows: SubFlows; readonly python: PythonVertices },
  ) {
    this.#providers = providers;
    this.owner = owner;
    this.flows = flows;
    this.python = python;
  }

  get files(): RunFiles {
    this.#files ??= new StoredRunFiles(this.#providers.files, this.owner);
    return this.#files;
  }

  get vectors(): LocalVectors {
    return new UserVectors(this.#providers.vectors, this.owner.userId, this.owner.signal);
  }

  get scripts(): Scripts {
    return this.#providers.scripts;
  }

  get mcpServers(): McpServers {
    return new UserMcpServers(this.#providers.mcpServers, this.owner.userId);
  }

  dial(...to: Parameters<RunResources['dial']>): ReturnType<RunResources['dial']> {
    return this.#providers.dial(...to);
  }

  isAllowed(permission: Permission): boolean {
    return this.#providers.permissions.has(permission);
  }
}

/** The stored MCP servers of one user. */
export class UserMcpServers implements McpServers {
  readonly #store: McpServerStore;
  readonly #userId: string;

  constructor(store: McpServerStore, userId: string) {
    this.#store = store;
    this.#userId = userId;
  }

  async find(name: string): Promise<PythonObject | null> {
    const config = await this.#store.find(this.#userId, name);
    return config === null ? null : (parsePythonJson(JSON.stringify(config)) as PythonObject);
  }
}

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
  /** Absent for a run that cannot wait for a person. */
  readonly checkpoint: StoredCheckpoint | undefined;
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
  readonly checkpoint: StoredCheckpoint | undefined;
}

/** Finds the flows of a run's user and runs them as parts of the run. */
export class RunSubFlows implements SubFlows {
  readonly #options: RunSubFlowsOptions;
  /** The names of the enclosing parts, outermost first, and of this part. */
  readonly #path: readonly string[];
  readonly #checkpoint: StoredCheckpoint | undefined;
  readonly #calls = new Map<string, number>();

  constructor(
    options: RunSubFlowsOptions,
    path: readonly string[] = [],
    checkpoint: StoredCheckpoint | undefined = options.checkpoint,
  ) {
    this.#options = options;
    this.#path = path;
    this.#checkpoint = checkpoint;
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

  async asks(flow: SubFlow): Promise<boolean> {
    if (this.#checkpoint === undefined) return false;
    const traitsOf = async (of: SubFlowVersion) => askingTraits(await this.#plan(of));
    return canAsk(await traitsOf(flow), { find: (name) => this.find(name), traitsOf });
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
    const uniqueName = this.#uniqueName(call);
    const path = [...this.#path, uniqueName];
    // A further attempt does not repeat the calls of tools that have ended, so that it would count others than this one did.
    const id = toolCallId();
    const checkpoint = this.#checkpoint?.ofPart(id === null ? uniqueName : `${call} ${id}`);
    const flows = new RunSubFlows(this.#options, path, checkpoint);
    const began = checkpoint?.flow ?? flow;
    const plan = await this.#plan(began);
    refuseUnasked(plan, checkpoint);
    const inputs = input === undefined ? [] : [input];
    try {
      return await executePart(
        plan,
        { ...request, form: 'simple', inputs, stream: false, globalVariables },
        partEnvironment({ flowId: began.id, name: path.join('/'), moment, signal, flows, checkpoint }),
      );
    } catch (error) {
      // It goes on with this version, as the run does with its own.
      if (error instanceof RunSuspension) checkpoint?.keepFlow(began);
      throw error;
    }
  }

  #uniqueName(call: string): string {
    const count = (this.#calls.get(call) ?? 0) + 1;
    this.#calls.set(call, count);
    return count === 1 ? call : `${call} ${count}`;
  }

  async #plan({ id, version }: SubFlowVersion): Promise<Plan> {
    const plan = await this.#options.plans.get(id, version);
    if (plan === null) throw new ComponentError('Flow not found');
    return plan;
  }
}

/** Refuses a flow that can ask a person before it runs, where its run cannot wait. */
function refuseUnasked({ asking }: Plan, checkpoint: StoredCheckpoint | undefined): void {
  if (asking !== null && checkpoint === undefined) throw cannotWait(asking);
}

function subFlow({ id, name, description, version }: FlowSummary): SubFlow {
  return { id, name, description: description ?? '', version };
}
