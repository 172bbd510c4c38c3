import { isKnownCode } from '../plan/known-code';
import { extensionClass } from '../plan/find-component';
import type { FlowProblem, Plan, PlanVertex, RunScope } from '../plan/plan';
import { missingCredentials } from './missing-credentials';

/** How one vertex of a flow runs here. */
export type VertexStatus =
  /** As in Langflow. */
  | 'native'
  /** As in Langflow, after something of an older file was brought up to date. */
  | 'upgraded'
  /** By a component that differs from Langflow's, or by the stock component in place of edited code. */
  | 'approximated'
  /** Once a key is given. */
  | 'needs_credentials'
  /** Not at all: it carries code of its author's, or is of a type of its author's. */
  | 'edited_code'
  /** Not at all: there is no component of its type, or the node is damaged. */
  | 'unsupported';

export interface VertexReport {
  readonly id: string;
  readonly type: string;
  readonly status: VertexStatus;
  /** Why it is not simply native. */
  readonly reason: string | null;
}

export interface FlowReport {
  /** What becomes of a run: of the vertices it reaches, the worst decides. */
  readonly verdict: 'runnable' | 'approximated' | 'needs_credentials' | 'refused';
  readonly vertices: readonly VertexReport[];
}

/**
 * Says of every vertex of a plan how it runs here, and what becomes of a run. `hasVariable` tells whether a run could
 * look up a variable of this name.
 */
export function flowReport(plan: Plan, hasVariable: (name: string) => boolean): FlowReport {
  const vertices = plan.vertices.map((vertex) => vertexReport(vertex, hasVariable));
  const met = new Set(runIndexes(plan.scope).map((index) => vertices[index]?.status));
  return { verdict: verdictOf(met), vertices };
}

function runIndexes(scope: RunScope): readonly number[] {
  return [...scope.vertices, ...[...scope.bodies.values()].flatMap((body) => runIndexes(body.scope))];
}

function verdictOf(met: ReadonlySet<VertexStatus | undefined>): FlowReport['verdict'] {
  if (met.has('edited_code') || met.has('unsupported')) return 'refused';
  if (met.has('needs_credentials')) return 'needs_credentials';
  return met.has('approximated') ? 'approximated' : 'runnable';
}

function vertexReport(vertex: PlanVertex, hasVariable: (name: string) => boolean): VertexReport {
  const { id, type, problem, component, upgrades } = vertex;
  const about = (status: VertexStatus, reason: string | null) => ({ id, type, status, reason });
  if (problem !== null) return about(refusedStatus(problem, vertex), problem.message);
  const credentials = missingCredentials(vertex, hasVariable);
  if (credentials.length > 0) return about('needs_credentials', `It needs ${credentials.join(', ')}.`);
  if (vertex.replacesCode) {
    return about(
      'approximated',
      'The stock component runs in place of the code it carries, as its owner accepted.',
    );
  }
  if (component?.approximates !== undefined) return about('approximated', component.approximates);
  if (upgrades.length > 0) return about('upgraded', `${sentence(upgrades.join('; '))}.`);
  return about('native', null);
}

/** Where there is no component, code that was never published for the type was written by somebody, too. */
function refusedStatus({ code }: FlowProblem, { type, codeHash }: PlanVertex): VertexStatus {
  if (code === 'edited_code') return 'edited_code';
  const types = [type, extensionClass(type) ?? type];
  const isAuthors = code === 'unknown_component' && !isKnownCode(types, { hash: codeHash, isCarried: true });
  return isAuthors ? 'edited_code' : 'unsupported';
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
