/** What a request asks of the server, written into its messages. */
export interface Directives {
  /** Wait this long before the first byte of the answer. */
  readonly delayMilliseconds: number;
  /** Wait this long between tokens. */
  readonly intervalMilliseconds: number;
  /** Answer with this many tokens of the story. */
  readonly tokens: number | undefined;
  /** Answer with this text. */
  readonly reply: string | undefined;
  /** Refuse with this HTTP status. */
  readonly status: number | undefined;
  /** Refuse only the first so many requests that carry the same `id`. */
  readonly times: number | undefined;
  readonly id: string;
  /** Break the connection after this many tokens. */
  readonly cut: number | undefined;
  /** Take the request and never answer. */
  readonly hang: boolean;
}

const block = /\[\[([^[\]]{0,2000})\]\]/g;
const blockWithBlank = / ?\[\[[^[\]]{0,2000}\]\]/g;
const entry = /([a-z]+)(?:=(?:"([^"]*)"|([^\s"]+)))?/g;
const names = new Set(['delay', 'interval', 'tokens', 'reply', 'status', 'times', 'id', 'cut', 'hang']);
const MAXIMUM_MILLISECONDS = 600_000;
const MAXIMUM_TOKENS = 100_000;

/** Thrown for a directive that is none, so that a mistyped test does not pass by accident. */
export class DirectiveError extends Error {
  readonly code = 'directive_invalid';
}

/** Reads every `[[name=value …]]` of the texts; later ones win. Throws DirectiveError for what it does not know. */
export function readDirectives(texts: readonly string[]): Directives {
  const values = new Map<string, string>();
  for (const text of texts)
    for (const [, content = ''] of text.matchAll(block))
      for (const [, name = '', quoted, plain] of content.matchAll(entry)) {
        if (!names.has(name))
          throw new DirectiveError(`"${name}" is not a directive; known are ${[...names].join(', ')}`);
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
    status: whole('status', 599),
    times: whole('times', 1000),
    id: values.get('id') ?? '',
    cut: whole('cut', MAXIMUM_TOKENS),
    hang: values.get('hang') === 'true',
  };
}

/** The text without its directives, as the model "hears" it; a text without any stays as it is. */
export function withoutDirectives(text: string): string {
  const spoken = text.replace(blockWithBlank, '');
  return spoken === text ? text : spoken.trim();
}
