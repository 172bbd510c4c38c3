import { HttpError } from '@millrace/http';
import { jsonDumpsCompactAscii } from '@millrace/python-text';
import { isRecord } from '../../http/bodies/parse-json';
import { flagValue } from '../../http/validation/flag';
import type { ValueOf } from '../../http/validation/body-schema';
import type { ValidationItem } from '../../http/validation/validation-item';
import { createValidator } from '../../http/validation/validator';
import type { Validator } from '../../http/validation/validator';
import { RpcError } from './rpc-error';

/** What `message/send` and `message/stream` ask for. */
export interface SentMessage {
  /** The texts of the message. */
  readonly text: string;
  /** The parts with data. */
  readonly data: readonly Readonly<Record<string, unknown>>[];
  /** The task that the message continues; null for a new one. */
  readonly taskId: string | null;
  /** The conversation; null for a new one. */
  readonly contextId: string | null;
  /** Whether the caller waits for the end of the task. */
  readonly isBlocking: boolean;
}

/** The longest id of a conversation, which becomes a part of the session of its runs. */
const MAXIMUM_CONTEXT_LENGTH = 500;

const text = { type: 'string' } as const;
const textOrNull = { type: ['string', 'null'] } as const;
const objectOrNull = { type: ['object', 'null'] } as const;
const textsOrNull = { type: ['array', 'null'], items: text } as const;

/** The params of a message, with its parts as objects. */
const messageParamsSchema = {
  type: 'object',
  'x-model': true,
  required: ['message'],
  properties: {
    configuration: {
      type: ['object', 'null'],
      'x-model': true,
      properties: {
        acceptedOutputModes: textsOrNull,
        blocking: { 'x-flag': 'optional' },
        historyLength: { 'x-integer': true },
        pushNotificationConfig: objectOrNull,
      },
    },
    message: {
      type: 'object',
      'x-model': true,
      required: ['messageId', 'parts', 'role'],
      properties: {
        contextId: textOrNull,
        extensions: textsOrNull,
        kind: { enum: ['message'] },
        messageId: text,
        metadata: objectOrNull,
        parts: { type: 'array', items: { type: 'object', 'x-model': true } },
        referenceTaskIds: textsOrNull,
        role: { enum: ['agent', 'user'], 'x-enum': true },
        taskId: textOrNull,
      },
    },
    metadata: objectOrNull,
  },
} as const;
type MessageParams = ValueOf<typeof messageParamsSchema>;

/** The params of the methods that name a task. */
const taskParamsSchema = {
  type: 'object',
  'x-model': true,
  required: ['id'],
  properties: { historyLength: { 'x-integer': true }, id: text, metadata: objectOrNull },
} as const;
type TaskParams = ValueOf<typeof taskParamsSchema>;

const checkMessage = createValidator(messageParamsSchema);
const checkTask = createValidator(taskParamsSchema);

/** Reads the params of a message. Throws an RpcError. */
export function readMessageParams(params: unknown): SentMessage {
  checked(checkMessage, params);
  const { message, configuration } = params as MessageParams;
  const parts = message.parts.map(readPart);
  if (message.messageId === '' || parts.length === 0)
    throw new RpcError('invalidParams', 'Validation failed');
  refuseNegativeHistory(configuration?.historyLength);
  if (configuration?.pushNotificationConfig)
    throw new RpcError('noPushNotifications', 'Push Notification is not supported');
  if (parts.some(({ kind }) => kind === 'file'))
    throw new RpcError(
      'contentRefused',
      'Incompatible content types: a message cannot have a part with a file',
    );
  const contextId = message.contextId || null;
  if (contextId !== null && contextId.length > MAXIMUM_CONTEXT_LENGTH)
    throw new RpcError('invalidParams', `contextId is longer than ${MAXIMUM_CONTEXT_LENGTH} characters`);
  return {
    text: textOf(parts),
    data: parts.flatMap((part) => (part.kind === 'data' ? [part.data] : [])),
    taskId: message.taskId || null,
    contextId,
    isBlocking: (configuration?.blocking ?? null) === null || flagValue(configuration?.blocking),
  };
}

/** Reads the params of a method that names a task; returns its id. Throws an RpcError. */
export function readTaskParams(params: unknown): string {
  checked(checkTask, params);
  const { id, historyLength } = params as TaskParams;
  refuseNegativeHistory(historyLength);
  return id;
}

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'data'; readonly data: Readonly<Record<string, unknown>> }
  | { readonly kind: 'file' };

/** A part without `kind` is what its members say. */
function readPart(part: Readonly<Record<string, unknown>>, index: number): Part {
  const { kind, text: words, data, file } = part;
  const is = (name: string) => kind === undefined || kind === name;
  if (is('text') && typeof words === 'string') return { kind: 'text', text: words };
  if (is('data') && isRecord(data)) return { kind: 'data', data };
  if (is('file') && isRecord(file) && (typeof file['bytes'] === 'string' || typeof file['uri'] === 'string'))
    return { kind: 'file' };
  const reason = 'Input should be a part with a text, an object as data, or a file';
  throw new RpcError('invalidRequest', 'Invalid Request', `params.message.parts.${index}: ${reason}`);
}

function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}

/** Returns the text for the flow: the texts of the message, or its data as JSON when it has no text. */
export function inputOf({ text: words, data }: Pick<SentMessage, 'text' | 'data'>): string {
  if (words !== '' || data.length === 0) return words;
  return jsonDumpsCompactAscii(data.length === 1 ? data[0] : data);
}

function refuseNegativeHistory(length: number | string | null | undefined): void {
  if (Number(length ?? 0) < 0) throw new RpcError('invalidParams', 'history length must be non-negative');
}

function checked(validate: Validator, params: unknown): void {
  try {
    validate(params, { loc: ['params'] });
  } catch (error) {
    if (!(error instanceof HttpError) || error.code !== 'invalid_request') throw error;
    const lines = (error.detail as readonly ValidationItem[]).map(
      ({ loc, msg }) => `${loc.join('.')}: ${msg}`,
    );
    throw new RpcError('invalidRequest', 'Invalid Request', lines.join('\n'));
  }
}
