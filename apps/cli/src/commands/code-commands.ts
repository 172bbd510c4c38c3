import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { codeHash, knownMembers, publishedHashes } from '@millrace/flow';
import type { CodeHashes } from '@millrace/flow';
import { clientFor } from '../profiles/client-for';
import { reasonOf } from '../client/reason-of';
import { CliError } from '../cli-error';
import { exitCodes } from '../exit-codes';
import { readInstalledLangflow } from '../known-code/installed-langflow';
import type { ComponentSource, LangflowCode } from '../known-code/langflow-code';
import { readRunningLangflow } from '../known-code/running-langflow';
import { addCommand, addGroup, option } from '../terminal/add-command';
import type { CommandCall, CommandDescription, CommandHost } from '../terminal/add-command';

const source: Pick<CommandDescription, 'arguments' | 'usesServer'> = {
  arguments: [
    {
      name: '<langflow>',
      description: 'site-packages folder of an installed Langflow, or URL of a running one',
    },
  ],
  usesServer: false,
};
const KEY = 'The key of a running Langflow is LANGFLOW_API_KEY.';

/** Adds `code list` and `code members`. */
export function addCodeCommands(program: Command, host: CommandHost): void {
  const code = addGroup(
    program,
    'code',
    'Compare the component code of a Langflow with what this release knows',
  );
  addCommand(code, host, {
    ...source,
    name: 'list',
    summary: 'List the hashes of its component code that are not built in, for MILLRACE_KNOWN_CODE',
    details: KEY,
    options: [option('--out <file>', 'add the hashes to this file')],
    examples: ['millrace code list /opt/langflow/lib/python3.13/site-packages --out known-code.json'],
    run: runList,
  });
  addCommand(code, host, {
    ...source,
    name: 'members',
    summary: 'List the members of its exports that this release does not know',
    details: `Ends with 1 when there are any. ${KEY}`,
    examples: ['millrace code members http://127.0.0.1:7860 --json'],
    run: runMembers,
  });
}

async function runList(call: CommandCall): Promise<void> {
  const { sources } = await readLangflow(call);
  const found = hashesOf(sources);
  const added = withoutBuiltIn(found);
  const file = call.text('out');
  if (file !== undefined) addToFile(file, added);
  call.output.result(added, () => {
    const types = Object.keys(found).length;
    call.output.line(`${count(found)} hashes of ${types} types; ${count(added)} are not built in`);
    for (const [type, hashes] of Object.entries(added)) call.output.line(`  ${type}: ${hashes.join(', ')}`);
    if (file !== undefined) call.output.line(`Set MILLRACE_KNOWN_CODE to ${file} on gateways and executors.`);
  });
}

async function runMembers(call: CommandCall): Promise<number> {
  const { members } = await readLangflow(call);
  const places = [...members.places];
  const unknown = places
    .flatMap(([place, names]) =>
      [...names].filter((name) => !knownMembers[place].has(name)).map((name) => ({ place, name })),
    )
    .toSorted((a, b) => (`${a.place} ${a.name}` < `${b.place} ${b.name}` ? -1 : 1));
  call.output.result(unknown, () => {
    const total = places.reduce((sum, [, names]) => sum + names.size, 0);
    call.output.line(`${total} members of exports; ${unknown.length} are not known here`);
    for (const { place, name } of unknown) call.output.line(`  ${place}: ${name}`);
  });
  return unknown.length === 0 ? exitCodes.success : exitCodes.negative;
}

async function readLangflow({ arguments: [place = ''], shell }: CommandCall): Promise<LangflowCode> {
  if (!/^https?:\/\//.test(place)) return readInstalledLangflow(place);
  const key = shell.environment['LANGFLOW_API_KEY'] ?? '';
  return readRunningLangflow(clientFor({ url: place.replace(/\/+$/, ''), key }, shell.signal));
}

function hashesOf(sources: readonly ComponentSource[]): CodeHashes {
  const found = new Map<string, Set<string>>();
  for (const { type, text } of sources) found.set(type, (found.get(type) ?? new Set()).add(codeHash(text)));
  const sorted = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([type, hashes]) => [type, [...hashes].toSorted()]));
}

function withoutBuiltIn(found: CodeHashes): CodeHashes {
  const entries = Object.entries(found).map(
    ([type, hashes]) =>
      [type, hashes.filter((hash) => !(publishedHashes[type] ?? []).includes(hash))] as const,
  );
  return Object.fromEntries(entries.filter(([, hashes]) => hashes.length > 0));
}

/** Adds hashes to a file that may have some already. Throws CliError. */
function addToFile(file: string, added: CodeHashes): void {
  try {
    const merged = existsSync(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, readonly string[]>)
      : {};
    for (const [type, hashes] of Object.entries(added))
      merged[type] = [...new Set([...(merged[type] ?? []), ...hashes])].toSorted();
    writeFileSync(file, `${JSON.stringify(merged, null, 2)}\n`);
  } catch (error) {
    throw new CliError('input', `${file} cannot be read or written: ${reasonOf(error)}`, error);
  }
}

function count(hashes: CodeHashes): number {
  return Object.values(hashes).reduce((total, one) => total + one.length, 0);
}
