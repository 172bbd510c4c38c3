import type { SettingsDefinition } from './setting';

/** The settings of a service, by environment name. Spread `commonSettings` to share what all services have. */
export function defineSettings<const Definition extends SettingsDefinition>(
  definition: Definition,
): Definition {
  return definition;
}
