import type { FlowProblem, Plan, PlanVertex, RunScope, UnlistedVersion } from '../plan/plan';
import { missingCredentials } from './missing-credentials';

/** How one vertex of a flow runs here. */
export type VertexStatus =
  /** As in Langflow. */
  | 'native'
  /** As in Langflow, after something of an older file was brought up to date. */
  | 'upgraded'
  /**
   * By a component that differs from Langflow's, in place of a version of it that is not listed, or in place of edited
   * code.
   */
  | 'approximated'
  /** Once a key is given. */
  | 'needs_credentials'
  /** Not at all, until the stock component is accepted in place of the code that its author edited. */
  | 'edited_code'
  /** Not at all: its author wrote the component, and there is no stock component of its type. */
  | 'custom_code'
  /** Not at all: there is no component of its type, or the node is damaged. */
  | 'unsupported';

export interface VertexReport {
  readonly id: string;
  readonly type: string;
  readonly status: VertexStatus;
  /** Why it is not simply native. */
  readonly reason: string | null;
  /** True when its edited code may be replaced by the stock component, or is. */
  readonly acceptable: boolean;
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

const refusedStatuses: readonly VertexStatus[] = ['edited_code', 'custom_code', 'unsupported'];

function verdictOf(met: ReadonlySet<VertexStatus | undefined>): FlowReport['verdict'] {
  if (refusedStatuses.some((status) => met.has(status))) return 'refused';
  if (met.has('needs_credentials')) return 'needs_credentials';
  return met.has('approximated') ? 'approximated' : 'runnable';
}

function vertexReport(vertex: PlanVertex, hasVariable: (name: string) => boolean): VertexReport {
  const { id, type, problem, component, upgrades, unlistedVersion } = vertex;
  const acceptable = vertex.replacesCode || problem?.code === 'edited_code';
  const about = (status: VertexStatus, reason: string | null) => ({ id, type, status, reason, acceptable });
  if (problem !== null) return about(refusedStatus(problem, vertex), problem.message);
  const credentials = missingCredentials(vertex, hasVariable);
  if (credentials.length > 0) return about('needs_credentials', `It needs ${credentials.join(', ')}.`);
  if (vertex.replacesCode)
    return about('approximated', 'The stock component runs in place of the edited code of the node.');
  if (unlistedVersion !== null) return about('approximated', unlistedReason(unlistedVersion));
  if (component?.approximates !== undefined) return about('approximated', component.approximates);
  if (upgrades.length > 0) return about('upgraded', `${sentence(upgrades.join('; '))}.`);
  return about('native', null);
}

/** Where there is no component, code that Langflow never published makes the component its author's own. */
function refusedStatus({ code }: FlowProblem, { codeOrigin }: PlanVertex): VertexStatus {
  if (code === 'edited_code') return 'edited_code';
  return code === 'unknown_component' && codeOrigin === 'edited' ? 'custom_code' : 'unsupported';
}

function unlistedReason({ savedBy, lacking }: UnlistedVersion): string {
  const release = savedBy === '' ? 'A release of Langflow' : `Langflow ${savedBy}`;
  const parts = [
    ...(lacking.fields.length > 0 ? [`the fields ${lacking.fields.join(', ')}`] : []),
    ...(lacking.outputs.length > 0 ? [`the outputs ${lacking.outputs.join(', ')}`] : []),
  ];
  const lacks = parts.length > 0 ? ` The component here lacks ${parts.join(' and ')}.` : '';
  return `${release} saved it with a version of the component that is not listed here.${lacks}`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
