/** Returns a document after a JSON merge patch (RFC 7396): objects are merged, null removes a member. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch))
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  return Object.fromEntries(merged);
}

/**
 * Returns the schema of a merge patch of documents with this schema: each member can be null, and none is required. The
 * document after the patch has to be validated, too.
 */
export function mergePatchSchema(
  schema: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { type, enum: words, properties, additionalProperties, pattern } = schema;
  if (Array.isArray(words)) return { ...schema, enum: [...(words as unknown[]), null] };
  const nullable = { type: [...new Set([type, 'null'].flat())] };
  if (!isObject(properties)) return { ...schema, ...nullable };
  const members = Object.entries(properties).map(([name, member]) => [
    name,
    mergePatchSchema(member as Readonly<Record<string, unknown>>),
  ]);
  const ofText = pattern === undefined ? {} : { pattern };
  return { ...nullable, ...ofText, additionalProperties, properties: Object.fromEntries(members) as unknown };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
