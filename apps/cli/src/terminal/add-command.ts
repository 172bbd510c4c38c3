import type { Command } from 'commander';
import { Argument, Option } from 'commander';
import { machineTime } from '@millrace/service';
import type { MillraceClient } from '../client/millrace-client';
import { chooseServer } from '../profiles/choose-server';
import { clientFor } from '../profiles/client-for';
import type { ServerOptions } from '../profiles/choose-server';
import { Output } from './output';
import type { Shell } from './shell';

type Options = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export interface CommandCall {
  readonly shell: Shell;
  readonly output: Output;
  readonly options: Options;
  readonly arguments: readonly string[];
  /** The value of an option, or undefined. */
  text(option: string): string | undefined;
  /** Opens the client of the chosen server. Throws CliError when none is chosen. */
  api(): MillraceClient;
  /** Milliseconds that only increase. */
  readonly now: () => number;
}

export interface CommandDescription {
  readonly name: string;
  readonly summary: string;
  /** What the help adds below the options: facts, limits. */
  readonly details?: string;
  readonly arguments?: readonly {
    readonly name: string;
    readonly description: string;
    readonly choices?: readonly string[];
  }[];
  readonly options?: readonly Option[];
  readonly examples: readonly string[];
  /** False for a command that needs no server. */
  readonly usesServer?: boolean;
  /** Resolves to the exit code; success unless it returns one. */
  run(call: CommandCall): Promise<number | undefined> | Promise<void> | number | undefined;
}

/** The command tree, what its commands run in, and how they end. */
export interface CommandHost {
  readonly shell: Shell;
  end(exitCode: number): void;
}

export const option = (flags: string, description: string) => new Option(flags, description);

/** Adds a command with what all have: `--json`, the choice of a server, examples. */
export function addCommand(parent: Command, host: CommandHost, description: CommandDescription): void {
  const { usesServer = true } = description;
  const command = parent.command(description.name).description(description.summary);
  for (const { name, description: text, choices } of description.arguments ?? []) {
    const argument = new Argument(name, text);
    command.addArgument(choices === undefined ? argument : argument.choices(choices));
  }
  for (const added of description.options ?? []) command.addOption(added);
  if (usesServer)
    command
      .addOption(option('--profile <name>', 'profile with the server and the key; default MILLRACE_PROFILE'))
      .addOption(option('--url <url>', 'server; default MILLRACE_URL, or that of the profile'));
  command.addOption(option('--json', 'print the result as JSON'));
  command.addHelpText('after', helpAfter(description));
  command.action(async () => {
    const options = command.opts<Options>();
    const { shell } = host;
    const call: CommandCall = {
      shell,
      options,
      output: new Output({ stdout: shell.stdout, stderr: shell.stderr, json: options['json'] === true }),
      arguments: command.processedArgs.flat().filter((word) => typeof word === 'string'),
      text: (name) => {
        const value = options[name];
        return typeof value === 'string' ? value : undefined;
      },
      api: () => clientFor(chooseServer(shell.environment, options as ServerOptions), shell.signal),
      now: machineTime,
    };
    host.end((await description.run(call)) ?? 0);
  });
}

/** Adds a command that only has further commands. */
export function addGroup(parent: Command, name: string, summary: string): Command {
  return parent.command(name).description(summary).helpCommand(false);
}

function helpAfter({ details, examples }: CommandDescription): string {
  const shown = examples.map((line) => `  ${line}`).join('\n');
  return `${details === undefined ? '' : `\n${details}\n`}\nExamples:\n${shown}`;
}
