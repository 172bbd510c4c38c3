import { RunError } from '../errors';
import { isJsonObject } from '../document/json-object';
import { tweakedVertex } from './apply-tweaks';
import type { RunRequest, Tweaks } from '../run/run-request';
import { tweakField } from './tweak-field';
import type { Plan, PlanVertex } from '../plan/plan';
import type { FlowProblem } from '../document/flow-problem';
import { toolTableField, toolTableProblem, wantsApprovals } from '../plan/tool-table-problem';
import type { ToolTableProblem } from '../plan/tool-table-problem';

/**
 * Returns why a run of this plan must be refused: one problem for each vertex that it would reach and that cannot run,
 * or whose table of tools a tweak replaces by one that cannot be used; an empty list when the run is allowed.
 */
export function refusals(plan: Plan, request?: Pick<RunRequest, 'tweaks'>): readonly FlowProblem[] {
  if (plan.refusals.length > 0 || request === undefined) return plan.refusals;
  return tweakedToolTables(plan, request.tweaks);
}

const approvalsKept: ToolTableProblem = {
  code: 'approval_unsupported',
  message: 'a person has to approve calls of its tools, which no tweak can change.',
};

function tweakedToolTables(plan: Plan, tweaks: Tweaks): readonly FlowProblem[] {
  return Object.entries(tweaks).flatMap(([key, tweak]) => {
    if (!isJsonObject(tweak)) return key === toolTableField ? plan.vertices.flatMap(withApprovals) : [];
    if (!Object.hasOwn(tweak, toolTableField)) return [];
    const vertex = tweakedVertex(plan, key);
    const field = vertex?.fields.get(toolTableField);
    if (vertex === undefined || field === undefined) return [];
    const table = tweakField(field, tweak[toolTableField]).value;
    const kept = withApprovals(vertex);
    if (kept.length > 0) return kept;
    const problem = toolTableProblem(table, { isApproved: false });
    return problem === null ? [] : [problemOf(vertex, problem)];
  });
}

/** A caller cannot take an approval away, neither from one vertex nor, with a single value, from all. */
function withApprovals(vertex: PlanVertex): readonly FlowProblem[] {
  const table = vertex.fields.get(toolTableField)?.value ?? null;
  return wantsApprovals(table) ? [problemOf(vertex, approvalsKept)] : [];
}

function problemOf(vertex: PlanVertex, { code, message: text }: ToolTableProblem): FlowProblem {
  const message = `"${vertex.displayName}" (${vertex.type}): ${text}`;
  return { code, blocks: true, vertexId: vertex.id, componentType: vertex.type, message };
}

/** Returns the error of a refused run. */
export function refusalError(problems: readonly FlowProblem[]): RunError {
  const reasons = problems.map((problem) => problem.message).join(' ');
  return new RunError('flow_refused', `This flow cannot run: ${reasons}`, { problems });
}
