import type { Plan, PlanVertex, RunScope, UnlistedVersion } from '../plan/plan';
import type { FlowProblem } from '../document/flow-problem';
import { missingCredentials } from './missing-credentials';

/** How one vertex of a flow runs here. */
export type VertexStatus =
  /** As in Langflow. */
  | 'native'
  /** As in Langflow, after parts of an older file were upgraded. */
  | 'upgraded'
  /**
   * With a component that differs from Langflow's, with another version of the component than the node's unlisted one,
   * or with the stock component in place of edited code.
   */
  | 'approximated'
  /** After missing keys are provided. */
  | 'needs_credentials'
  /** Not until the stock component is accepted in place of the code that its author edited. */
  | 'edited_code'
  /** Not at all: the author wrote the component, and there is no stock component of its type. */
  | 'custom_code'
  /** Not at all: there is no component of its type, or the node is invalid. */
  | 'unsupported';

export interface VertexReport {
  readonly id: string;
  readonly type: string;
  readonly status: VertexStatus;
  /** Why the status is not native; null for native vertices. */
  readonly reason: string | null;
  /** True when the stock component can replace, or replaces, its edited code. */
  readonly acceptable: boolean;
}

export interface FlowReport {
  /** How a run of the flow behaves: the worst status among the vertices that it reaches. */
  readonly verdict: 'runnable' | 'approximated' | 'needs_credentials' | 'refused';
  readonly vertices: readonly VertexReport[];
}

/**
 * Reports for every vertex of a plan how it runs here, and the verdict for a run. `hasVariable` returns whether a run
 * could look up a variable of this name.
 */
export function flowReport(plan: Plan, hasVariable: (name: string) => boolean): FlowReport {
  const vertices = plan.vertices.map((vertex) => vertexReport(vertex, hasVariable));
  const statuses = new Set(runIndexes(plan.scope).map((index) => vertices[index]?.status));
  return { verdict: verdictOf(statuses), vertices };
}

function runIndexes(scope: RunScope): readonly number[] {
  return [...scope.vertices, ...[...scope.bodies.values()].flatMap((body) => runIndexes(body.scope))];
}

const refusedStatuses: readonly VertexStatus[] = ['edited_code', 'custom_code', 'unsupported'];

function verdictOf(statuses: ReadonlySet<VertexStatus | undefined>): FlowReport['verdict'] {
  if (refusedStatuses.some((status) => statuses.has(status))) return 'refused';
  if (statuses.has('needs_credentials')) return 'needs_credentials';
  return statuses.has('approximated') ? 'approximated' : 'runnable';
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

/** Without a component of the type, code that Langflow never published is a component of the author. */
function refusedStatus({ code }: FlowProblem, { codeOrigin }: PlanVertex): VertexStatus {
  if (code === 'edited_code') return 'edited_code';
  return code === 'unknown_component' && codeOrigin === 'edited' ? 'custom_code' : 'unsupported';
}

function unlistedReason({ savedBy, missing }: UnlistedVersion): string {
  const release = savedBy === '' ? 'A release of Langflow' : `Langflow ${savedBy}`;
  const parts = [
    ...(missing.fields.length > 0 ? [`the fields ${missing.fields.join(', ')}`] : []),
    ...(missing.outputs.length > 0 ? [`the outputs ${missing.outputs.join(', ')}`] : []),
  ];
  const missingSentence = parts.length > 0 ? ` The component here lacks ${parts.join(' and ')}.` : '';
  return `${release} saved the node with an unlisted version of the component.${missingSentence}`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
