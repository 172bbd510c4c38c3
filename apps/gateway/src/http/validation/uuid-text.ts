import { HttpError } from '@millrace/http';

const SIMPLE = /^[0-9a-f]{32}$/i;
const HYPHENATED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const GROUP_STARTS = [0, 9, 14, 19, 24] as const;
const GROUP_LENGTHS = [8, 4, 4, 4, 12] as const;

/** Parses a UUID with or without hyphens, in braces or as a URN. Returns its canonical form; throws invalid_request. */
export function parseUuidStrictly(text: string, loc: readonly (string | number)[], repeated = 1): string {
  const uuid = normalizeUuid(text);
  if (uuid !== null) return uuid;
  const item = uuidItem(text, loc);
  throw new HttpError(
    'invalid_request',
    Array.from({ length: repeated }, () => item),
  );
}

/** Returns the canonical form of a UUID, or null when the text is not a UUID. */
export function normalizeUuid(text: string): string | null {
  const { core, simple } = unwrap(text);
  if (HYPHENATED.test(core)) return core.toLowerCase();
  if (!simple || !SIMPLE.test(core)) return null;
  const hex = core.toLowerCase();
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Returns the item for a text that is not a UUID, with pydantic's text. */
export function uuidItem(text: string, loc: readonly (string | number)[]): Record<string, unknown> {
  const error = reason(text);
  return {
    type: 'uuid_parsing',
    loc,
    msg: `Input should be a valid UUID, ${error}`,
    input: text,
    ctx: { error },
  };
}

function unwrap(text: string): { readonly core: string; readonly offset: number; readonly simple: boolean } {
  if (text.startsWith('{') && text.endsWith('}') && text.length > 1) {
    return { core: text.slice(1, -1), offset: 1, simple: false };
  }
  if (text.startsWith('urn:uuid:')) return { core: text.slice(9), offset: 9, simple: false };
  return { core: text, offset: 0, simple: true };
}

function reason(text: string): string {
  const { core, offset, simple } = unwrap(text);
  const hyphens: number[] = [];
  for (let index = 0; index < core.length; index += 1) {
    const character = String.fromCodePoint(core.codePointAt(index) ?? 0);
    if (character === '-') hyphens.push(index);
    else if (!/^[0-9a-f]$/i.test(character)) {
      const position = Buffer.byteLength(core.slice(0, index)) + offset + 1;
      return `invalid character: found \`${character}\` at ${position}`;
    }
  }
  if (hyphens.length === 0 && simple) {
    return `invalid length: expected length 32 for simple format, found ${text.length}`;
  }
  if (hyphens.length !== 4) return `invalid group count: expected 5, found ${hyphens.length + 1}`;
  const bounds = [...hyphens, core.length];
  const wrong = GROUP_LENGTHS.findIndex(
    (length, group) => bounds[group] !== (GROUP_STARTS[group] ?? 0) + length,
  );
  const group = wrong < 0 ? 4 : wrong;
  const found = (bounds[group] ?? 0) - (GROUP_STARTS[group] ?? 0);
  return `invalid group length in group ${group + 1}: expected ${GROUP_LENGTHS[group]}, found ${found}`;
}
