const HEX = /^[0-9a-f]{32}$/i;
const DASHED = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns an id with dashes; null for null. SQLite stores ids without them. */
export function idOrNull(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  if (DASHED.test(value)) return value.toLowerCase();
  if (!HEX.test(value)) return null;
  return value.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Returns an id with dashes. Throws for anything else. */
export function idOf(value: unknown): string {
  const id = idOrNull(value);
  if (id === null) throw new Error(`"${String(value).slice(0, 100)}" is not an id`);
  return id;
}

/** Reads a time; one without a zone is UTC. */
export function timeOrNull(value: unknown): Date | null {
  if (value instanceof Date) return value;
  if (typeof value !== 'string' || value === '') return null;
  const iso = value.trim().replace(/ UTC$/, 'Z').replace(' ', 'T');
  const zoned = /(?:Z|[+-]\d\d(?::?\d\d)?)$/.test(iso) ? iso.replace(/([+-]\d\d)$/, '$1:00') : `${iso}Z`;
  const time = new Date(zoned);
  return Number.isNaN(time.getTime()) ? null : time;
}

export function textOr<T>(value: unknown, absent: T): string | T {
  return typeof value === 'string' ? value : absent;
}

/** SQLite has numbers for booleans. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 1;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}

export function objectOr<T>(value: unknown, absent: T): object | T {
  return typeof value === 'object' && value !== null ? value : absent;
}
