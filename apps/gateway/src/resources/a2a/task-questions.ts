import { isRecord } from '../../http/bodies/parse-json';
import type { StoredRequest } from '@millrace/runs';
import { humanRequest } from '../workflows/human-request-view';
import type { GivenAnswer } from '../workflows/human-requests';
import type { SentMessage } from './message-params';
import { namedUuid } from './named-uuid';
import { RpcError } from './rpc-error';

/** Returns the message in which a task asks a person: for each question its text, and the whole of it as data. */
export function askingMessage(
  { id: taskId, contextId }: { readonly id: string; readonly contextId: string },
  waiting: readonly StoredRequest[],
): object {
  return {
    kind: 'message',
    role: 'agent',
    messageId: namedUuid(waiting.map(({ request_id: id }) => id).join('\n'), taskId),
    parts: waiting.flatMap((request) => [
      { kind: 'text', text: request.prompt },
      { kind: 'data', data: humanRequest(request) },
    ]),
    taskId,
    contextId,
  };
}

const MEMBERS = ['request_id', 'decision'];

/**
 * Reads the answers in a message to a task that waits: each part with data is one, in the shape of `/api/v2/workflows`; a text is the
 * choice of the only question. Throws an RpcError.
 */
export function answersIn(
  { text, data }: Pick<SentMessage, 'text' | 'data'>,
  waiting: readonly StoredRequest[],
): readonly GivenAnswer[] {
  if (data.length === 0) return [answerOf(choiceIn(text, waiting), waiting)];
  if (text !== '') throw invalid('A message answers by a text or by data');
  const answers = data.map((part) => answerOf(part, waiting));
  if (new Set(answers.map(({ requestId }) => requestId)).size < answers.length)
    throw invalid('A message answers a question once');
  return answers;
}

function answerOf(part: Readonly<Record<string, unknown>>, waiting: readonly StoredRequest[]): GivenAnswer {
  const extra = Object.keys(part).find((name) => !MEMBERS.includes(name));
  if (extra !== undefined) throw invalid(`An answer has no member ${extra.slice(0, 50)}`);
  const { request_id: requestId = onlyOf(waiting).request_id, decision } = part;
  if (typeof requestId !== 'string') throw invalid('request_id is not a text');
  if (!isRecord(decision)) throw invalid('decision is not an object');
  return { requestId, decision };
}

/** A person who chats gives the id or the label of a choice. */
function choiceIn(text: string, waiting: readonly StoredRequest[]): Readonly<Record<string, unknown>> {
  const { options, allowed_decisions: allowed } = onlyOf(waiting);
  const wanted = plain(text);
  const labelled = options.find(({ label }) => plain(label) === wanted)?.action_id;
  const action_id = allowed.find((id) => plain(id) === wanted) ?? labelled;
  if (action_id === undefined) throw invalid(`The task takes one of these answers: ${allowed.join(', ')}`);
  return { decision: { action_id } };
}

function onlyOf(waiting: readonly StoredRequest[]): StoredRequest {
  const [only, ...others] = waiting;
  if (only && others.length === 0) return only;
  throw invalid('The task asks several questions: name one with request_id');
}

const plain = (text: string): string => text.trim().toLowerCase();

function invalid(reason: string): RpcError {
  return new RpcError('invalidParams', reason);
}
