import { jsonDumpsCompactAscii, parsePythonJson } from '@millrace/python-text';
import type { WorkflowResponse } from './workflow-view';

/**
 * Returns the closing events of a run: each output except those that no run reaches, then its duration in seconds and the
 * whole answer.
 */
export function closingEvents(
  answer: WorkflowResponse,
  seconds: number,
  ran: ReadonlySet<string>,
): readonly string[] {
  const outputs = Object.entries(answer.outputs)
    .filter(([id]) => ran.has(id))
    .map(([id, output]) => event('output', { component_id: id, ...output }));
  return [...outputs, event('end', { build_duration: seconds, result: answer })];
}

function event(name: string, data: object): string {
  return `{"event": "${name}", "data": ${jsonDumpsCompactAscii(parsePythonJson(JSON.stringify(data)))}}`;
}
