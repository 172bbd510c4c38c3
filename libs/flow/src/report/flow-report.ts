import type { Plan, PlanVertex, UnlistedVersion } from '../plan/plan';
import { reachedVertices } from '../plan/reached-vertices';
import { approvalRemedy } from '../plan/python-problem';
import type { PythonSource } from '../python/python-source';
import { missingCredentials } from './missing-credentials';

/** How one vertex of a flow runs here. */
export type VertexStatus =
  /** As in Langflow. */
  | 'native'
  /** As in Langflow, after parts of an older file were upgraded. */
  | 'upgraded'
  /**
   * With a component that differs from Langflow's, with another version of the component than the node's unlisted one,
   * with the stock component in place of edited code, or without members of a newer release or parts that the component
   * lacks.
   */
  | 'approximated'
  /** In Python: the author's text, or the class of the installed lfx. */
  | 'python'
  /** After missing keys are provided. */
  | 'needs_credentials'
  /** After an admin has approved its text. */
  | 'needs_approval'
  /** After a package was added to the Python environment. */
  | 'needs_package'
  /** After Python was switched on, or an executor with Python was started. */
  | 'needs_python'
  /** Not at all: there is no component of its type, its text is missing, or the node is invalid. */
  | 'refused';

export interface VertexReport {
  readonly id: string;
  readonly type: string;
  readonly status: VertexStatus;
  /** Why the status is not native; null for native vertices. */
  readonly reason: string | null;
  /** True when the stock component can replace, or replaces, its edited code. */
  readonly acceptable: boolean;
  /** The SHA-256 of the author's text that runs in Python, 64 hex digits; null for any other vertex. */
  readonly sha256: string | null;
}

export type FlowVerdict =
  | 'runnable'
  | 'approximated'
  | 'needs_credentials'
  | 'needs_approval'
  | 'needs_package'
  | 'needs_python'
  | 'refused';

export interface FlowReport {
  /** How a run of the flow behaves: the worst status among the vertices that it reaches. */
  readonly verdict: FlowVerdict;
  readonly vertices: readonly VertexReport[];
}

/** What a report needs to know besides the plan. */
export interface ReportContext {
  /** Returns whether a run could look up a variable of this name. */
  hasVariable(name: string): boolean;
  /** Returns whether the text with this SHA-256 can run. */
  isApproved(sha256: string): boolean;
}

/** Reports for every vertex of a plan how it runs here, and the verdict for a run. */
export function flowReport(plan: Plan, context: ReportContext): FlowReport {
  const vertices = plan.vertices.map((vertex) => vertexReport(plan, vertex, context));
  const statuses = new Set(reachedVertices(plan).map(({ index }) => vertices[index]?.status));
  return { verdict: verdictOf(statuses), vertices };
}

/** From the worst to the best. */
const verdicts = [
  'refused',
  'needs_python',
  'needs_package',
  'needs_approval',
  'needs_credentials',
  'approximated',
] as const satisfies readonly VertexStatus[];

function verdictOf(statuses: ReadonlySet<VertexStatus | undefined>): FlowVerdict {
  return verdicts.find((status) => statuses.has(status)) ?? 'runnable';
}

function vertexReport(plan: Plan, vertex: PlanVertex, context: ReportContext): VertexReport {
  const report = knownPartReport(vertex, context);
  const reasons = [...unknownMembersOf(vertex), ...missingPartsOf(plan, vertex)];
  if (reasons.length === 0) return report;
  return {
    ...report,
    status: report.status === 'native' || report.status === 'upgraded' ? 'approximated' : report.status,
    reason: [...(report.reason === null ? [] : [report.reason]), ...reasons].join(' '),
  };
}

function unknownMembersOf({ unknownMembers }: PlanVertex): readonly string[] {
  if (unknownMembers.length === 0) return [];
  return [
    `This release does not know and does not apply these members of the node: ${unknownMembers.join(', ')}.`,
  ];
}

function missingPartsOf({ problems }: Plan, { id }: PlanVertex): readonly string[] {
  return problems
    .filter(({ code, vertexId }) => code === 'missing_part' && vertexId === id)
    .map(({ message }) => message);
}

function knownPartReport(vertex: PlanVertex, { hasVariable, isApproved }: ReportContext): VertexReport {
  const { id, type, acceptable, problem, component, upgrades, unlistedVersion, python } = vertex;
  const source = python?.source ?? null;
  const sha256 = source !== null && 'sha256' in source ? source.sha256 : null;
  const about = (status: VertexStatus, reason: string | null) => ({
    id,
    type,
    status,
    reason,
    acceptable,
    sha256,
  });
  if (problem !== null) return about(statusOfProblem(vertex), problem.message);
  if (sha256 !== null && !isApproved(sha256)) {
    return about('needs_approval', sentence(approvalRemedy(sha256)));
  }
  const credentials = missingCredentials(vertex, hasVariable);
  if (credentials.length > 0) return about('needs_credentials', `It needs ${credentials.join(', ')}.`);
  if (source !== null) return about('python', pythonReason(source));
  if (vertex.replacesCode)
    return about('approximated', 'The stock component runs in place of the edited code of the node.');
  if (unlistedVersion !== null) return about('approximated', unlistedReason(unlistedVersion));
  if (component?.approximates !== undefined) return about('approximated', component.approximates);
  if (upgrades.length > 0) return about('upgraded', `${sentence(upgrades.join('; '))}.`);
  return about('native', null);
}

function statusOfProblem({ python }: PlanVertex): VertexStatus {
  if (python === null || python.state === 'ready' || python.state === 'executes_code') return 'refused';
  return python.state === 'missing_modules' ? 'needs_package' : 'needs_python';
}

function pythonReason(source: PythonSource): string {
  return 'module' in source ? `It runs in Python, as ${source.module}.` : 'Its text runs in Python.';
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
