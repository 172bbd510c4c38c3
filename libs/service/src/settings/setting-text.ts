import { readFileSync } from 'node:fs';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The text of a setting and the variable that contains it, without `_FILE`. */
export interface SettingText {
  readonly name: string;
  readonly text: string;
}

/**
 * Returns the texts that the environment has for a setting, by its name and then by its former names. `NAME_FILE` names
 * a file that contains the value of `NAME`; an empty text counts as unset. Throws an Error with a sentence when both are
 * set or the file cannot be read.
 */
export function settingTexts(names: readonly string[], environment: Environment): readonly SettingText[] {
  return names.flatMap((name) => {
    const text = settingText(name, environment);
    return text === undefined ? [] : [{ name, text }];
  });
}

function settingText(name: string, environment: Environment): string | undefined {
  const direct = emptyAsUnset(environment[name]);
  const file = emptyAsUnset(environment[`${name}_FILE`]);
  if (file === undefined) return direct;
  if (direct !== undefined) throw new Error(`${name} and ${name}_FILE are both set; set only one`);
  try {
    return emptyAsUnset(readFileSync(file, 'utf8').replace(/\r?\n$/, ''));
  } catch (error) {
    throw new Error(`${name} cannot be read from ${name}_FILE: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function emptyAsUnset(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
