/** Instructions to the server, contained in the messages of a request. */
export interface Directives {
  /** Delay before the first byte of the answer. */
  readonly delayMilliseconds: number;
  /** Delay between tokens. */
  readonly intervalMilliseconds: number;
  /** Answer with this many tokens of the story. */
  readonly tokens: number | undefined;
  /** Answer with this text. */
  readonly reply: string | undefined;
  /** Call this tool, if tools are offered. */
  readonly call: string | undefined;
  /** Arguments of that call; the others are generated from the schema. */
  readonly callArguments: Readonly<Record<string, unknown>>;
  /** Number of calls before an answer with text. */
  readonly rounds: number;
  /** Refuse with this HTTP status. */
  readonly status: number | undefined;
  /** Fail only this number of requests with the same `id`. */
  readonly times: number | undefined;
  readonly id: string;
  /** Break the connection after this many tokens. */
  readonly cut: number | undefined;
  /** Accept the request and never answer. */
  readonly hang: boolean;
}

const block = /\[\[([^[\]]{0,2000})\]\]/g;
const blockWithBlank = / ?\[\[[^[\]]{0,2000}\]\]/g;
const entry = /([a-z]+)(?:=(?:"([^"]*)"|([^\s"]+)))?/g;
const names = new Set([
  'delay',
  'interval',
  'tokens',
  'reply',
  'call',
  'with',
  'rounds',
  'status',
  'times',
  'id',
  'cut',
  'hang',
]);
const MAXIMUM_MILLISECONDS = 600_000;
const MAXIMUM_TOKENS = 100_000;

/** Thrown for an invalid directive, so that a test with a typing error does not pass by accident. */
export class DirectiveError extends Error {
  readonly code = 'directive_invalid';
}

/**
 * Reads every `[[name=value …]]` of the texts; later ones take precedence. Throws DirectiveError for unknown or invalid
 * ones.
 */
export function readDirectives(texts: readonly string[]): Directives {
  const values = new Map<string, string>();
  for (const text of texts)
    for (const [, content = ''] of text.matchAll(block))
      for (const [, name = '', quoted, plain] of content.matchAll(entry)) {
        if (!names.has(name))
          throw new DirectiveError(
            `"${name}" is not a directive; the directives are ${[...names].join(', ')}`,
          );
        values.set(name, quoted ?? plain ?? 'true');
      }
  const whole = (name: string, maximum: number): number | undefined => {
    const text = values.get(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (!Number.isInteger(value) || value < 0 || value > maximum)
      throw new DirectiveError(`"${name}" must be a whole number up to ${maximum}, not "${text}"`);
    return value;
  };
  return {
    delayMilliseconds: whole('delay', MAXIMUM_MILLISECONDS) ?? 0,
    intervalMilliseconds: whole('interval', MAXIMUM_MILLISECONDS) ?? 0,
    tokens: whole('tokens', MAXIMUM_TOKENS),
    reply: values.get('reply'),
    call: values.get('call'),
    callArguments: readArguments(values.get('with') ?? ''),
    rounds: whole('rounds', 1000) ?? 1,
    status: whole('status', 599),
    times: whole('times', 1000),
    id: values.get('id') ?? '',
    cut: whole('cut', MAXIMUM_TOKENS),
    hang: values.get('hang') === 'true',
  };
}

/** Parses "a=1; b=some words". Values are JSON if they can be parsed, else strings. */
function readArguments(text: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    text
      .split(';')
      .filter((part) => part.trim() !== '')
      .map((part) => {
        const [, name = '', value = ''] = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/s.exec(part) ?? [];
        if (name === '') throw new DirectiveError(`"with" must contain name=value, not "${part.trim()}"`);
        return [name, jsonOrText(value)];
      }),
  );
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the text without its directives; a text without any is returned unchanged. */
export function withoutDirectives(text: string): string {
  const remaining = text.replace(blockWithBlank, '');
  return remaining === text ? text : remaining.trim();
}
