import type { RunEnvironment } from '@millrace/engine';
import type { SessionHistory } from '@millrace/runs';
import { digestOf } from './result-key';

/** A run with more lookups is not cached: comparing them is too expensive, or the entry is too large. */
const MAXIMUM_LOOKUPS = 100;
const MAXIMUM_STAMPS = 1_000;

export type Histories = Pick<SessionHistory, 'recent'>;

/** A read of session messages: its query, and the digest of the messages found. */
export interface SessionRead {
  readonly place: Parameters<Histories['recent']>;
  readonly digest: string;
}

/**
 * Records what one attempt reads in addition to its request, and the values that are unique to it. Everything that a
 * component can reach is observed, so the inputs of its answer are known without the help of the component.
 */
export class RunFootprint {
  /** Values of stored and environment variables that were read, by name. */
  readonly variables = new Map<string, string | undefined>();
  readonly reads: SessionRead[] = [];
  /** Ids of the vertices that succeeded. */
  readonly ran = new Set<string>();
  /** Timestamps that the run created. */
  readonly stamps = new Set<string>();
  /** True when the run used HTTP. */
  hasUsedHttp = false;
  /** True when the run had an effect. */
  hasEffects = false;
  /** True when the run used files, scripts, sub-flows or other resources whose changes cannot be detected. */
  hasUsedResources = false;

  /** Whether an entry can contain all values to compare and to replace. */
  get isSmall(): boolean {
    return this.variables.size + this.reads.length <= MAXIMUM_LOOKUPS && this.stamps.size <= MAXIMUM_STAMPS;
  }

  environment(environment: RunEnvironment): RunEnvironment {
    const observed: RunEnvironment = {
      ...environment,
      variable: async (name) => {
        const stored = await environment.variable(name);
        this.variables.set(name, stored ?? environment.environmentVariable?.(name));
        return stored;
      },
      fetch: (...call) => {
        this.hasUsedHttp = true;
        return environment.fetch(...call);
      },
      effects: {
        once: (vertexId, name, act) => {
          this.hasEffects = true;
          return environment.effects?.once(vertexId, name, act) ?? act();
        },
        findStep: async (place, name) => environment.effects?.findStep(place, name),
        recordStep: async (place, name, result) => environment.effects?.recordStep(place, name, result),
      },
      onTimestamp: (timestamp) => {
        if (this.stamps.size <= MAXIMUM_STAMPS) this.stamps.add(timestamp);
      },
      onVertex: ({ state, vertexId }) => {
        if (state === 'succeeded') this.ran.add(vertexId);
      },
    };
    const use = (): RunEnvironment['resources'] => {
      this.hasUsedResources = true;
      return environment.resources;
    };
    return Object.defineProperty(observed, 'resources', { get: use });
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
