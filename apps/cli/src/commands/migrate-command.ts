import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { ApiClient } from '../client/api-client';
import { reasonOf } from '../client/reason-of';
import { CliError } from '../cli-error';
import { exitCodes } from '../exit-codes';
import { FlowChecker } from '../flows/flow-checker';
import { databaseSource, requireLangflowDatabase } from '../migrate/database-source';
import { LangflowSecrets } from '../migrate/fernet';
import { decryptsAny, Migration } from '../migrate/migrate-records';
import { migratedKinds } from '../migrate/migration-report';
import type { MigrationReport } from '../migrate/migration-report';
import type { LangflowSource, SourceRest } from '../migrate/source';
import { openPostgresSource, openSqliteSource } from '../migrate/source-database';
import { openTarget } from '../migrate/target';
import { urlSource } from '../migrate/url-source';
import { baseUrl } from '../profiles/choose-server';
import type { Output } from '../terminal/output';
import { readSecret } from '../terminal/read-secret';
import { addCommand, option } from '../terminal/add-command';
import type { CommandCall, CommandHost } from '../terminal/add-command';

const DETAILS = `Works on the database of Millrace, not on its API: DATABASE_URL and MILLRACE_ENCRYPTION_KEY, or --to.
Stop the standalone app first; services on a PostgreSQL server can run.

Reads LANGFLOW_SECRET_KEY, the file secret_key of --files, or --secret-key-file. A record that exists here is
left unchanged, so that the command can be repeated, also after an interruption.
From the address of a Langflow, keys and secret values cannot be moved: the report names each. Its key is
LANGFLOW_API_KEY, or is asked for.`;

/** Adds `migrate`. */
export function addMigrateCommand(program: Command, host: CommandHost): void {
  addCommand(program, host, {
    name: 'migrate',
    summary: 'Move users, flows, API keys, variables, files and messages of a Langflow to Millrace',
    details: DETAILS,
    options: [
      option(
        '--from <source>',
        'SQLite file, PostgreSQL URL, or address of a Langflow; default LANGFLOW_DATABASE_URL',
      ),
      option('--to <target>', 'PostgreSQL URL or data folder; default DATABASE_URL, or else the data folder'),
      option(
        '--files <folder>',
        'LANGFLOW_CONFIG_DIR with the files; default: the folder of the SQLite file',
      ),
      option('--secret-key-file <file>', 'file with the secret key of Langflow'),
      option('--dry-run', 'report what would be moved and how each flow runs, and change nothing'),
      option('--python', 'report flows with Python switched on; needs a Python environment'),
    ],
    usesServer: false,
    examples: [
      'millrace migrate --from ~/.langflow/langflow.db --dry-run',
      'LANGFLOW_DATABASE_URL=postgresql://… millrace migrate --files /var/lib/langflow',
      'millrace migrate --from https://langflow.example.com --json > report.json',
    ],
    run: runMigrate,
  });
}

async function runMigrate(call: CommandCall): Promise<number> {
  const { shell, output, options, text, now } = call;
  const isDryRun = options['dryRun'] === true;
  const from = text('from') ?? (shell.environment['LANGFLOW_DATABASE_URL'] || undefined);
  if (from === undefined)
    throw new CliError('usage', 'Name a Langflow with --from, or set LANGFLOW_DATABASE_URL.');
  const files = text('files') ?? folderOf(from) ?? (shell.environment['LANGFLOW_CONFIG_DIR'] || undefined);
  const source = await openSource(call, from, files);
  try {
    const secrets = new LangflowSecrets(source.hasSecrets ? secretKey(call, files) : '');
    if (source.hasSecrets && !(await decryptsAny(source, secrets)))
      throw new CliError(
        'configuration',
        'The secret key does not decrypt the keys and credentials of this Langflow; nothing was moved.',
      );
    const warn = (sentence: string) => output.note(sentence);
    const target = await openTarget({ to: text('to'), environment: shell.environment, isDryRun, warn });
    const progress = output.progress(now);
    try {
      const checker = await FlowChecker.open({
        pythonMode: options['python'] === true ? 'approved' : 'off',
        // Variables are moved before a run needs them.
        hasVariable: () => true,
      });
      const show = (line: string) => progress.show(line);
      const migration = new Migration({
        source,
        target,
        secrets,
        isDryRun,
        checker,
        progress: show,
        signal: shell.signal,
      });
      const report = await migration.run();
      progress.end();
      printReport(output, {
        isDryRun,
        from: source.title,
        to: target.title,
        report,
        rest: await source.rest(),
      });
      return exitCodes.success;
    } finally {
      progress.end();
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function openSource(
  { shell, text }: CommandCall,
  from: string,
  files: string | undefined,
): Promise<LangflowSource> {
  if (/^https?:/.test(from)) {
    const url = baseUrl(from);
    const key = shell.environment['LANGFLOW_API_KEY'] || (await readSecret(shell, `API key of ${url}: `));
    return urlSource(new ApiClient({ url, key }, shell.signal));
  }
  if (files !== undefined && statSync(files, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CliError(
      'input',
      `There is no folder ${files}${text('files') === undefined ? '' : ' (--files)'}`,
    );
  const database = /^postgres/.test(from)
    ? await openPostgresSource(from)
    : openSqliteSource(sqlitePath(from));
  try {
    await requireLangflowDatabase(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return databaseSource(database, files);
}

function sqlitePath(from: string): string {
  return from.replace(/^sqlite(?:\+\w+)?:\/\/\//, '');
}

/** Langflow keeps its files beside a SQLite database that is in its configuration folder. */
function folderOf(from: string): string | undefined {
  if (/^(?:https?|postgres(?:ql)?(?:\+\w+)?):/.test(from)) return undefined;
  return dirname(sqlitePath(from));
}

function secretKey({ shell, text }: CommandCall, files: string | undefined): string {
  const given = text('secretKeyFile');
  const beside = files === undefined ? undefined : join(files, 'secret_key');
  try {
    if (given !== undefined) return readFileSync(given, 'utf8').trim();
    const variable = shell.environment['LANGFLOW_SECRET_KEY'];
    if (variable) return variable;
    if (beside !== undefined && existsSync(beside)) return readFileSync(beside, 'utf8').trim();
  } catch (error) {
    throw new CliError('input', `The secret key cannot be read: ${reasonOf(error)}`, error);
  }
  throw new CliError(
    'configuration',
    'The secret key of Langflow is not known: set LANGFLOW_SECRET_KEY, or name a file with --secret-key-file.',
  );
}

interface PrintedReport {
  readonly isDryRun: boolean;
  readonly from: string;
  readonly to: string;
  readonly report: MigrationReport;
  readonly rest: readonly SourceRest[];
}

function printReport(output: Output, { isDryRun, from, to, report, rest }: PrintedReport): void {
  const { counts, flows, problems } = report;
  output.result({ dry_run: isDryRun, from, to, counts, flows, problems, not_moved: rest }, () => {
    output.line(`From ${from} to ${to}${isDryRun ? ' (dry run: nothing was changed)' : ''}`);
    output.line('');
    output.table(
      migratedKinds.map((kind) => {
        const { moved, present, skipped } = counts[kind];
        return [kind, String(moved), String(present), String(skipped)];
      }),
      ['', isDryRun ? 'would move' : 'moved', 'present', 'skipped'],
    );
    output.line('');
    output.table(
      flows.map(({ name, verdict, vertices: { native, python, needs, refused }, reasons }) => [
        name.slice(0, 40),
        verdict,
        ...[native, python, needs, refused].map(String),
        (reasons[0] ?? '').slice(0, 100),
      ]),
      ['flow', 'verdict', 'native', 'python', 'needs', 'refused', 'first reason'],
    );
    if (problems.length > 0) output.line('');
    for (const { kind, name, reason } of problems) output.line(`${kind}: ${name}: ${reason}`);
    for (const { what, count } of rest) output.line(`Not moved: ${count} ${what}`);
    output.line('Passwords are not moved: users sign in with API keys.');
  });
}
