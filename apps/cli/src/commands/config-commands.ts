import type { Command } from 'commander';
import {
  describeSettings,
  readSettings,
  SettingsError,
  translateSettings,
  withLangflowSettings,
} from '@millrace/service';
import { standaloneSettings } from '@millrace/standalone';
import { CliError } from '../cli-error';
import { exitCodes } from '../exit-codes';
import { addCommand, addGroup, option } from '../terminal/add-command';
import type { CommandHost } from '../terminal/add-command';

/** Adds `config`. */
export function addConfigCommands(program: Command, host: CommandHost): void {
  const config = addGroup(program, 'config', 'Print and check the settings of the environment');
  addCommand(config, host, {
    name: 'print',
    summary: 'Print the settings that a server started from this environment would have; secrets are hidden',
    options: [option('--changed', 'only settings that differ from their default')],
    usesServer: false,
    examples: ['millrace config print --changed'],
    run({ output, options, shell }) {
      const rows = settingRows(shell.environment).filter(
        ({ isDefault }) => options['changed'] !== true || !isDefault,
      );
      output.result(Object.fromEntries(rows.map(({ name, value }) => [name, value])), () =>
        output.table(
          rows.map(({ name, value, isDefault }) => [name, textOf(value), isDefault ? 'yes' : 'no']),
          ['setting', 'value', 'default'],
        ),
      );
      return undefined;
    },
  });
  addCommand(config, host, {
    name: 'check',
    summary: 'Check the settings of this environment; connects to nothing',
    details: 'Exits with 78 when a setting is wrong. `millrace doctor` also checks the servers.',
    usesServer: false,
    examples: ['millrace config check'],
    run({ output, shell }) {
      const langflow = withLangflowSettings(standaloneSettings, shell.environment);
      const warnings = [...langflow.warnings];
      const faults = faultsOf(() =>
        readSettings(standaloneSettings, langflow.environment, (sentence) => warnings.push(sentence)),
      );
      output.result({ faults, warnings }, () => {
        for (const fault of faults) output.line(`error    ${fault}`);
        for (const warning of warnings) output.line(`warning  ${warning}`);
        if (faults.length + warnings.length === 0) output.line('The settings are sound.');
      });
      return faults.length === 0 ? exitCodes.success : exitCodes.configuration;
    },
  });
  addCommand(config, host, {
    name: 'translate',
    summary: 'Translate the LANGFLOW_ variables of this environment to settings of Millrace',
    details: 'Services read those that mean the same. An address is printed with its password.',
    usesServer: false,
    examples: [
      'millrace config translate > millrace.env',
      '(set -a; . ./langflow.env; millrace config translate)',
    ],
    run({ output, shell }) {
      const translated = translateSettings(shell.environment);
      output.result(translated, () => {
        for (const { name, line, note } of translated) {
          output.line(`# ${name}${note === '' ? '' : `: ${note}`}`);
          if (line !== null) output.line(line);
        }
        if (translated.length === 0) output.line('# No LANGFLOW_ variable is set.');
      });
      return undefined;
    },
  });
}

function settingRows(environment: Readonly<Record<string, string | undefined>>) {
  let values: Readonly<Record<string, unknown>>;
  try {
    values = readSettings(
      standaloneSettings,
      withLangflowSettings(standaloneSettings, environment).environment,
    );
  } catch (error) {
    throw error instanceof SettingsError ? new CliError('configuration', error.message, error) : error;
  }
  return describeSettings(standaloneSettings, values);
}

function textOf(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function faultsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
}
