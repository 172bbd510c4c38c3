/** The supported preferences of a caller (`Prefer`, RFC 7240). */
export interface Preferences {
  /** Whether the caller prefers an immediate answer to a long wait. */
  readonly respondAsync: boolean;
  /** How long the caller waits for a result first; 0 by default. */
  readonly waitSeconds: number;
}

const WAIT = /^wait\s*=\s*"?(\d{1,9})"?$/;

/** Reads the header. Ignores unknown and malformed preferences, as the RFC requires. */
export function readPreferences(header: string | string[] | undefined): Preferences {
  if (header === undefined) return { respondAsync: false, waitSeconds: 0 };
  const preferences = String(header)
    .split(',')
    .map((preference) => (preference.split(';', 1)[0] ?? '').trim().toLowerCase());
  const wait = preferences.map((preference) => WAIT.exec(preference)?.[1]).find((text) => text !== undefined);
  return { respondAsync: preferences.includes('respond-async'), waitSeconds: Number(wait ?? 0) };
}
