import type { ServerResponse } from 'node:http';
import type { FlowCache, RequestLimits } from '@millrace/access';
import type { FlowReference, Limits } from '@millrace/runs';
import { firstTextOf } from '@millrace/flow';
import type { RunResponse } from '@millrace/flow';
import type { EndUser } from '../../end-users/end-user-sessions';
import { endingError } from '../../run-answers/ending-error';
import type { RunAnswer } from '../../run-answers/run-answer';
import type { ControlChannel } from '../../runs/control-channel';
import type { PendingRuns } from '../../runs/pending-runs';
import { RunError } from '../../runs/run-error';
import { askedBy } from '../../http/routing/route';
import { sessionOf } from '../runs/run-request';

const NEWLINE = 0x0a;

export interface FlowCallParts {
  readonly cache: FlowCache;
  readonly answer: RunAnswer;
  readonly pendingRuns: PendingRuns;
  readonly control: ControlChannel;
  readonly limits: RequestLimits;
}

export interface FlowCall {
  readonly userId: string;
  readonly flowId: string;
  readonly input: string;
  /** The session of the run; that of the flow when empty. */
  readonly session: string;
  readonly endUser: EndUser;
  /** The limits of the caller's key. */
  readonly keyLimits: Limits | undefined;
  readonly globalVariables: Readonly<Record<string, string>>;
  /** Ends the run. */
  readonly signal: AbortSignal;
  /** Called for each vertex that has ended; null when the caller does not follow the run. */
  readonly onVertex: ((vertex: string) => void) | null;
}

/** Runs a flow for the call of a tool; resolves to the text of its answer. Rejects with the error of the run, or of a limit. */
export async function callFlow(
  parts: FlowCallParts,
  response: ServerResponse,
  call: FlowCall,
): Promise<string> {
  const flow = await parts.cache.find(call.userId, call.flowId);
  if (!flow || flow.isEmpty) throw new RunError('not_found', 'The flow does not exist or has no data.');
  // The request has been counted for its key and user.
  const { endUser: name, keyLimits } = call;
  const endUser = name === null ? null : { name, limits: keyLimits };
  let release = () => {};
  const onWaiting = (given: () => void) => (release = given);
  const bytes = { body: Buffer.byteLength(call.input) };
  await parts.limits.countRun(flow, { endUser, bytes, onWaiting });
  try {
    return await runFlow(parts, response, call, flow);
  } finally {
    release();
  }
}

async function runFlow(
  { answer, pendingRuns, control }: FlowCallParts,
  response: ServerResponse,
  { userId, input, session, endUser, globalVariables, signal, onVertex }: FlowCall,
  flow: FlowReference,
): Promise<string> {
  const onEvents = onVertex && ((lines: Buffer) => verticesIn(lines).forEach(onVertex));
  const order = {
    userId,
    flow,
    request: {
      form: 'simple',
      inputs: [{ components: [], inputValue: input, type: 'chat' }],
      outputs: { by: 'type', type: 'chat' },
      tweaks: {},
      ...(onEvents === null ? { stream: false } : { stream: true, vertexEvents: true }),
      ...sessionOf(session, { flowId: flow.id, sessions: flow.settings.sessions, endUser }),
      globalVariables,
    },
    ...askedBy(response),
    onEvents,
  } as const;
  const run = await answer.start(response, order, null);
  const { runId } = run.options;
  const cancel = () => {
    const error = new RunError('cancelled', 'The run was cancelled.');
    if (!pendingRuns.end(runId, { kind: 'lost', error })) return;
    void control.send({ kind: 'cancel', runId, reason: 'the caller cancelled the call' });
  };
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  const ending = await run.ended;
  signal.removeEventListener('abort', cancel);
  if (ending.kind !== 'succeeded') throw endingError(ending);
  return firstTextOf(JSON.parse(ending.body.toString()) as RunResponse);
}

/** Returns the ids of the vertices that ended, from a run's events, which are one JSON object a line. */
function verticesIn(lines: Buffer): string[] {
  const found: string[] = [];
  for (let start = 0; start < lines.length;) {
    const newline = lines.indexOf(NEWLINE, start);
    const end = newline < 0 ? lines.length : newline;
    const line = lines.toString('utf8', start, end);
    start = end + 1;
    if (!line.startsWith('{"event": "end_vertex"')) continue;
    const { data } = JSON.parse(line) as {
      readonly data: { readonly build_data?: { readonly id?: string } };
    };
    found.push(data.build_data?.id ?? '');
  }
  return found;
}
