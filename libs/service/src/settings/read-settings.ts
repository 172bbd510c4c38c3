import { removedSettingWarnings } from './removed-settings';
import type { Setting, SettingsDefinition, SettingsValues } from './setting';
import { settingTexts } from './setting-text';
import type { Environment } from './setting-text';
import { SettingsError } from './settings-error';
import { unknownVariables } from './unknown-variables';

/**
 * Reads every setting of the definition from the environment; an empty text counts as unset. `NAME_FILE` names a file
 * that contains the value of `NAME`. Throws SettingsError with all faults, including `MILLRACE_…` names that look like
 * a mistyped setting. `warn` is called with a sentence for each former name, each removed setting with another value than
 * its constant, and each other unknown `MILLRACE_…` name that is set.
 */
export function readSettings<const Definition extends SettingsDefinition>(
  definition: Definition,
  environment: Environment,
  warn: (sentence: string) => void = () => undefined,
): SettingsValues<Definition> {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(definition)) {
    try {
      values[name] = readSetting(name, setting, environment, warn);
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
    }
  }
  const unknown = unknownVariables(definition, environment);
  faults.push(...unknown.mistyped);
  if (faults.length > 0) throw new SettingsError(faults);
  removedSettingWarnings(environment).forEach(warn);
  unknown.others.forEach(warn);
  return values as SettingsValues<Definition>;
}

/** Throws an Error whose message is a sentence about the variable that was read. */
function readSetting(
  name: string,
  setting: Setting<unknown>,
  environment: Environment,
  warn: (sentence: string) => void,
): unknown {
  const texts = settingTexts([name, ...setting.formerly], environment);
  const [used] = texts;
  if (used === undefined) {
    if (setting.required) throw new Error(`${name} must be set: ${setting.description}`);
    return setting.absent;
  }
  for (const former of texts) if (former.name !== name) warn(formerName(former.name, name, used.name));
  try {
    return setting.parse(used.text);
  } catch (error) {
    const reason = `${used.name} ${error instanceof Error ? error.message : String(error)}`;
    throw new Error(setting.secret ? reason : `${reason}, but is "${used.text.slice(0, 200)}"`, {
      cause: error,
    });
  }
}

function formerName(former: string, name: string, used: string): string {
  const sentence = `${former} is the former name of ${name}`;
  return used === former ? `${sentence}; set ${name} instead` : `${sentence} and is ignored: ${used} is set`;
}
