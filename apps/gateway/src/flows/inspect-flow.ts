import { compile, parseFlowDocument } from '@millrace/flow';
import type { ComponentRegistry, FlowProblem } from '@millrace/flow';

/**
 * What is wrong with a document, without refusing it: unknown components, edited code, wires that lead nowhere. Throws
 * InvalidFlowError when it is no flow at all. A flow without data has no problems yet.
 */
export function inspectFlow(
  document: unknown,
  flowId: string,
  registry: ComponentRegistry,
): readonly FlowProblem[] {
  if (document === null || document === undefined) return [];
  if (typeof document === 'object' && Object.keys(document).length === 0) return [];
  return compile(parseFlowDocument(document), { flowId, version: 0, registry }).problems;
}
