import { EXIT_CONFIGURATION } from '../process/exit-codes';
import { withLangflowSettings } from '../settings/langflow-settings';
import { readSettings } from '../settings/read-settings';
import type { SettingsDefinition, SettingsValues } from '../settings/setting';
import type { Environment } from '../settings/setting-text';
import { SettingsError } from '../settings/settings-error';
import { readCommandLine } from './command-line.cjs';
import type { CommandLineOption } from './command-line.cjs';

export interface ProgramOptions<
  Definition extends SettingsDefinition,
  Option extends string,
  Flag extends string,
> {
  /** The text that `--help` prints. */
  readonly usage: string;
  readonly settings: Definition;
  /** Checks the settings together. Throws SettingsError. */
  readonly check?: (settings: SettingsValues<Definition>) => void;
  /** Options that set a setting, by name: `{ port: 'PORT' }`. They override the environment. */
  readonly options?: Readonly<Record<Option, keyof Definition & string>>;
  /** Options without a value. */
  readonly flags?: readonly Flag[];
}

export interface Program<Definition extends SettingsDefinition, Option extends string, Flag extends string> {
  readonly settings: SettingsValues<Definition>;
  /** The texts of the options that were given. */
  readonly given: Readonly<Partial<Record<Option, string>>>;
  readonly flags: Readonly<Record<Flag, boolean>>;
  /** The environment as the options changed it. */
  readonly environment: Environment;
  /** Sentences about former and unknown names of settings, and about variables of Langflow; for `runService`, which logs them. */
  readonly warnings: readonly string[];
}

/**
 * Reads a program's options and settings from the command line and the environment. Exits when either is wrong: with 64
 * and the usage for an unknown option, 64 for an invalid value of an option, 78 for wrong settings; with 0 after
 * `--help`.
 */
export function programSettings<
  const Definition extends SettingsDefinition,
  const Option extends string = never,
  const Flag extends string = never,
>({
  usage,
  settings: definition,
  check,
  options,
  flags = [],
}: ProgramOptions<Definition, Option, Flag>): Program<Definition, Option, Flag> {
  const settingOf = Object.entries<keyof Definition & string>(options ?? {});
  const { values } = readCommandLine({
    usage,
    options: Object.fromEntries<CommandLineOption>([
      ...settingOf.map(([name, setting]) => [name, settingOption(definition, setting)] as const),
      ...flags.map((name) => [name, { type: 'boolean' }] as const),
    ]),
  });
  const texts = settingOf.flatMap(([name, setting]) => {
    const text = values[name];
    return typeof text === 'string' ? [{ name, setting, text }] : [];
  });
  const langflow = withLangflowSettings(definition, overridden(definition, process.env, texts));
  const { environment } = langflow;
  const warnings = [...langflow.warnings];
  return {
    settings: settingsOrExit(definition, environment, { check, warn: (sentence) => warnings.push(sentence) }),
    given: Object.fromEntries(texts.map(({ name, text }) => [name, text])) as Partial<Record<Option, string>>,
    flags: Object.fromEntries(flags.map((name) => [name, values[name] === true])) as Record<Flag, boolean>,
    environment,
    warnings,
  };
}

/** Returns an option for a setting, checked here so that the error names the option. */
function settingOption(definition: SettingsDefinition, name: string): CommandLineOption {
  return {
    type: 'string',
    parse(text: string): string {
      definition[name]?.parse(text);
      return text;
    },
  };
}

function overridden(
  definition: SettingsDefinition,
  environment: Environment,
  texts: readonly { readonly setting: string; readonly text: string }[],
): Environment {
  const changed: Record<string, string | undefined> = { ...environment };
  for (const { setting, text } of texts) {
    for (const name of [setting, ...(definition[setting]?.formerly ?? [])])
      changed[name] = changed[`${name}_FILE`] = undefined;
    changed[setting] = text;
  }
  return changed;
}

function settingsOrExit<Definition extends SettingsDefinition>(
  definition: Definition,
  environment: Environment,
  {
    check,
    warn,
  }: {
    readonly check: ((settings: SettingsValues<Definition>) => void) | undefined;
    readonly warn: (sentence: string) => void;
  },
): SettingsValues<Definition> {
  try {
    const settings = readSettings(definition, environment, warn);
    check?.(settings);
    return settings;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(EXIT_CONFIGURATION);
  }
}
