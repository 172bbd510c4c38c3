import type { HumanRequest } from '@millrace/flow';
import { flowData, node } from '@millrace/testing';
import type { FlowData } from '@millrace/testing';
import type { TakenJob } from './test-executor';
import type { TestGateway } from './test-gateway';

/** Chat Input → Human Input → Chat Output. */
export const askingFlow: FlowData = flowData(
  [
    node('ChatInput-a', { input_value: '' }, 'message'),
    node('HumanInput-h', { prompt: '' }, 'branch_approve', 'branch_reject'),
    node('ChatOutput-z', { input_value: '' }, 'message'),
  ],
  ['ChatInput-a.message > HumanInput-h.prompt', 'HumanInput-h.branch_approve > ChatOutput-z.input_value'],
);

/** Suspends a run of that flow in its first attempt, as an executor does. */
export async function suspendRun(
  { runs }: TestGateway,
  { job: { runId }, events, final }: TakenJob,
  requests: readonly HumanRequest[],
): Promise<void> {
  await runs.claim([{ runId, worker: 'test', redelivered: false }]);
  await runs.suspend({ runId, attempt: 1, results: '{}', requests, messages: [] });
  await events(requests.map((data) => ({ event: 'human_input_required', data })));
  await final('suspended', {});
}
