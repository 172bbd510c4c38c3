import type { RunEnvironment } from '@millrace/engine';
import type { SessionHistory } from '@millrace/runs';
import { digestOf } from './result-key';

/** A run that looks at more is not worth comparing, or makes an entry too large to be of use. */
const MAXIMUM_LOOKUPS = 100;
const MAXIMUM_STAMPS = 1_000;

export type Histories = Pick<SessionHistory, 'recent'>;

/** The messages a run found in a session: where it looked, and what stands for what was there. */
export interface SessionRead {
  readonly place: Parameters<Histories['recent']>;
  readonly digest: string;
}

/**
 * What one attempt looks at beside its request, and what it makes that belongs to it alone. Everything a component can
 * reach is watched: what its answer depends on is known without asking the component.
 */
export class RunFootprint {
  /** Values that stored variables and those of the process had, by name. */
  readonly variables = new Map<string, string | undefined>();
  readonly reads: SessionRead[] = [];
  /** Ids of the vertices that ran to their end. */
  readonly ran = new Set<string>();
  /** Timestamps that the run made. */
  readonly stamps = new Set<string>();
  /** It went out by HTTP. */
  hasCalled = false;
  /** It did something that lasts. */
  hasActed = false;
  /** It used files, scripts, other flows or the like, of which nothing tells whether they are still the same. */
  hasUsedResources = false;

  /** Whether an entry can hold all that there is to compare and to replace. */
  get isSmall(): boolean {
    return this.variables.size + this.reads.length <= MAXIMUM_LOOKUPS && this.stamps.size <= MAXIMUM_STAMPS;
  }

  environment(environment: RunEnvironment): RunEnvironment {
    const watched: RunEnvironment = {
      ...environment,
      variable: async (name) => {
        const stored = await environment.variable(name);
        this.variables.set(name, stored ?? environment.environmentVariable?.(name));
        return stored;
      },
      fetch: (...call) => {
        this.hasCalled = true;
        return environment.fetch(...call);
      },
      effects: {
        once: (vertexId, name, act) => {
          this.hasActed = true;
          return environment.effects?.once(vertexId, name, act) ?? act();
        },
      },
      stamped: (timestamp) => {
        if (this.stamps.size <= MAXIMUM_STAMPS) this.stamps.add(timestamp);
      },
      onVertex: (vertex) => {
        if (vertex.state === 'succeeded') this.ran.add(vertex.vertexId);
        environment.onVertex?.(vertex);
      },
    };
    const use = (): RunEnvironment['resources'] => {
      this.hasUsedResources = true;
      return environment.resources;
    };
    return Object.defineProperty(watched, 'resources', { get: use });
  }

  history(history: Histories): Histories {
    return {
      recent: async (...place) => {
        const rows = await history.recent(...place);
        if (this.reads.length <= MAXIMUM_LOOKUPS) this.reads.push({ place, digest: digestOf(rows) });
        return rows;
      },
    };
  }
}
