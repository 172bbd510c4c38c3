import { QueryError } from './query-error';

/** A token of a jq expression; texts are without quotes, fields without the dot. */
export interface QueryToken {
  readonly kind: 'field' | 'text' | 'number' | 'name' | 'sign' | 'end';
  readonly text: string;
}

const gap = /\s*(?:#[^\n]*\s*)*/y;
const pattern =
  /\.([A-Za-z_][A-Za-z0-9_]*)|("(?:[^"\\]|\\.)*")|(\d+\.?\d*(?:[eE][+-]?\d+)?)|([A-Za-z_][A-Za-z0-9_]*)|(\.\.|\/\/|[=!<>]=|[-.[\]{}()|,:;?+*/%<>])/y;

const end: QueryToken = { kind: 'end', text: 'end' };

/** Returns the tokens of an expression, with an end token last. Throws a QueryError. */
export function queryTokens(text: string): readonly QueryToken[] {
  const tokens: QueryToken[] = [];
  let offset = 0;
  for (;;) {
    gap.lastIndex = offset;
    gap.exec(text);
    if (gap.lastIndex === text.length) return [...tokens, end];
    pattern.lastIndex = gap.lastIndex;
    const match = pattern.exec(text);
    if (match === null)
      throw new QueryError(`syntax error at ${JSON.stringify(text.slice(offset, offset + 20))}`);
    tokens.push(tokenOf(match));
    offset = pattern.lastIndex;
  }
}

function tokenOf([, field, text, number, name, sign]: RegExpExecArray): QueryToken {
  if (field !== undefined) return { kind: 'field', text: field };
  if (text !== undefined) return { kind: 'text', text: unquoted(text) };
  if (number !== undefined) return { kind: 'number', text: number };
  return name === undefined ? { kind: 'sign', text: sign ?? '' } : { kind: 'name', text: name };
}

function unquoted(text: string): string {
  if (text.includes('\\(')) throw new QueryError('string interpolation is not supported');
  try {
    return JSON.parse(text) as string;
  } catch {
    throw new QueryError(`invalid string ${text}`);
  }
}
