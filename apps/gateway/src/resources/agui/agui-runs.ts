import type { IncomingHttpHeaders } from 'node:http';
import type { FlowCache } from '@millrace/access';
import { HttpError } from '@millrace/http';
import type { AuditActor, FlowReference, RunRecord, StoredRequest } from '@millrace/runs';
import { sessionFor } from '../../end-users/end-user-sessions';
import type { EndUser } from '../../end-users/end-user-sessions';
import { headerVariables, requestedDeadlineSeconds } from '../../http/run-headers';
import { normalizeUuid } from '../../http/validation/uuid-text';
import { eventId } from '../../run-events/event-id';
import type { AguiRun } from '../../run-events/forms/agui-run';
import type { RunOrder } from '../../runs/run-order';
import { storedEnding } from '../../runs/stored-ending';
import { answerError } from '../workflows/answer-outcome';
import type { HumanRequests } from '../workflows/human-requests';
import { unknownFlow } from '../workflows/workflow-errors';
import type { WorkflowRequest } from '../workflows/workflow-request';
import type { WorkflowRuns } from '../workflows/workflow-runs';
import type { ResumeEntry } from './agui-bodies';
import type { AguiInput } from './agui-input';
import {
  closedInterrupt,
  decisionOf,
  interruptOf,
  interruptReference,
  proposedCalls,
  unknownInterrupt,
} from './interrupts';
import type { Decided } from './interrupts';

export interface AguiRunsOptions {
  readonly flows: FlowCache;
  readonly workflows: Pick<WorkflowRuns, 'start' | 'stop' | 'closingEventsOf'>;
  readonly humanRequests: Pick<HumanRequests, 'ofRun' | 'waiting' | 'tryAnswer'>;
}

/** Who asks for a run, and how. */
export interface AguiCaller {
  readonly userId: string;
  readonly asked: Pick<RunOrder, 'requestId' | 'keyId'>;
  readonly actor: AuditActor;
  readonly headers: IncomingHttpHeaders;
  readonly endUser: EndUser;
}

/** What a caller follows. */
export interface BegunRun {
  readonly runId: string;
  readonly flowId: string;
  readonly own: AguiRun;
}

interface ReadResume {
  readonly record: RunRecord;
  readonly requests: readonly StoredRequest[];
  readonly decided: readonly Decided[];
}

/** The runs of AG-UI: each begins a run of a flow, or continues one that waits for a person. */
export class AguiRuns {
  readonly #options: AguiRunsOptions;

  constructor(options: AguiRunsOptions) {
    this.#options = options;
  }

  /** Begins a run, or finds the one with the same id. Rejects, with nothing stored, for answers that cannot be taken. */
  async begin(caller: AguiCaller, reference: string, input: AguiInput): Promise<BegunRun> {
    const flow = await this.#options.flows.find(caller.userId, normalizeUuid(reference) ?? reference);
    if (!flow) throw unknownFlow(reference);
    if (input.resume.length > 0) return this.#resume(caller, flow, input);
    const wanted = workflowRequest(flow, input, caller);
    const runId = await this.#options.workflows.start(caller.userId, wanted, caller.asked);
    return { runId, flowId: flow.id, own: { since: 0, decided: [] } };
  }

  /** Resolves to the closing events of a run that has ended or waits for a person. */
  async closingEventsOf(record: RunRecord): Promise<readonly string[]> {
    if (record.status !== 'suspended') return this.#options.workflows.closingEventsOf(record);
    const waiting = await this.#options.humanRequests.waiting(record.userId, record.id);
    const data = {
      interrupts: waiting.map(interruptOf),
      calls: waiting.flatMap((request) => proposedCalls(request)),
    };
    return [JSON.stringify({ event: 'interrupt', data })];
  }

  async #resume(caller: AguiCaller, flow: FlowReference, input: AguiInput): Promise<BegunRun> {
    const { humanRequests, workflows } = this.#options;
    const { userId, actor, endUser } = caller;
    const { id: flowId } = flow;
    const runId = runOf(input.resume);
    const { record, requests, decided } = await this.#read(caller, flow, input);
    if (decided.every(({ decision }) => decision === null)) await workflows.stop(userId, runId, actor);
    else {
      const answers = decided.map(({ request, decision }) => ({
        requestId: request.request_id,
        decision: decision ?? ('abandoned' as const),
      }));
      const outcome = await humanRequests.tryAnswer({ userId, runId, answers, actor, endUser });
      if (outcome.kind !== 'taken') {
        // Another answer was faster when this throws, which names the interrupt.
        await this.#read(caller, flow, input);
        throw answerError(runId, outcome);
      }
    }
    const since = eventId(record.attempt + 1, 0);
    const earlier = requests
      .filter(({ decidedAt }) => decidedAt !== null)
      .flatMap((request) => proposedCalls(request).map(({ id, name }) => ({ id, name })));
    return { runId, flowId, own: { since, decided: [...earlier, ...decided.flatMap(decidedCalls)] } };
  }

  /** Resolves to the run that entries continue, and what they decide. Rejects for those that cannot be taken as the run stands. */
  async #read(
    { userId, endUser }: AguiCaller,
    { id: flowId }: FlowReference,
    { threadId, resume }: AguiInput,
  ): Promise<ReadResume> {
    const { record, requests } = await this.#options.humanRequests.ofRun(userId, runOf(resume));
    if (record?.flowId !== flowId || record.sessionId !== sessionFor(endUser, threadId))
      throw unknownInterrupt(resume[0]?.interruptId ?? '');
    return { record, requests, decided: resume.map((entry) => decidedBy(entry, requests, record)) };
  }
}

/** Returns what an entry decides. Throws for an interrupt that is unknown or closed. */
function decidedBy(
  { interruptId, status, payload }: ResumeEntry,
  requests: readonly StoredRequest[],
  record: RunRecord,
): Decided {
  const requestId = interruptReference(interruptId)?.requestId;
  const request = requests.find(({ request_id: id }) => id === requestId);
  if (request?.decidedAt) {
    const decided_at = request.decidedAt.toISOString();
    throw closedInterrupt(interruptId, { decided_at, decided_by: request.decidedBy });
  }
  if (request) return { request, decision: status === 'cancelled' ? null : decisionOf(request, payload) };
  // The open requests of a run that has ended are no longer stored.
  const hasEnded = record.status !== 'suspended' && storedEnding(record) !== null;
  throw hasEnded ? closedInterrupt(interruptId) : unknownInterrupt(interruptId);
}

function decidedCalls({ request, decision }: Decided) {
  return proposedCalls(request, decision?.action_id === 'edit' ? decision.values['args'] : undefined);
}

/** Returns the run whose interrupts are answered. One stream continues one run. */
function runOf(resume: readonly ResumeEntry[]): string {
  const ids = resume.map(({ interruptId }) => {
    const reference = interruptReference(interruptId);
    if (reference === null) throw unknownInterrupt(interruptId);
    return reference.runId;
  });
  const [runId = '', ...others] = new Set(ids);
  if (others.length === 0) return runId;
  throw new HttpError('invalid_request', 'The entries of resume are about interrupts of several runs.');
}

function workflowRequest(
  { id: flowId }: FlowReference,
  { threadId, runId, text }: AguiInput,
  { headers, endUser }: AguiCaller,
): WorkflowRequest {
  const globals = headerVariables(headers);
  return {
    flowId,
    mode: 'stream',
    outputIds: [],
    globals,
    idempotencyKey: `agui ${runId}`,
    endUser,
    deadlineSeconds: requestedDeadlineSeconds(headers),
    shape: { protocol: 'agui', showsGraph: false },
    run: {
      form: 'simple',
      inputs: text === null ? [] : [{ components: [], inputValue: text, type: 'chat' }],
      outputs: { by: 'type', type: 'any' },
      tweaks: {},
      stream: true,
      // A further attempt sends its events to the log only with these.
      vertexEvents: true,
      sessionId: sessionFor(endUser, threadId),
      globalVariables: globals,
    },
  };
}
