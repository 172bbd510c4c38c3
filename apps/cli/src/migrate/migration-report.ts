import type { CheckedFlow } from '../flows/flow-checker';

export const migratedKinds = ['users', 'flows', 'keys', 'variables', 'files', 'messages'] as const;
export type MigratedKind = (typeof migratedKinds)[number];

/** What became of the records of one kind. */
export interface KindCount {
  /** Stored, or with a dry run: would be stored. */
  moved: number;
  /** Was there already. */
  present: number;
  /** Cannot be moved; `problems` has the reasons. */
  skipped: number;
}

export interface MigratedFlow {
  readonly id: string;
  readonly name: string;
  /** Number of vertices that run natively (exactly or approximated), in Python, after something is provided, or not. */
  readonly vertices: Readonly<Record<'native' | 'python' | 'needs' | 'refused', number>>;
  readonly verdict: CheckedFlow['verdict'];
  /** Why vertices do not run natively, each reason once. */
  readonly reasons: readonly string[];
}

export interface MigrationProblem {
  readonly kind: MigratedKind;
  readonly name: string;
  readonly reason: string;
}

/** Of messages and files, which can be millions, only the first problems are listed. */
const MAXIMUM_PROBLEMS_OF_A_KIND = 1_000;

/** Collects what a migration did. Its size grows with the number of flows, keys and variables. */
export class MigrationReport {
  readonly counts: Readonly<Record<MigratedKind, KindCount>> = {
    users: { moved: 0, present: 0, skipped: 0 },
    flows: { moved: 0, present: 0, skipped: 0 },
    keys: { moved: 0, present: 0, skipped: 0 },
    variables: { moved: 0, present: 0, skipped: 0 },
    files: { moved: 0, present: 0, skipped: 0 },
    messages: { moved: 0, present: 0, skipped: 0 },
  };
  readonly flows: MigratedFlow[] = [];
  readonly problems: MigrationProblem[] = [];

  count(kind: MigratedKind, state: keyof KindCount, number = 1): void {
    this.counts[kind][state] += number;
  }

  skip(kind: MigratedKind, name: string, reason: string): void {
    this.count(kind, 'skipped');
    this.note(kind, name, reason);
  }

  /** Adds a problem of a record that is moved all the same. */
  note(kind: MigratedKind, name: string, reason: string): void {
    if (this.problems.filter((problem) => problem.kind === kind).length < MAXIMUM_PROBLEMS_OF_A_KIND)
      this.problems.push({ kind, name, reason });
  }

  addFlow(id: string, name: string, { verdict, vertices, error }: CheckedFlow): void {
    const counts = { native: 0, python: 0, needs: 0, refused: 0 };
    for (const { status } of vertices) counts[groupOf(status)] += 1;
    const reasons = new Set(
      vertices.flatMap(({ status, reason }) => (status === 'native' ? [] : (reason ?? []))),
    );
    if (error !== undefined) reasons.add(error);
    this.flows.push({ id, name, vertices: counts, verdict, reasons: [...reasons] });
  }
}

function groupOf(status: CheckedFlow['vertices'][number]['status']): keyof MigratedFlow['vertices'] {
  if (status === 'refused') return 'refused';
  if (status === 'python') return 'python';
  return status.startsWith('needs_') ? 'needs' : 'native';
}
