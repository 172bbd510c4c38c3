import { compile, flowReport, parseFlowDocument } from '@millrace/flow';
import type { ComponentRegistry, FlowProblem, FlowReport } from '@millrace/flow';

/** What is wrong with a document, and how each of its vertices runs here. */
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
 * Looks through a document without refusing it: unknown components, edited code, missing keys, wires that lead
 * nowhere. Throws InvalidFlowError when it is no flow at all. A flow without data has no problems yet.
 */
export function inspectFlow(document: unknown, { registry, hasVariable }: InspectOptions): FlowInspection {
  if (isEmptyDocument(document)) return { problems: [], report: { verdict: 'runnable', vertices: [] } };
  const plan = compile(parseFlowDocument(document), { flowId: 'unsaved', version: 0, registry });
  return { problems: plan.problems, report: flowReport(plan, hasVariable) };
}

/** True for a flow that was filed without nodes and edges. */
export function isEmptyDocument(document: unknown): boolean {
  if (document === null || document === undefined) return true;
  return typeof document === 'object' && Object.keys(document).length === 0;
}
