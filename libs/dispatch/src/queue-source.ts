/** The configuration of a source is invalid; the message is for its owner. */
export class QueueSourceError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'QueueSourceError';
  }
}

/** How a source consumes from a queue, and what it makes of a message. */
export interface QueueSourceRules {
  /** The name of a variable of the trigger's owner with the URL of the broker. */
  readonly connection: string;
  readonly queue: string;
  /** Maximum number of messages that are delivered and not acknowledged. */
  readonly prefetch: number;
  /** Messages of the source with the same property or header are the same event; null: each is an event. */
  readonly dedupeBy: { readonly property: 'message_id' } | { readonly header: string } | null;
  readonly body: 'json' | 'text' | 'base64';
  /** A JSON Pointer to the part of the body that is the chat input of the run; null for no chat input. */
  readonly inputValue: string | null;
  /** Whether the end of the run is published to the queue that `reply_to` of the message names. */
  readonly reply: boolean;
}

const DEFAULT_PREFETCH = 100;
const MAXIMUM_NAME_LENGTH = 255;
const MAXIMUM_POINTER_LENGTH = 500;
const HEADER_PREFIX = 'header:';
const POINTER = /^(\/([^~/]|~[01])*)*$/;
const MEMBERS = new Set([
  'connection',
  'queue',
  'prefetch',
  'dedupe_by',
  'body',
  'input_value',
  'reply',
  'share_session',
]);

/**
 * Reads the configuration of a trigger of kind rabbitmq. Returns its rules, and the configuration with its defaults.
 * Throws QueueSourceError.
 */
export function readQueueSource(
  config: Readonly<Record<string, unknown>>,
  { maximumPrefetch }: { readonly maximumPrefetch: number },
): { readonly rules: QueueSourceRules; readonly config: Readonly<Record<string, unknown>> } {
  for (const name of Object.keys(config))
    if (!MEMBERS.has(name)) throw new QueueSourceError(`'${name}' is not a member of the configuration.`);
  const prefetch = config['prefetch'] ?? Math.min(DEFAULT_PREFETCH, maximumPrefetch);
  if (
    typeof prefetch !== 'number' ||
    !Number.isInteger(prefetch) ||
    prefetch < 1 ||
    prefetch > maximumPrefetch
  )
    throw new QueueSourceError(`prefetch must be an integer from 1 to ${maximumPrefetch}.`);
  const dedupeBy = config['dedupe_by'] ?? 'message_id';
  const body = config['body'] ?? 'json';
  if (body !== 'json' && body !== 'text' && body !== 'base64')
    throw new QueueSourceError('body must be json, text or base64.');
  const rules: QueueSourceRules = {
    connection: nameOf(config, 'connection', 'the name of a variable of type Credential'),
    queue: nameOf(config, 'queue', 'the name of a queue'),
    prefetch,
    dedupeBy: dedupeRule(dedupeBy),
    body,
    inputValue: pointerOf(config['input_value'] ?? null),
    reply: flagOf(config, 'reply', true),
  };
  const share = flagOf(config, 'share_session', false);
  return {
    rules,
    config: {
      connection: rules.connection,
      queue: rules.queue,
      prefetch,
      dedupe_by: dedupeBy,
      body,
      input_value: rules.inputValue,
      reply: rules.reply,
      share_session: share,
    },
  };
}

function nameOf(config: Readonly<Record<string, unknown>>, member: string, what: string): string {
  const value = config[member];
  // The broker limits names to 255 bytes.
  if (typeof value === 'string' && value !== '' && utf8Length(value) <= MAXIMUM_NAME_LENGTH) return value;
  throw new QueueSourceError(`${member} must be ${what}, of at most ${MAXIMUM_NAME_LENGTH} bytes.`);
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

function flagOf(config: Readonly<Record<string, unknown>>, member: string, absent: boolean): boolean {
  const value = config[member] ?? absent;
  if (typeof value !== 'boolean') throw new QueueSourceError(`${member} must be a boolean.`);
  return value;
}

function dedupeRule(value: unknown): QueueSourceRules['dedupeBy'] {
  if (value === 'message_id') return { property: 'message_id' };
  if (value === 'none') return null;
  if (typeof value === 'string' && value.startsWith(HEADER_PREFIX)) {
    const header = value.slice(HEADER_PREFIX.length);
    if (header !== '' && header.length <= MAXIMUM_NAME_LENGTH) return { header };
  }
  throw new QueueSourceError("dedupe_by must be message_id, none, or header: and a header's name.");
}

function pointerOf(value: unknown): string | null {
  if (value === null) return null;
  if (typeof value === 'string' && value.length <= MAXIMUM_POINTER_LENGTH && POINTER.test(value))
    return value;
  throw new QueueSourceError(
    'input_value must be a JSON Pointer, such as /question; empty for the whole body.',
  );
}
