/** A JSON object with unvalidated members. Read them with {@link member}, because their names are untrusted. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an own member of the object; undefined for an inherited one (`constructor`, `__proto__`, …). */
export function member(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns a text member; the empty text for any other value. */
export function textMember(object: JsonObject, name: string): string {
  const value = member(object, name);
  return typeof value === 'string' ? value : '';
}

/** Returns an object member; an empty object for any other value. */
export function objectMember(object: JsonObject, name: string): JsonObject {
  const value = member(object, name);
  return isJsonObject(value) ? value : {};
}

/** Returns a list member; an empty list for any other value. */
export function listMember(object: JsonObject, name: string): readonly unknown[] {
  const value = member(object, name);
  return Array.isArray(value) ? value : [];
}

/** Returns a list of texts; other elements are omitted. */
export function textListMember(object: JsonObject, name: string): readonly string[] {
  return listMember(object, name).filter((element) => typeof element === 'string');
}
