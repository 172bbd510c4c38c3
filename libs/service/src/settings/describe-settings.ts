import type { SettingsDefinition } from './setting';

/** A setting in force. */
export interface DescribedSetting {
  readonly name: string;
  /** Null when it has none; `(hidden)` for a secret. Passwords in addresses are hidden. */
  readonly value: unknown;
  readonly isDefault: boolean;
}

/** Returns the settings of a definition with their values, without secrets. */
export function describeSettings(
  definition: SettingsDefinition,
  values: Readonly<Record<string, unknown>>,
): DescribedSetting[] {
  return Object.entries(definition).map(([name, { absent, secret, kind }]) => {
    const value = values[name];
    const shown = secret ? '(hidden)' : withoutPassword(value, kind);
    return { name, isDefault: value === absent, value: value === undefined ? null : shown };
  });
}

/** An address can contain a password. */
function withoutPassword(value: unknown, kind: string): unknown {
  if (typeof value !== 'string' || !kind.toLowerCase().includes('url')) return value;
  const hidden = value.split(',').map((address) => {
    const url = URL.parse(address);
    if (url === null) return '(hidden)';
    if (url.password === '') return address;
    url.password = 'hidden';
    return url.href;
  });
  return hidden.join(',');
}
