import type { ServerResponse } from 'node:http';
import { clientAddresses } from '@millrace/http';
import { DECISION_PATH } from '@millrace/runs';
import type { AuditActor, DecisionLink, DecisionLinks, RunStore, StoredRequest } from '@millrace/runs';
import { fixedLimits } from '@millrace/service';
import type { SharedClock } from '@millrace/service';
import { sendPage } from '../../http/answers/send-page';
import { isRecord, parseJson } from '../../http/bodies/parse-json';
import type { Operation } from '../../http/routing/operation';
import { pathParameter, requestIdOf } from '../../http/routing/route';
import type { Call, Route } from '../../http/routing/route';
import { GOES_ON } from './answer-outcome';
import type { MissedAnswer } from './answer-outcome';
import { decisionPage, DECISION_STYLE, sentencePage } from './decision-page';
import type { HumanRequests } from './human-requests';

const page = (description: string) => ({ description, content: { 'text/html': { type: 'string' } } });
const refusals = {
  404: page('The link was not made here, or its run is no longer kept'),
  409: page('The request has been answered, or its run has ended'),
  410: page('The link has expired'),
};

const operations = {
  show: {
    summary: 'Show what a suspended run asks, by a decision link; changes nothing',
    answers: { 200: page('The request and its choices'), ...refusals },
  },
  decide: {
    summary: 'Answer what a suspended run asks, by a decision link',
    body: {
      'application/x-www-form-urlencoded': {
        type: 'object',
        additionalProperties: false,
        properties: {
          action_id: { type: 'string' },
          message: { type: 'string' },
          args: { type: 'string' },
        },
      },
    },
    answers: {
      200: page('The run goes on'),
      ...refusals,
      422: page('The choice is none of the link, its text is missing, or the arguments do not fit'),
    },
  },
} as const satisfies Record<string, Operation>;

export interface DecisionRoutesOptions {
  readonly links: Pick<DecisionLinks, 'read'>;
  readonly runs: Pick<RunStore, 'humanRequests'>;
  readonly humanRequests: Pick<HumanRequests, 'tryAnswer'>;
  readonly clock: Pick<SharedClock, 'now'>;
}

/** Routes of decision links: pages without scripts, on which a person answers without a key. */
export function decisionRoutes({
  links,
  runs,
  humanRequests,
  clock,
}: DecisionRoutesOptions): readonly Route[] {
  const find = async ({ request, response, query }: Call): Promise<Found | null> => {
    response.setHeader('cache-control', 'no-store');
    if (FIELDS.some((name) => query.has(name)))
      return refuse(response, 422, REFUSED, 'The answer is in the address, not in the form.');
    const link = links.read(pathParameter(request, 'token'), clock.now());
    if (link === null)
      return refuse(
        response,
        404,
        'The link is not valid',
        'It is not complete, or was not made by this server.',
      );
    if (link.isExpired)
      return refuse(
        response,
        410,
        'The link has expired',
        'The request may still wait: answer it in the console.',
      );
    const requests = await runs.humanRequests(null, link.runId);
    const found = requests.find(({ request_id: id }) => link.isAbout(id));
    if (!found) return refuse(response, 409, ANSWERED, 'The run has ended.');
    if (found.decidedAt !== null) return refuse(response, 409, ANSWERED, answeredAt(found.decidedAt));
    return { link, request: found };
  };
  const show = async (call: Call) => {
    const found = await find(call);
    if (!found) return;
    const html = decisionPage(found.request, choicesOf(found));
    sendPage(call.response, html, { style: DECISION_STYLE, hasForm: true });
  };
  const decide = async (call: Call) => {
    const found = await find(call);
    if (!found) return;
    const { request, link } = found;
    const decision = isForm(call)
      ? readDecision(textOf(call), link.actionId, request.kind)
      : 'The answer is not sent as a form (application/x-www-form-urlencoded).';
    if (typeof decision === 'string') return void refuse(call.response, 422, REFUSED, decision);
    if (!choicesOf(found).includes(decision.action_id))
      return void refuse(call.response, 422, REFUSED, 'The link does not have this choice.');
    const { userId, runId, request_id: requestId } = request;
    const answers = [{ requestId, decision }];
    const answer = { userId, runId, answers, actor: actorOf(call), isByLink: true } as const;
    const outcome = await humanRequests.tryAnswer(answer);
    if (outcome.kind !== 'taken') return void refuse(call.response, ...missedAnswer(outcome));
    const sentence = `The run goes on with “${decision.action_id}”. You can close this page.`;
    sendPage(call.response, sentencePage('Your answer is stored', sentence), { style: DECISION_STYLE });
  };
  const path = `${DECISION_PATH}:token`;
  return [
    { method: 'GET', path, access: 'public', operation: operations.show, handle: show },
    { method: 'POST', path, access: 'public', body: 'raw', operation: operations.decide, handle: decide },
  ];
}

interface Found {
  readonly link: DecisionLink;
  readonly request: StoredRequest;
}

function choicesOf({
  link: { actionId },
  request: { allowed_decisions: allowed },
}: Found): readonly string[] {
  return actionId === null ? allowed : allowed.filter((id) => id === actionId);
}

const ANSWERED = 'The request does not wait any more';
const REFUSED = 'The answer was refused';

/** Returns status, title and sentence of the page about an answer that was not taken. */
function missedAnswer(outcome: MissedAnswer): readonly [status: number, title: string, sentence: string] {
  switch (outcome.kind) {
    case 'refused':
      return [422, REFUSED, outcome.sentence];
    case 'goes on':
      return [409, 'The run goes on', GOES_ON];
    case 'answered':
      return [409, ANSWERED, answeredAt(outcome.at)];
    default:
      return [409, ANSWERED, 'The run has ended.'];
  }
}

function answeredAt(time: Date): string {
  return `The answer was given at ${time.toISOString()}.`;
}

function refuse(response: ServerResponse, status: number, title: string, sentence: string): null {
  sendPage(response, sentencePage(title, sentence), { style: DECISION_STYLE, status });
  return null;
}

/** A body without a type, such as an empty one, is read as a form. */
function isForm({ request }: Call): boolean {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  return ['', 'application/x-www-form-urlencoded'].includes(type.trim().toLowerCase());
}

function textOf({ runBody }: Call): string {
  return runBody && 'bytes' in runBody ? runBody.bytes.toString() : '';
}

const FIELDS: readonly string[] = ['action_id', 'message', 'args'];

/** Returns the decision in a form, or the sentence that refuses it. */
function readDecision(text: string, actionId: string | null, kind: StoredRequest['kind']) {
  const fields = new URLSearchParams(text);
  const unknown = [...fields.keys()].find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) return 'The form has a field that is not known.';
  if (new Set(fields.keys()).size < [...fields.keys()].length) return 'The form has a field twice.';
  const action_id = fields.get('action_id') ?? actionId ?? '';
  // A question can have a choice of this name.
  if (action_id !== 'edit' || kind !== 'tool_approval') {
    const message = fields.get('message') ?? '';
    if (message === '' && action_id === 'respond' && kind === 'tool_approval')
      return 'Enter the message that the model gets in place of the result.';
    return { action_id, values: message === '' ? {} : { message } };
  }
  const args = parsedRecord(fields.get('args') ?? '');
  return args === null ? 'The arguments are no JSON object.' : { action_id, values: { args } };
}

function parsedRecord(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value = parseJson(Buffer.from(text), fixedLimits.bodyMembers);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** A person with a link has no key. */
function actorOf({ request, response }: Call): AuditActor {
  return {
    kind: 'unknown',
    userId: null,
    keyId: null,
    requestId: requestIdOf(response),
    ...clientAddresses(request),
  };
}
