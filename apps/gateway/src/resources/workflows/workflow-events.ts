import { jsonDumpsCompactAscii, parsePythonJson } from '@millrace/python-text';
import type { WorkflowResponse } from './workflow-view';

/** Returns the closing events of a run: each output, then the whole answer. */
export function closingEvents(answer: WorkflowResponse): readonly string[] {
  const outputs = Object.entries(answer.outputs).map(([id, output]) => event('output', { component_id: id, ...output }));
  return [...outputs, event('end', { result: answer })];
}

function event(name: string, data: object): string {
  return `{"event": "${name}", "data": ${jsonDumpsCompactAscii(parsePythonJson(JSON.stringify(data)))}}`;
}
