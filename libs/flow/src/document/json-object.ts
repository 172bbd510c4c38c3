/** A JSON object whose members nobody has checked. Read members with {@link member}: the names come from strangers. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member of the object; undefined for what it only inherits (`constructor`, `__proto__`, …). */
export function member(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A member that must be text; the empty text when it is not. */
export function textMember(object: JsonObject, name: string): string {
  const value = member(object, name);
  return typeof value === 'string' ? value : '';
}

/** A member that must be an object; the empty object when it is not. */
export function objectMember(object: JsonObject, name: string): JsonObject {
  const value = member(object, name);
  return isJsonObject(value) ? value : {};
}

/** A member that must be a list; the empty list when it is not. */
export function listMember(object: JsonObject, name: string): readonly unknown[] {
  const value = member(object, name);
  return Array.isArray(value) ? value : [];
}

/** A member that must be a list of texts; other elements are left out. */
export function textListMember(object: JsonObject, name: string): readonly string[] {
  return listMember(object, name).filter((element) => typeof element === 'string');
}
