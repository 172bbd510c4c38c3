/** Fields of every line, and those shown at the beginning of the line. */
const OMITTED_FIELDS = new Set(['level', 'time', 'name', 'pid', 'hostname', 'msg']);
const MAXIMUM_CHARACTERS = 500;

/**
 * Formats the fields of a log line as `  name=value name=value`; empty without fields. An error is shown by its message
 * and code, with those of its causes; stacks are only in the JSON lines.
 */
export function fieldsText(line: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(line)
    .filter(([name, value]) => !OMITTED_FIELDS.has(name) && value !== undefined)
    .map(([name, value]) => `${name}=${valueText(value)}`);
  return fields.length === 0 ? '' : `  ${fields.join(' ')}`;
}

/** Quotes texts whose end would be ambiguous: a line break in a value must not look like another line. */
function valueText(value: unknown): string {
  if (isLoggedError(value)) return JSON.stringify(truncated(errorText(value)));
  if (typeof value !== 'string') return truncated(JSON.stringify(value));
  return /^[\w.:/@+-]{1,200}$/.test(value) ? value : JSON.stringify(truncated(value));
}

function truncated(text: string): string {
  return text.length > MAXIMUM_CHARACTERS ? `${text.slice(0, MAXIMUM_CHARACTERS)}…` : text;
}

interface LoggedError {
  readonly message: string;
  readonly code?: unknown;
  readonly cause?: unknown;
}

/** Whether the value is an error as the logger writes it: with the name of its class and a message. */
function isLoggedError(value: unknown): value is LoggedError {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    'message' in value &&
    typeof value.message === 'string'
  );
}

function errorText({ message, code, cause }: LoggedError): string {
  const withCode =
    code === undefined || message.includes(String(code)) ? message : `${message} (${String(code)})`;
  // Errors often repeat the message of their cause.
  if (!isLoggedError(cause) || message.includes(cause.message)) return withCode;
  return `${withCode}: ${errorText(cause)}`;
}
