/** What every line has, or what its beginning shows. */
const SHOWN_ELSEWHERE = new Set(['level', 'time', 'name', 'pid', 'hostname', 'msg']);
const MAXIMUM_CHARACTERS = 500;

/**
 * The fields of a log line as `  name=value name=value`; empty when there are none. An error is told by its message and
 * code, with those of its causes: its stack is for the JSON lines.
 */
export function fieldsText(line: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(line)
    .filter(([name, value]) => !SHOWN_ELSEWHERE.has(name) && value !== undefined)
    .map(([name, value]) => `${name}=${valueText(value)}`);
  return fields.length === 0 ? '' : `  ${fields.join(' ')}`;
}

/** Texts are quoted where their end would not be seen: a line end in a value must not look like another line. */
function valueText(value: unknown): string {
  if (isLoggedError(value)) return JSON.stringify(shortened(errorText(value)));
  if (typeof value !== 'string') return shortened(JSON.stringify(value));
  return /^[\w.:/@+-]{1,200}$/.test(value) ? value : JSON.stringify(shortened(value));
}

function shortened(text: string): string {
  return text.length > MAXIMUM_CHARACTERS ? `${text.slice(0, MAXIMUM_CHARACTERS)}…` : text;
}

interface LoggedError {
  readonly message: string;
  readonly code?: unknown;
  readonly cause?: unknown;
}

/** As the logger writes errors: with the name of their class and a message. */
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
  const told =
    code === undefined || message.includes(String(code)) ? message : `${message} (${String(code)})`;
  // Errors often repeat what caused them.
  if (!isLoggedError(cause) || message.includes(cause.message)) return told;
  return `${told}: ${errorText(cause)}`;
}
