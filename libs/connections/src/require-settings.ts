import { SettingsError } from '@millrace/service';

/**
 * Settings that the standalone app can do without but separate processes share. Throws SettingsError that names all
 * missing ones at once.
 */
export function requireSettings<Settings extends object, Name extends keyof Settings & string>(
  settings: Settings,
  names: readonly Name[],
): Settings & { readonly [Needed in Name]-?: NonNullable<Settings[Needed]> } {
  const missing = names.filter((name) => settings[name] === undefined);
  if (missing.length > 0) {
    throw new SettingsError(missing.map((name) => `${name} must be set: separate processes share it`));
  }
  return settings as Settings & { readonly [Needed in Name]-?: NonNullable<Settings[Needed]> };
}
