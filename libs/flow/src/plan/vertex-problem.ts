import type { ComponentRegistry } from '../component/component';
import { documentBounds } from '../document/document-bounds';
import type { FlowProblem } from '../document/flow-problem';
import { pythonProblem } from './python-problem';
import { missingReason } from './find-component';
import type { ResolvedNode } from './resolve-node';
import { toolTableField, toolTableProblem } from './tool-table-problem';

export interface ProblemContext {
  readonly exceedsLoopLimit: boolean;
  readonly registry: ComponentRegistry;
  /** All that call its tools ask a person before, where their author wants that. */
  readonly isApproved: boolean;
}

/** Returns why a vertex cannot run; null when it can. */
export function vertexProblem(
  resolved: ResolvedNode,
  { exceedsLoopLimit, registry, isApproved }: ProblemContext,
): FlowProblem | null {
  const { node, component, isRefusedEdit, python } = resolved;
  const label = `"${node.displayName}" (${node.type})`;
  const location = { blocks: true, vertexId: node.id, componentType: node.type } as const;
  if (!node.hasTemplate) {
    return { ...location, code: 'invalid_node', message: `${label}: the node has no template.` };
  }
  const tools = toolTableProblem(node.fields.get(toolTableField)?.value ?? null, { isApproved });
  if (tools !== null) return { ...location, code: tools.code, message: `${label}: ${tools.message}` };
  if (exceedsLoopLimit) {
    const message = `${label}: a flow can have at most ${documentBounds.loops} loops.`;
    return { ...location, code: 'too_large', message };
  }
  if (python?.state === 'ready') return null;
  const inPython = python === null ? null : pythonProblem(python);
  if (inPython !== null && python?.state !== 'off') {
    const remedy = isRefusedEdit ? ` ${acceptanceRemedy}` : '';
    return { ...location, code: inPython.code, message: `${label}: ${inPython.message}${remedy}` };
  }
  const pythonRemedy = inPython === null ? '' : ` ${inPython.message}`;
  if (isRefusedEdit) {
    const message = `${label}: the node contains edited code, which is not executed. ${acceptanceRemedy}${pythonRemedy}`;
    return { ...location, code: 'edited_code', message };
  }
  if (component === null) {
    const isTextMissing = resolved.origin === 'edited' && python === null;
    const reason = isTextMissing ? missingText : missingReason(registry, node.type);
    const message = `${label}: ${reason}${pythonRemedy}`;
    return { ...location, code: 'unknown_component', message };
  }
  return null;
}

const missingText = "the author's code of this component is not in the file. Export the flow with its code.";

/** Explains how the owner of a flow accepts stock components in place of edited code. */
const acceptanceRemedy =
  'To run the stock component in its place, send {"vertices": "all"} to POST /api/v1/flows/{flow_id}/accepted-code, ' +
  'or set "editedCode": "stock" in the settings of the flow.';
