import type { ErrorObject } from 'ajv';
import type { RequestSchema } from './request-schema';

/**
 * Sorts AJV's errors in the order of pydantic: of an object, first the errors of declared members in the order of their
 * declaration, each followed by the errors inside it, then the errors of other members in the order of the request. Of
 * several errors at one location only the first is kept.
 */
export function inDeclaredOrder(
  errors: readonly ErrorObject[],
  schema: RequestSchema,
  value: unknown,
): readonly ErrorObject[] {
  const ranked = new Map<string, { readonly error: ErrorObject; readonly rank: readonly number[] }>();
  for (const error of errors) {
    const segments = locationOf(error);
    const location = JSON.stringify(segments);
    if (!ranked.has(location)) ranked.set(location, { error, rank: rankOf(segments, schema, value) });
  }
  return [...ranked.values()].sort((one, other) => compare(one.rank, other.rank)).map(({ error }) => error);
}

/** Returns the segments of a JSON pointer. */
export function pointerSegments(pointer: string): readonly string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((escaped) => escaped.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns the location of an error: that of a missing or additional member instead of the object's. */
function locationOf({ instancePath, keyword, params }: ErrorObject): readonly string[] {
  const segments = pointerSegments(instancePath);
  if (keyword === 'required') return [...segments, String(params['missingProperty'])];
  if (keyword === 'additionalProperties') return [...segments, String(params['additionalProperty'])];
  return segments;
}

/** Returns the position of each segment among its siblings. */
function rankOf(segments: readonly string[], root: RequestSchema, value: unknown): readonly number[] {
  let schema: RequestSchema = root;
  let at = value;
  return segments.map((segment) => {
    const isList = Array.isArray(at);
    const declared = recordOf(schema['properties']);
    const names = isList ? [] : Object.keys(declared);
    const index = isList ? Number(segment) : names.indexOf(segment);
    const rank = index >= 0 ? index : names.length + Object.keys(recordOf(at)).indexOf(segment);
    schema = recordOf(
      isList ? schema['items'] : index >= 0 ? declared[segment] : schema['additionalProperties'],
    );
    at = isList ? (at as readonly unknown[])[index] : recordOf(at)[segment];
    return rank;
  });
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (let index = 0; index < Math.min(one.length, other.length); index += 1) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}
