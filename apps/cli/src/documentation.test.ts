import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { standaloneSettings } from '@millrace/standalone';
import { exitCodes } from './exit-codes';
import { langflowSettings } from '@millrace/service';
import { millraceProgram } from './program';

const docs = join(__dirname, '../../../docs');
const page = join(docs, 'use/cli.md');
const isUpdate = process.env['MILLRACE_UPDATE_DOCS'] === '1';
const BEGIN =
  '<!-- Made from the help of each command: MILLRACE_UPDATE_DOCS=1 npm test -- apps/cli/src/documentation -->';

const program = millraceProgram({
  shell: {
    environment: {},
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: new AbortController().signal,
  },
  end: () => undefined,
});

/** Returns all commands that do something, with their whole names. */
function leaves(command: Command, path: string): readonly (readonly [string, Command])[] {
  if (command.commands.length === 0) return [[path, command]];
  return command.commands.flatMap((child) => leaves(child, `${path} ${child.name()}`));
}

const commands = leaves(program, 'millrace').filter(([path]) => path !== 'millrace up');

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => void (text += part), getOutHelpWidth: () => 100 });
  command.outputHelp();
  return text.trimEnd();
}

/** Options that most commands have: the page describes them once. */
const commonOptions = [
  '--profile <name> profile with the server and the key; default MILLRACE_PROFILE',
  '--url <url> server; default MILLRACE_URL, or that of the profile',
  '--json print the result as JSON',
  '--help print this help',
];

/** Examples that say no more than the line of usage: without an option, another program or a redirection. */
const plainExamples = /\n\nExamples:(\n {2}millrace( \w[\w.-]*)+)+\n*$/;

/** Returns the help without what the heading and the description of common options say. */
function denseHelpOf(command: Command): string {
  return helpOf(command)
    .split('\n')
    .filter((line) => !commonOptions.includes(line.trim().replaceAll(/\s+/g, ' ')))
    .join('\n')
    .replace(/^Usage: .*? \[options\]$/m, '')
    .replace(/^Usage: (.*?) \[options\] /, '$1 ')
    .replace(/\n\nOptions:(?=\n\n|$)/, '')
    .replace(plainExamples, '')
    .trim();
}

test('docs/use/cli.md has the help of every command', () => {
  const text = readFileSync(page, 'utf8');
  const kept = text.slice(0, text.indexOf(BEGIN));
  for (const option of commonOptions) expect(kept).toContain(option);
  const sections = commands.map(
    ([path, command]) => `## ${path}\n\n\`\`\`text\n${denseHelpOf(command)}\n\`\`\`\n`,
  );
  const wanted = `${kept}${BEGIN}\n\n${sections.join('\n')}`;
  if (isUpdate) writeFileSync(page, wanted);
  expect(readFileSync(page, 'utf8')).toBe(wanted);
});

test('every command has examples, --json and --help', () => {
  for (const [path, command] of commands) {
    const help = helpOf(command);
    expect(`${path}: ${help}`).toMatch(/\nExamples:\n {2}\S/);
    expect(help).toContain('--json');
    expect(help).toContain('--help');
  }
});

test('docs/use/cli.md lists each exit code', () => {
  const text = readFileSync(page, 'utf8');
  for (const code of Object.values(exitCodes)) expect(text).toMatch(new RegExp(`^\\| +${code} `, 'm'));
});

test('docs/use/from-langflow.md has each translated variable, whose setting exists', () => {
  const text = readFileSync(join(docs, 'use/from-langflow.md'), 'utf8');
  for (const [name, { setting, note }] of Object.entries(langflowSettings)) {
    expect(text).toContain(`\`${name}\``);
    if (setting !== null) {
      expect(Object.keys(standaloneSettings)).toContain(setting);
      expect(text).toContain(`\`${setting}\``);
    } else expect(note).not.toBe('');
  }
});
