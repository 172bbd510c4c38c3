import { HttpError } from '@millrace/http';
import type { ValidationItem } from './validation-item';

/** Keys of `ctx` whose values come from the schema, not from the request. */
const SCHEMA_KEYS: ReadonlySet<string> = new Set([
  'class_name',
  'expected',
  'field_type',
  'ge',
  'le',
  'max_length',
  'min_length',
  'pattern',
]);
/** Types of items whose text is our own or that of a validator of Langflow. */
const CUSTOM_TYPES: ReadonlySet<string> = new Set(['not_supported']);
const REDACTED = '[redacted]';
/** Shorter texts stay, since replacing them would make the message unreadable. */
const MINIMUM_REDACTED_CHARACTERS = 8;

/**
 * Returns a validation error as Langflow 1.13 sends it: its items name the fields and repeat no value of the request.
 * Returns other errors unchanged.
 */
export function withoutInput(error: HttpError): HttpError {
  const { code, detail, status, headers, cause } = error;
  if (code !== 'invalid_request' && code !== 'invalid_json') return error;
  if (!Array.isArray(detail)) return error;
  const items = (detail as readonly ValidationItem[]).map(itemWithoutInput);
  return new HttpError(code, items, { status, headers, cause });
}

function itemWithoutInput({
  type,
  loc,
  msg,
  input,
  ctx = {},
}: ValidationItem): Omit<ValidationItem, 'input'> {
  const entries = Object.entries(ctx);
  const kept = entries.filter(([name]) => SCHEMA_KEYS.has(name));
  const mayQuoteInput = kept.length < entries.length || CUSTOM_TYPES.has(type);
  return {
    type,
    loc,
    msg: mayQuoteInput ? redacted(msg, input) : msg,
    ...(kept.length > 0 ? { ctx: Object.fromEntries(kept) } : {}),
  };
}

/** Replaces the texts and numbers of a value wherever they stand in a message, longest first. */
function redacted(message: string, value: unknown): string {
  const texts = submittedTexts(value).filter(({ length }) => length >= MINIMUM_REDACTED_CHARACTERS);
  return texts
    .sort((one, other) => other.length - one.length)
    .reduce((text, submitted) => text.replaceAll(submitted, REDACTED), message);
}

function submittedTexts(value: unknown): readonly string[] {
  const found: string[] = [];
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') found.push(next);
    else if (typeof next === 'number') found.push(String(next));
    else if (typeof next === 'object' && next !== null)
      for (const inner of Object.values(next)) pending.push(inner);
  }
  return found;
}
