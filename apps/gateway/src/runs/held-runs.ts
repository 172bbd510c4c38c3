import type { FlowReference } from '@millrace/runs';

type Send = () => void;

/** What decides the turns of a run within those of its user. */
export interface RunProject {
  /** Null for a flow without a project. */
  readonly id: string | null;
  /** How many of its runs are sent in each of its turns. */
  readonly weight: number;
}

/** Returns the project of a flow's runs. */
export function projectOf({ projectId, limits }: Pick<FlowReference, 'projectId' | 'limits'>): RunProject {
  return { id: projectId, weight: limits?.project?.weight ?? 1 };
}

interface HeldProject {
  readonly id: string | null;
  /** How many further runs are sent in this turn. */
  left: number;
  readonly runs: Map<string, { readonly send: Send; readonly weight: number }>;
}

/** The runs of one user whose jobs are held back. Projects take turns, in each of which as many runs are sent as their weight. */
export class HeldRuns {
  readonly #projects = new Map<string | null, HeldProject>();

  get isEmpty(): boolean {
    return this.#projects.size === 0;
  }

  add({ id, weight }: RunProject, runId: string, send: Send): void {
    const project = this.#projects.get(id) ?? { id, left: weight, runs: new Map() };
    this.#projects.set(id, project);
    project.runs.set(runId, { send, weight });
  }

  /** Returns false for a run that is not held back. */
  remove({ id }: Pick<RunProject, 'id'>, runId: string): boolean {
    const project = this.#projects.get(id);
    if (project?.runs.delete(runId) !== true) return false;
    if (project.runs.size === 0) this.#projects.delete(id);
    return true;
  }

  /** Removes the run whose turn it is, and returns what sends it. */
  take(): Send | undefined {
    const [project] = this.#projects.values();
    const [first] = project?.runs ?? [];
    if (project === undefined || first === undefined) return undefined;
    const [runId, { send, weight }] = first;
    project.left -= 1;
    if (project.left <= 0) {
      project.left = weight;
      this.#projects.delete(project.id);
      this.#projects.set(project.id, project);
    }
    this.remove(project, runId);
    return send;
  }
}
