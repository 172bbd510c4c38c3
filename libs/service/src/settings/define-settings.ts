import type { SettingsDefinition } from './setting';

/** Defines the settings of a service, by environment name. Spread `commonSettings` to include the common ones. */
export function defineSettings<const Definition extends SettingsDefinition>(
  definition: Definition,
): Definition {
  return definition;
}
