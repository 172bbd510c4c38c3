import { noResources } from '../run/no-resources';
import type { Plan, RunEvent, RunMoment, RunRequest, RunResponse } from '@millrace/flow';
import type { Message } from '@millrace/python-text';
import { execute } from '../execute';
import type { RunEnvironment, VertexReport } from '../run/run-environment';

/** The response of a run and its recorded side effects. */
export interface TestRun {
  readonly response: RunResponse;
  readonly stored: readonly Message[];
  readonly events: readonly RunEvent[];
  readonly reports: readonly VertexReport[];
}

export function chatRequest(inputValue: string, changes: Partial<RunRequest> = {}): RunRequest {
  return {
    form: 'simple',
    inputs: [{ components: [], inputValue, type: 'chat' }],
    outputs: { by: 'type', type: 'chat' },
    tweaks: {},
    stream: false,
    sessionId: 'session-1',
    globalVariables: {},
    ...changes,
  };
}

/** Returns an environment that records messages, events and reports. */
export function testEnvironment(changes: Partial<RunEnvironment> = {}): RunEnvironment & {
  readonly stored: Message[];
  readonly events: RunEvent[];
  readonly reports: VertexReport[];
} {
  const stored: Message[] = [];
  const moments: RunMoment[] = [];
  const events: RunEvent[] = [];
  const reports: VertexReport[] = [];
  return {
    stored,
    events,
    reports,
    runId: '22222222-2222-4222-8222-222222222222',
    attempt: 1,
    userId: 'user-1',
    signal: new AbortController().signal,
    deadline: Date.now() + 10_000,
    limits: { maximumVertices: 1_000, maximumOutputBytes: 1_000_000 },
    messages: {
      store: async (message, at) => {
        stored.push(message);
        moments.push(at);
      },
      read: async (query, at) =>
        stored
          .filter((_, index) => at.sees(moments[index] ?? at))
          .filter((message) => message.fields.sessionId === query.sessionId)
          .slice(-query.limit),
    },
    fetch,
    resources: noResources,
    variable: async () => undefined,
    emit: (event) => void events.push(event),
    onVertex: (report) => void reports.push(report),
    ...changes,
  };
}

export async function runPlan(
  plan: Plan,
  request: RunRequest,
  changes: Partial<RunEnvironment> = {},
): Promise<TestRun> {
  const environment = testEnvironment(changes);
  const response = await execute(plan, request, environment);
  const { stored, events, reports } = environment;
  return { response, stored, events, reports };
}

/** Returns the text of each selected result, by vertex id. */
export function texts(response: RunResponse, input = 0): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    (response.outputs[input]?.outputs ?? []).map((result) => [
      result.component_id,
      Object.values(result.outputs)[0]?.message,
    ]),
  );
}
