import type { ErrorObject } from 'ajv';
import type { RequestSchema } from '@millrace/contracts';

/**
 * AJV's errors in the order in which pydantic tells them: of an object, those of declared members as they are declared,
 * each with all that is wrong inside of it, then those of other members as they came. Of several errors at one place the
 * first is told.
 */
export function inDeclaredOrder(
  errors: readonly ErrorObject[],
  schema: RequestSchema,
  value: unknown,
): readonly ErrorObject[] {
  const ranked = new Map<string, { readonly error: ErrorObject; readonly rank: readonly number[] }>();
  for (const error of errors) {
    const segments = placeOf(error);
    const place = JSON.stringify(segments);
    if (!ranked.has(place)) ranked.set(place, { error, rank: rankOf(segments, schema, value) });
  }
  return [...ranked.values()].sort((one, other) => compare(one.rank, other.rank)).map(({ error }) => error);
}

/** Segments of a JSON pointer. */
export function pointerSegments(pointer: string): readonly string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((escaped) => escaped.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Where an error belongs: at a member that is missing or too many, not at the object. */
function placeOf({ instancePath, keyword, params }: ErrorObject): readonly string[] {
  const segments = pointerSegments(instancePath);
  if (keyword === 'required') return [...segments, String(params['missingProperty'])];
  if (keyword === 'additionalProperties') return [...segments, String(params['additionalProperty'])];
  return segments;
}

/** The place of each segment among its siblings. */
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
