import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { clientFor } from '../profiles/client-for';
import { reasonOf } from '../client/reason-of';
import { CliError } from '../cli-error';
import { exitCodes } from '../exit-codes';
import { FlowChecker } from '../flows/flow-checker';
import { databaseSource, requireLangflowDatabase } from '../migrate/database-source';
import { LangflowSecrets } from '../migrate/fernet';
import { canDecryptSecrets, Migration } from '../migrate/migrate-records';
import { migratedKinds } from '../migrate/migration-report';
import type { MigrationReport } from '../migrate/migration-report';
import type { LangflowSource, UnmigratedRecords } from '../migrate/source';
import { openPostgresSource, openSqliteSource } from '../migrate/source-database';
import { openTarget } from '../migrate/target';
import { urlSource } from '../migrate/url-source';
import { baseUrl } from '../profiles/choose-server';
import type { Output } from '../terminal/output';
import { readSecret } from '../terminal/read-secret';
import { addCommand, option } from '../terminal/add-command';
import type { CommandCall, CommandHost } from '../terminal/add-command';

const DETAILS = `Writes to the database of Millrace, not to its API: set DATABASE_URL and MILLRACE_ENCRYPTION_KEY, or --to.
Stop the standalone app first; services on a PostgreSQL server can run.

The secret key of Langflow decrypts its API keys and credentials. It is read from --secret-key-file, else from
LANGFLOW_SECRET_KEY, else from the file secret_key in the folder of --files.
A record whose id exists in Millrace is left unchanged, so the command can be repeated after an interruption.
With a URL of a Langflow server as --from, the API key for that server is LANGFLOW_API_KEY, or is asked for. API
keys and secret values cannot be read from a server; the report names each.`;

/** Adds the command `migrate`, which copies the records of a Langflow installation to the database of Millrace. */
export function addMigrateCommand(program: Command, host: CommandHost): void {
  addCommand(program, host, {
    name: 'migrate',
    summary: 'Move users, flows, API keys, variables, files and messages of a Langflow to Millrace',
    details: DETAILS,
    options: [
      option(
        '--from <source>',
        'SQLite file, PostgreSQL URL, or URL of a Langflow server; default LANGFLOW_DATABASE_URL',
      ),
      option('--to <target>', 'PostgreSQL URL or data folder; default DATABASE_URL, or else the data folder'),
      option(
        '--files <folder>',
        'LANGFLOW_CONFIG_DIR, which has the uploaded files; default: the folder of the SQLite file',
      ),
      option('--secret-key-file <file>', 'file with the secret key of Langflow'),
      option('--dry-run', 'report what would be moved and how each flow runs, and change nothing'),
      option('--python', 'report how flows run with MILLRACE_PYTHON=approved; needs a Python environment'),
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
    throw new CliError('usage', 'No Langflow to read from: set --from, or LANGFLOW_DATABASE_URL.');
  const filesFolder =
    text('files') ?? folderOfSqliteFile(from) ?? (shell.environment['LANGFLOW_CONFIG_DIR'] || undefined);
  const source = await openSource(call, from, filesFolder);
  try {
    const secrets = new LangflowSecrets(source.hasSecrets ? readSecretKey(call, filesFolder) : '');
    if (source.hasSecrets && !(await canDecryptSecrets(source, secrets)))
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
        // Reports count each variable as stored, because the migration copies the variables as well.
        hasVariable: () => true,
      });
      const showProgress = (line: string) => progress.show(line);
      const migration = new Migration({
        source,
        target,
        secrets,
        isDryRun,
        checker,
        progress: showProgress,
        signal: shell.signal,
      });
      const report = await migration.run();
      progress.end();
      printReport(output, {
        isDryRun,
        from: source.title,
        to: target.title,
        report,
        unmigrated: await source.unmigrated(),
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
  filesFolder: string | undefined,
): Promise<LangflowSource> {
  if (/^https?:/.test(from)) {
    const url = baseUrl(from);
    const key = shell.environment['LANGFLOW_API_KEY'] || (await readSecret(shell, `API key of ${url}: `));
    return urlSource(clientFor({ url, key }, shell.signal));
  }
  if (filesFolder !== undefined && statSync(filesFolder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CliError(
      'input',
      `There is no folder ${filesFolder}${text('files') === undefined ? '' : ' (--files)'}`,
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
  return databaseSource(database, filesFolder);
}

/** Returns the path of a SQLite file from a path or from a SQLAlchemy URL such as `sqlite:///langflow.db`. */
function sqlitePath(from: string): string {
  return from.replace(/^sqlite(?:\+\w+)?:\/\/\//, '');
}

/**
 * Returns the folder of the SQLite file, in which Langflow stores uploaded files as well when the database is in
 * LANGFLOW_CONFIG_DIR. Returns undefined for another source.
 */
function folderOfSqliteFile(from: string): string | undefined {
  if (/^(?:https?|postgres(?:ql)?(?:\+\w+)?):/.test(from)) return undefined;
  return dirname(sqlitePath(from));
}

function readSecretKey({ shell, text }: CommandCall, filesFolder: string | undefined): string {
  const chosenFile = text('secretKeyFile');
  const defaultFile = filesFolder === undefined ? undefined : join(filesFolder, 'secret_key');
  try {
    if (chosenFile !== undefined) return readFileSync(chosenFile, 'utf8').trim();
    const variable = shell.environment['LANGFLOW_SECRET_KEY'];
    if (variable) return variable;
    if (defaultFile !== undefined && existsSync(defaultFile)) return readFileSync(defaultFile, 'utf8').trim();
  } catch (error) {
    throw new CliError('input', `The secret key cannot be read: ${reasonOf(error)}`, error);
  }
  throw new CliError(
    'configuration',
    'The secret key of Langflow was not found: set LANGFLOW_SECRET_KEY or --secret-key-file.',
  );
}

interface PrintedReport {
  readonly isDryRun: boolean;
  readonly from: string;
  readonly to: string;
  readonly report: MigrationReport;
  readonly unmigrated: readonly UnmigratedRecords[];
}

function printReport(output: Output, { isDryRun, from, to, report, unmigrated }: PrintedReport): void {
  const { counts, flows, problems } = report;
  output.result({ dry_run: isDryRun, from, to, counts, flows, problems, not_moved: unmigrated }, () => {
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
      ['flow', 'verdict', 'native', 'python', 'needs setup', 'refused', 'first reason'],
    );
    if (problems.length > 0) output.line('');
    for (const { kind, name, reason } of problems) output.line(`${kind}: ${name}: ${reason}`);
    for (const { what, count } of unmigrated) output.line(`Not moved: ${count} ${what}`);
    output.line('Passwords are not moved: users sign in with API keys.');
  });
}
