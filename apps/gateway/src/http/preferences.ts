/** What a caller prefers (`Prefer`, RFC 7240), as far as it is acted upon. */
export interface Preferences {
  /** Rather an answer at once than a long wait. */
  readonly respondAsync: boolean;
  /** How long it would wait for a result first; 0 unless it says so. */
  readonly waitSeconds: number;
}

const WAIT = /^wait\s*=\s*"?(\d{1,9})"?$/;

/** Reads the header. Preferences that are unknown or malformed are passed over, as the RFC asks. */
export function readPreferences(header: string | string[] | undefined): Preferences {
  if (header === undefined) return { respondAsync: false, waitSeconds: 0 };
  const preferences = String(header)
    .split(',')
    .map((preference) => (preference.split(';', 1)[0] ?? '').trim().toLowerCase());
  const wait = preferences.map((preference) => WAIT.exec(preference)?.[1]).find((text) => text !== undefined);
  return { respondAsync: preferences.includes('respond-async'), waitSeconds: Number(wait ?? 0) };
}
