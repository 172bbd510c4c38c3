import type { Command } from 'commander';
import { exitCodes } from './exit-codes';
import { millraceProgram } from './program';
import type { ExitReason } from './exit-codes';
import type { Shell } from './terminal/shell';

const WIDTH = 76;

const MEANINGS: Readonly<Record<ExitReason, string>> = {
  success: 'success',
  negative: 'the command ran, and its answer is negative',
  usage: 'the command line is wrong',
  input: 'a file that the command line names cannot be read or created',
  unavailable: 'a server does not answer, or cannot serve now',
  internal: 'a defect of this program',
  refused: 'the server refused the request or the key',
  configuration: 'settings or a profile are wrong',
  interrupted: 'interrupted',
};

const VARIABLES = {
  MILLRACE_URL: 'The server of the commands; \\-\\-url overrides it.',
  MILLRACE_API_KEY: 'The API key for this server. A key is never an argument.',
  MILLRACE_PROFILE: 'The profile with the server and the key; \\-\\-profile overrides it.',
  MILLRACE_DATA_DIRECTORY: 'The data folder of the standalone app; .millrace unless set.',
};

/** Returns the page of `man millrace` for a release, from the help of all commands. */
export function manPage(version: string): string {
  const program = millraceProgram({ shell: noShell, end: () => undefined });
  const commands = leavesOf(program, 'millrace');
  return [
    `.TH MILLRACE 1 "" "Millrace ${version}" "User Commands"`,
    '.SH NAME',
    'millrace \\- run flows exported from Langflow',
    '.SH SYNOPSIS',
    ...commands.map(([path]) => `.B ${escaped(path)}\n.br`),
    '.SH DESCRIPTION',
    escaped(program.description()),
    '.SH COMMANDS',
    ...commands.map(([path, command]) => `.SS ${escaped(path)}\n.nf\n${escaped(helpOf(command))}\n.fi`),
    '.SH ENVIRONMENT',
    ...Object.entries(VARIABLES).map(([name, text]) => `.TP\n.B ${name}\n${text}`),
    '.SH EXIT STATUS',
    ...Object.entries(exitCodes).map(
      ([reason, code]) => `.TP\n.B ${code}\n${escaped(MEANINGS[reason as ExitReason])}`,
    ),
    '',
  ].join('\n');
}

/** Returns all commands that do something, with their whole names. */
function leavesOf(command: Command, path: string): readonly (readonly [string, Command])[] {
  if (command.commands.length === 0) return [[path, command]];
  return command.commands.flatMap((child) => leavesOf(child, `${path} ${child.name()}`));
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => void (text += part), getOutHelpWidth: () => WIDTH });
  command.outputHelp();
  return text.trimEnd();
}

/** Returns text that roff prints as it is: a hyphen of an option stays one, and a dot begins no request. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1');
}

const noShell: Shell = {
  environment: {},
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: new AbortController().signal,
};
