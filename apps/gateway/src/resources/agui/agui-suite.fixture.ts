import type { HumanRequest } from '@millrace/flow';
import { until } from '@millrace/service/testing';
import { askingFlow } from '../../testing/asking-flow';
import { readEvents } from '../../testing/read-events';
import type { TakenJob } from '../../testing/test-executor';
import { openTestGateway, TEST_KEY } from '../../testing/test-gateway';
import type { Answer, TestGateway } from '../../testing/test-gateway';

export interface AguiEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

export const question: HumanRequest = {
  request_id: 'HumanInput-h:run',
  kind: 'node_input',
  prompt: 'ship it?',
  options: [{ action_id: 'approve', label: 'Approve' }],
  allowed_decisions: ['approve', 'reject'],
  timeout_seconds: 60,
  fallback_action: null,
};

/** A gateway with a flow that asks, and clients of its route. Its executor takes the place of a real one. */
export class AguiSuite {
  readonly gateway: TestGateway;
  readonly flowId: string;
  /** What a run asks. */
  asks: readonly HumanRequest[] = [question];
  readonly #taken = new Map<string, TakenJob>();
  #runs = 0;

  static async open(): Promise<AguiSuite> {
    const gateway = await openTestGateway();
    return new AguiSuite(gateway, await makeFlow(gateway, 'asking'));
  }

  private constructor(gateway: TestGateway, flowId: string) {
    this.gateway = gateway;
    this.flowId = flowId;
  }

  /** Makes the executor ask in each run. */
  reset(): void {
    this.asks = [question];
    this.gateway.executor.handleJob = async (job) => {
      const { runId } = job.job;
      this.#taken.set(runId, job);
      await this.gateway.runs.claim([{ runId, worker: 'test', redelivered: false }]);
      await job.events([{ event: 'token', data: { chunk: 'hm', id: 'm-1' } }]);
      await this.#suspend(runId, 1);
    };
  }

  /** Continues an answered run as an executor does: with these events, to its end or to another question. */
  async goOn(runId: string, events: readonly object[], attempt = 2, asksAgain = false): Promise<void> {
    const { runs, user } = this.gateway;
    await until(async () => (await runs.find(user.id, runId))?.status === 'accepted');
    await runs.releaseBacklog({ publishedPerUser: 0, limit: 500 });
    await runs.claim([{ runId, worker: 'test', redelivered: false }]);
    await this.#taken.get(runId)?.events(events, attempt);
    if (asksAgain) return this.#suspend(runId, attempt);
    const result = JSON.stringify({ session_id: 's', outputs: [] });
    await runs.complete([{ runId, attempt, status: 'succeeded', result, failure: null, messages: [] }]);
    await this.#taken.get(runId)?.final('succeeded', {}, attempt);
  }

  /** Returns the body of a new run. */
  input(changes: object = {}) {
    return {
      threadId: 't',
      runId: `r-${++this.#runs}`,
      messages: [
        { id: '1', role: 'user', content: 'first' },
        { id: '2', role: 'assistant', content: 'answer' },
        { id: '3', role: 'user', content: [{ type: 'text', text: 'hello' }] },
      ],
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
      ...changes,
    };
  }

  /** Runs the flow, and reads the stream to its end. */
  async agent(body: object, { flow = this.flowId, key = TEST_KEY } = {}) {
    const response = await fetch(`${this.gateway.url}/api/v1/agui/${flow}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const events: AguiEvent[] = [];
    for await (const event of readEvents(response)) events.push(event as unknown as AguiEvent);
    const last = events.at(-1);
    const { interrupts = [] } = (last?.['outcome'] ?? {}) as { interrupts?: { id: string }[] };
    const ids = interrupts.map(({ id }) => id);
    return { status: response.status, runId: response.headers.get('x-run-id') ?? '', events, last, ids };
  }

  refusal(body: object, flow = this.flowId): Promise<Answer> {
    return this.gateway.call('POST', `/api/v1/agui/${flow}`, body);
  }

  async #suspend(runId: string, attempt: number): Promise<void> {
    const job = this.#taken.get(runId);
    const requests = [...this.asks];
    await this.gateway.runs.suspend({ runId, attempt, results: '{}', requests, messages: [] });
    const events = requests.map((data) => ({ event: 'human_input_required', data }));
    await job?.events(events, attempt);
    await job?.final('suspended', {}, attempt);
  }
}

export function makeFlow(gateway: TestGateway, name: string): Promise<string> {
  return gateway.createFlow({ name, endpoint_name: name, data: askingFlow });
}

export const resolved = (interruptId: string, payload: unknown) => ({
  interruptId,
  status: 'resolved',
  payload,
});
