import { readFileSync } from 'node:fs';
import { nearestName } from '../options/nearest-name.cjs';
import type { Setting, SettingsDefinition, SettingsValues } from './setting';
import { SettingsError } from './settings-error';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads every setting of the definition from the environment; an empty text counts as unset. `NAME_FILE` names a file
 * that contains the value of `NAME`. Throws SettingsError with all faults, including `MILLRACE_…` names that look like
 * a mistyped setting; other unknown names are ignored, because services share environments.
 */
export function readSettings<const Definition extends SettingsDefinition>(
  definition: Definition,
  environment: Environment,
): SettingsValues<Definition> {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(definition)) {
    try {
      values[name] = readSetting(name, setting, environment);
    } catch (error) {
      faults.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  faults.push(...mistypedNames(definition, environment));
  if (faults.length > 0) throw new SettingsError(faults);
  return values as SettingsValues<Definition>;
}

function readSetting(name: string, setting: Setting<unknown>, environment: Environment): unknown {
  const text = settingText(name, environment);
  if (text === undefined) {
    if (setting.required) throw new Error(`must be set: ${setting.description}`);
    return setting.absent;
  }
  try {
    return setting.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(setting.secret ? reason : `${reason}, but is "${text.slice(0, 200)}"`, { cause: error });
  }
}

function settingText(name: string, environment: Environment): string | undefined {
  const direct = emptyAsUnset(environment[name]);
  const file = emptyAsUnset(environment[`${name}_FILE`]);
  if (file === undefined) return direct;
  if (direct !== undefined) throw new Error(`and ${name}_FILE are both set; set only one`);
  try {
    return emptyAsUnset(readFileSync(file, 'utf8').replace(/\r?\n$/, ''));
  } catch (error) {
    throw new Error(`cannot be read from ${name}_FILE: ${(error as Error).message}`, { cause: error });
  }
}

function emptyAsUnset(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function mistypedNames(definition: SettingsDefinition, environment: Environment): string[] {
  const known = Object.keys(definition).filter((name) => name.startsWith('MILLRACE_'));
  const knownOrFiles = new Set(known.flatMap((name) => [name, `${name}_FILE`]));
  const faults: string[] = [];
  for (const [name, text] of Object.entries(environment)) {
    if (text === undefined || !name.startsWith('MILLRACE_') || knownOrFiles.has(name)) continue;
    const nearest = nearestName(name, known);
    if (nearest !== undefined) faults.push(`${name} is not a setting; did you mean ${nearest}?`);
  }
  return faults;
}
