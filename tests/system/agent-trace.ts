import { randomBytes } from 'node:crypto';
import { until } from '@millrace/service/testing';
import { treeOf } from './otlp-receiver';
import type { OtlpReceiver, ReceivedSpan } from './otlp-receiver';

/** Answers of the example `agent-with-tools` that call its calculator once. */
export const TOOL_QUESTION = 'What is 6 * 7? [[call=evaluate_expression with="expression=6*7"]]';

/** A trace of a caller, as its `traceparent` names it. */
export function callersTrace(): {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceparent: string;
} {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` };
}

/** The spans of a run: not those of clients of databases and of the broker. */
export function isOfRun({ name, kind }: ReceivedSpan): boolean {
  return (
    kind === 2 || /^(?:invoke_workflow|queue$|vertex|chat|embeddings|execute_tool|retrieval|POST$)/.test(name)
  );
}

/** The tree of a run of `agent-with-tools` with one call of a tool, from the request to the calls of the model. */
export const AGENT_TREE = [
  'POST /api/v1/run/:flow',
  '  invoke_workflow Agent with tools',
  '    vertex Agent',
  '      chat gpt-4o-mini',
  '        POST',
  '      chat gpt-4o-mini',
  '        POST',
  '      execute_tool evaluate_expression',
  '    vertex Calculator',
  '    vertex Chat Input',
  '    vertex Chat Output',
  '    vertex Current Date',
  '    vertex URL',
  '  queue',
];

/** Resolves to the tree of the run in a trace, as lines. */
export async function agentTree(receiver: OtlpReceiver, traceId: string): Promise<readonly string[]> {
  await receiver.whenTraced(traceId, [...new Set(AGENT_TREE.map((line) => line.trim()))]);
  // Spans between them, such as those of the broker, can arrive later.
  await until(() => rootsOf(receiver.spansOf(traceId)) === 1, 'the parents of all spans', 30_000);
  return treeOf(receiver.spansOf(traceId), isOfRun);
}

function rootsOf(spans: readonly ReceivedSpan[]): number {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  return spans.filter(({ parentSpanId }) => !ids.has(parentSpanId)).length;
}
