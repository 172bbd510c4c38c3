import { SettingsError } from '@millrace/service';

/**
 * Returns the settings that separate processes need in addition to those of the standalone app. Throws a SettingsError
 * that names all missing ones.
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
