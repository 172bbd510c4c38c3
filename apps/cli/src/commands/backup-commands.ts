import { existsSync, rmSync } from 'node:fs';
import type { Command } from 'commander';
import { asCliError, openPlace } from '../backup/place';
import { restoreBackup } from '../backup/restore-backup';
import { writeBackup } from '../backup/write-backup';
import { CliError } from '../cli-error';
import { exitCodes } from '../exit-codes';
import { reserveSecretFile } from '../terminal/secret-file';
import { addCommand, option } from '../terminal/add-command';
import type { CommandCall, CommandHost } from '../terminal/add-command';

/** Adds `backup` and `restore`. */
export function addBackupCommands(program: Command, host: CommandHost): void {
  addCommand(program, host, {
    name: 'backup',
    summary: 'Write the whole database, with the encryption key, to a file of mode 0600',
    details: `Reads DATABASE_URL, or else the data folder, whose server must be stopped; services on a PostgreSQL server can run.
The file has the rows as they are at one moment. It contains the encryption key, unless --without-key: keep it like one.
A backup of PostgreSQL can be restored into a data folder, and the other way round.`,
    arguments: [{ name: '<file>', description: 'new file' }],
    options: [
      option(
        '--from <source>',
        'PostgreSQL URL or data folder; default DATABASE_URL, or else the data folder',
      ),
      option('--without-key', 'leave the encryption key and the stored API key out'),
    ],
    usesServer: false,
    examples: ['millrace backup --from ./data ./data.backup'],
    run: runBackup,
  });
  addCommand(program, host, {
    name: 'restore',
    summary: 'Restore a backup into an empty database or a new data folder',
    details: `Stores everything or nothing. Then it migrates the database to this release.
Runs that were in progress when the backup was made are executed again: Redis and RabbitMQ are not part of a backup.`,
    arguments: [{ name: '<file>', description: 'file of millrace backup' }],
    options: [
      option('--to <target>', 'PostgreSQL URL or data folder; default DATABASE_URL, or else the data folder'),
      option('--key-output <file>', 'new file for the encryption key of the backup'),
    ],
    usesServer: false,
    examples: ['DATABASE_URL=postgres://… millrace restore ./millrace.backup --key-output ./encryption-key'],
    run: runRestore,
  });
}

async function runBackup(call: CommandCall): Promise<number> {
  const {
    shell,
    output,
    options,
    text,
    now,
    arguments: [file = ''],
  } = call;
  if (existsSync(file)) throw new CliError('input', `${file} exists already.`);
  const place = await openPlace({
    at: text('from'),
    environment: shell.environment,
    mustExist: true,
    warn: (sentence) => output.note(sentence),
  });
  const progress = output.progress(now);
  const withKeys = options['withoutKey'] !== true;
  try {
    const written = await writeBackup({
      place,
      file,
      withKeys,
      signal: shell.signal,
      progress: (line) => progress.show(line),
    });
    progress.end();
    const hasKey = withKeys && place.keys !== undefined;
    output.result({ file, from: place.title, has_key: hasKey, ...written }, () => {
      output.line(`${written.rows} rows of ${written.tables} tables of ${place.title} are in ${file}`);
      output.line(
        hasKey
          ? 'The file contains the encryption key: keep it secret.'
          : 'The file does not contain the encryption key: keep the key elsewhere, or the backup cannot be used.',
      );
    });
    return exitCodes.success;
  } catch (error) {
    rmSync(file, { force: true });
    throw shell.signal.aborted ? error : asCliError(error);
  } finally {
    progress.end();
    await place.close();
  }
}

async function runRestore(call: CommandCall): Promise<number> {
  const {
    shell,
    output,
    text,
    now,
    arguments: [file = ''],
  } = call;
  if (!existsSync(file)) throw new CliError('input', `There is no file ${file}`);
  const place = await openPlace({
    at: text('to'),
    environment: shell.environment,
    mustExist: false,
    warn: (sentence) => output.note(sentence),
  });
  const progress = output.progress(now);
  const keyOutput = text('keyOutput');
  let writeKeys: ReturnType<typeof reserveSecretFile> | undefined;
  let isRestored = false;
  try {
    if (keyOutput !== undefined) writeKeys = reserveSecretFile(keyOutput);
    const restored = await restoreBackup({
      place,
      file,
      writeKeys,
      signal: shell.signal,
      progress: (line) => progress.show(line),
    });
    isRestored = true;
    progress.end();
    output.result({ file, to: place.title, ...restored }, () => {
      output.line(`${restored.rows} rows of ${restored.tables} tables are in ${place.title}`);
      output.line(`The backup was made at ${restored.createdAt} by Millrace ${restored.version}.`);
    });
    return exitCodes.success;
  } catch (error) {
    throw shell.signal.aborted ? error : asCliError(error);
  } finally {
    progress.end();
    await place.close();
    if (!isRestored) {
      place.discard();
      if (keyOutput !== undefined && writeKeys !== undefined) rmSync(keyOutput, { force: true });
    }
  }
}
