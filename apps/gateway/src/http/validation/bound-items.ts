import type { ErrorObject } from 'ajv';
import type { ValidationItem, Location } from './validation-item';

/** Returns the item for a value that is too long, too large or does not match its pattern; null for other errors. */
export function boundItem(
  { keyword, params, data: input }: ErrorObject,
  loc: Location,
): ValidationItem | null {
  const limit = Number(params['limit']);
  switch (keyword) {
    case 'minLength':
      return {
        type: 'string_too_short',
        loc,
        msg: `String should have at least ${count(limit, 'character')}`,
        input,
        ctx: { min_length: limit },
      };
    case 'maxLength':
      return {
        type: 'string_too_long',
        loc,
        msg: `String should have at most ${count(limit, 'character')}`,
        input,
        ctx: { max_length: limit },
      };
    case 'minItems':
      return listItem('too_short', { limit, bound: 'min_length', words: 'at least' }, loc, input);
    case 'maxItems':
      return listItem('too_long', { limit, bound: 'max_length', words: 'at most' }, loc, input);
    case 'minimum':
      return {
        type: 'greater_than_equal',
        loc,
        msg: `Input should be greater than or equal to ${limit}`,
        input,
        ctx: { ge: limit },
      };
    case 'maximum':
      return {
        type: 'less_than_equal',
        loc,
        msg: `Input should be less than or equal to ${limit}`,
        input,
        ctx: { le: limit },
      };
    case 'pattern': {
      const pattern = String(params['pattern']);
      const msg = `String should match pattern '${pattern}'`;
      return { type: 'string_pattern_mismatch', loc, msg, input, ctx: { pattern } };
    }
    default:
      return null;
  }
}

function listItem(
  type: string,
  { limit, bound, words }: { readonly limit: number; readonly bound: string; readonly words: string },
  loc: Location,
  input: unknown,
): ValidationItem {
  const length = Array.isArray(input) ? input.length : 0;
  const msg = `List should have ${words} ${count(limit, 'item')} after validation, not ${length}`;
  return { type, loc, msg, input, ctx: { field_type: 'List', [bound]: limit, actual_length: length } };
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
