import { compile, flowReport, InvalidFlowError, notApproved, parseFlowDocument } from '@millrace/flow';
import type {
  ComponentRegistry,
  FlowProblem,
  FlowReport,
  FlowSettings,
  Plan,
  PlanVertex,
} from '@millrace/flow';
import type { ApprovedCode, SubmittedCode } from '@millrace/runs';

/** The problems of a document, how each of its vertices runs, and what Python it contains. */
export interface FlowInspection {
  readonly problems: readonly FlowProblem[];
  readonly report: FlowReport;
  /** A run of the flow needs Python. */
  readonly needsPython: boolean;
  /** The Python texts of authors in all vertices. */
  readonly texts: readonly SubmittedCode[];
}

export interface InspectOptions {
  readonly registry: ComponentRegistry;
  /** Whether a run could look up a variable of this name. */
  hasVariable(name: string): boolean;
  readonly approvedCode: Pick<ApprovedCode, 'missing'>;
  readonly settings: Pick<FlowSettings, 'sessions'>;
}

const emptyInspection: FlowInspection = {
  problems: [],
  report: { verdict: 'runnable', vertices: [] },
  needsPython: false,
  texts: [],
};

/**
 * Finds the problems of a document: unknown components, edited code, texts without an approval, missing keys, edges
 * without a target. Throws InvalidFlowError when the document is not a flow. A flow without data has no problems.
 */
export async function inspectFlow(document: unknown, options: InspectOptions): Promise<FlowInspection> {
  if (isEmptyDocument(document)) return emptyInspection;
  const { registry, hasVariable, approvedCode, settings } = options;
  const plan = compile(parseFlowDocument(document), { flowId: 'unsaved', version: 0, registry });
  const texts = plan.vertices.flatMap((vertex) => textOf(vertex) ?? []);
  const refused = new Set(await approvedCode.missing(texts.map(({ sha256 }) => sha256)));
  return {
    problems: [
      ...plan.problems,
      ...approvalProblems(plan, refused),
      ...(settings.sessions === 'own' ? [] : sharedHistory(plan)),
    ],
    report: flowReport(plan, { hasVariable, isApproved: (sha256) => !refused.has(sha256) }),
    needsPython: plan.needsPython,
    texts,
  };
}

/** Returns whether a run of a document needs Python; false when it is not a flow. */
export function needsPython(document: unknown, registry: ComponentRegistry): boolean {
  if (isEmptyDocument(document)) return false;
  try {
    return compile(parseFlowDocument(document), { flowId: 'unsaved', version: 0, registry }).needsPython;
  } catch (error) {
    if (error instanceof InvalidFlowError) return false;
    throw error;
  }
}

/** Returns true for a document without nodes and edges. */
export function isEmptyDocument(document: unknown): boolean {
  if (document === null || document === undefined) return true;
  return typeof document === 'object' && Object.keys(document).length === 0;
}

/** Returns the author's text of a vertex; null when it has none. */
function textOf({ type, python }: PlanVertex): SubmittedCode | null {
  const source = python?.source ?? null;
  if (source === null || !('sha256' in source)) return null;
  return { sha256: source.sha256, code: source.text, componentType: type };
}

/** A vertex with another problem could not run with an approval either. */
function approvalProblems({ vertices }: Plan, refused: ReadonlySet<string>): readonly FlowProblem[] {
  return vertices.flatMap((vertex) => {
    const text = vertex.problem === null ? textOf(vertex) : null;
    return text !== null && refused.has(text.sha256) ? [notApproved(vertex, text.sha256)] : [];
  });
}

/** Without a session of their own, what one caller writes reaches the model that another one asks. */
function sharedHistory({ vertices }: Plan): readonly FlowProblem[] {
  const reader = vertices.find(
    ({ component, problem, python }) =>
      component?.readsSession === true && python === null && problem === null,
  );
  if (reader === undefined) return [];
  return [
    {
      code: 'shared_history',
      blocks: false,
      vertexId: reader.id,
      componentType: reader.type,
      message:
        'Callers without session_id share one history. The setting sessions: "own" gives each of them a session.',
    },
  ];
}
