import { compile, flowReport, parseFlowDocument } from '@millrace/flow';
import type { ComponentRegistry, FlowProblem, FlowReport } from '@millrace/flow';

/** The problems of a document, and how each of its vertices runs. */
export interface FlowInspection {
  readonly problems: readonly FlowProblem[];
  readonly report: FlowReport;
}

export interface InspectOptions {
  readonly registry: ComponentRegistry;
  /** Whether a run could look up a variable of this name. */
  hasVariable(name: string): boolean;
}

/**
 * Finds the problems of a document: unknown components, edited code, missing keys, edges without a target. Throws
 * InvalidFlowError when the document is not a flow. A flow without data has no problems.
 */
export function inspectFlow(document: unknown, { registry, hasVariable }: InspectOptions): FlowInspection {
  if (isEmptyDocument(document)) return { problems: [], report: { verdict: 'runnable', vertices: [] } };
  const plan = compile(parseFlowDocument(document), { flowId: 'unsaved', version: 0, registry });
  return { problems: plan.problems, report: flowReport(plan, { hasVariable, isApproved: () => false }) };
}

/** Returns true for a document without nodes and edges. */
export function isEmptyDocument(document: unknown): boolean {
  if (document === null || document === undefined) return true;
  return typeof document === 'object' && Object.keys(document).length === 0;
}
