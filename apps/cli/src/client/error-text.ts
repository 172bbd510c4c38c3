const MAXIMUM_CHARACTERS = 2_000;

interface InvalidMember {
  readonly loc?: readonly unknown[];
  readonly msg?: string;
}

/** Returns the sentence of an error body: its `detail`, or its text when it is not JSON. */
export function errorBodyText(body: string): string {
  try {
    const { detail } = JSON.parse(body) as { readonly detail?: unknown };
    return errorText(detail ?? '');
  } catch {
    return body.replaceAll(/\s+/g, ' ').slice(0, 200);
  }
}

/** Returns the sentence of the error of a request or of a run, whose text can be JSON behind a status, as in Langflow. */
export function errorText(error: unknown): string {
  if (typeof error === 'string') return shortened(messageIn(error) ?? error);
  if (Array.isArray(error))
    return shortened(error.map((item) => memberText(item as InvalidMember)).join('; '));
  const members = (error ?? {}) as Readonly<Record<string, unknown>>;
  const { text, error: inner, message } = members;
  // As in the errors of /api/v2/workflows: a title, and a sentence that says why.
  if (text === undefined && typeof inner === 'string' && typeof message === 'string')
    return shortened(`${inner}: ${message}${reasonIn(members)}`);
  const nested = text ?? inner ?? message;
  return nested === undefined ? shortened(JSON.stringify(error)) : errorText(nested);
}

/** Why a run did not take an answer, and when another one was given. */
function reasonIn({ reason, decided_at: at }: Readonly<Record<string, unknown>>): string {
  if (typeof reason !== 'string') return '';
  return ` (${reason.replaceAll('_', ' ')}${typeof at === 'string' ? ` at ${at}` : ''})`;
}

/** Returns the message of `500: {"message": "…", "traceback": null, …}`. */
function messageIn(text: string): string | undefined {
  const json = /^(?:\d{3}: )?(\{.*\})$/s.exec(text)?.[1];
  if (json === undefined) return undefined;
  try {
    const { message } = JSON.parse(json) as { readonly message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

function memberText({ loc = [], msg = '' }: InvalidMember): string {
  const [place, name] = loc;
  if (place === 'path' && /UUID/i.test(msg))
    return `the id of a ${String(name).replace(/_id$/, '')} is a UUID`;
  return `${loc.join('.')}: ${msg}`;
}

function shortened(text: string): string {
  return text.slice(0, MAXIMUM_CHARACTERS);
}
