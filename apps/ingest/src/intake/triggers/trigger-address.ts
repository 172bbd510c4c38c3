import { HttpError } from '@millrace/http';

/** What a part of an address must be, as in Langflow. */
interface PathRule {
  readonly name: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly pattern: string;
}

const PROVIDER_RULE: PathRule = { name: 'provider', minimum: 1, maximum: 32, pattern: '^[a-z][a-z0-9_]*$' };
const ADDRESS_RULE: PathRule = { name: 'public_id', minimum: 8, maximum: 64, pattern: '^[A-Za-z0-9_-]+$' };

/** Throws 422 for an address that none of a trigger can be. */
export function refuseMalformedAddress(provider: string, address: string): void {
  const items = [...violations(provider, PROVIDER_RULE), ...violations(address, ADDRESS_RULE)];
  if (items.length > 0) throw new HttpError('invalid_request', items);
}

/** Returns the first rule that a part of an address breaks. */
function violations(part: string, { name, minimum, maximum, pattern }: PathRule): readonly object[] {
  const item = (type: string, must: string, ctx: Readonly<Record<string, unknown>>) => [
    { type, loc: ['path', name], msg: `String should ${must}`, ctx },
  ];
  const value = decoded(part);
  if (value.length < minimum)
    return item('string_too_short', `have at least ${minimum} characters`, { min_length: minimum });
  if (value.length > maximum)
    return item('string_too_long', `have at most ${maximum} characters`, { max_length: maximum });
  if (new RegExp(pattern, 'u').test(value)) return [];
  return item('string_pattern_mismatch', `match pattern '${pattern}'`, { pattern });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
