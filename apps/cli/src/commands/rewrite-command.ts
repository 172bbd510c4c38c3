import type { Command } from 'commander';
import {
  hasOtherConnections,
  HiddenConnectionError,
  moveBodies,
  moveFiles,
  openObjectStore,
  REWRITE_CONNECTION,
  rewriteTexts,
  untilEarlierService,
  whileTextsAreWhole,
} from '@millrace/runs';
import type { RewrittenTexts } from '@millrace/runs';
import { migrationStatus } from '@millrace/database';
import { readSettings } from '@millrace/service';
import { standaloneSettings } from '@millrace/standalone';
import { asCliError, openPlace } from '../backup/place';
import type { Place } from '../backup/place';
import { CliError } from '../cli-error';
import { exitCodes } from '../exit-codes';
import { addCommand, option } from '../terminal/add-command';
import type { CommandCall, CommandHost } from '../terminal/add-command';

/** Adds `rewrite`. */
export function addRewriteCommand(program: Command, host: CommandHost): void {
  addCommand(program, host, {
    name: 'rewrite',
    summary: 'Write stored texts and files so that releases before 0.2 can read them, while services run',
    details: `Reads DATABASE_URL or DATABASE_DIRECT_URL, or else the data folder, whose server must be stopped. Waits 35 seconds for services,
which write whole texts until it ends. Interrupted, the next call continues. Ends with 1 when a row stays locked, or cannot be read: its template or object is missing.`,
    options: [
      option('--at <place>', 'PostgreSQL URL or data folder; default DATABASE_URL, or else the data folder'),
      option('--hold', 'then wait until a service of such a release is connected'),
    ],
    usesServer: false,
    examples: ['millrace rewrite --at ./data --hold'],
    run: runRewrite,
  });
}

async function runRewrite(call: CommandCall): Promise<number> {
  const { shell, output, text, options } = call;
  const place = await openPlace({
    at: text('at'),
    environment: shell.environment,
    mustExist: true,
    warn: (sentence) => output.note(sentence),
  });
  try {
    await requireTables(place);
    const hold = options['hold'] === true;
    if (hold && place.openAnother === undefined)
      throw new CliError('usage', '--hold is for services on a PostgreSQL server.');
    return await rewrite(call, place, hold);
  } catch (error) {
    if (error instanceof HiddenConnectionError) throw new CliError('configuration', error.message, error);
    throw shell.signal.aborted ? error : asCliError(error);
  } finally {
    await place.close();
  }
}

async function requireTables({ database, title }: Place): Promise<void> {
  const { rows } = await database.query<{ exists: boolean }>({
    text: `SELECT to_regclass('text_templates') IS NOT NULL AS exists`,
  });
  if (rows[0]?.exists === true) return;
  const isEmpty = (await migrationStatus(database)).every(({ state }) => state === 'pending');
  throw new CliError(
    'input',
    isEmpty
      ? `${title} has no tables of Millrace.`
      : `${title} is of an earlier release, which reads all of its texts.`,
  );
}

async function rewrite(call: CommandCall, place: Place, hold: boolean): Promise<number> {
  const { shell, output } = call;
  const { database, openAnother } = place;
  if (openAnother === undefined)
    return report(call, place, await rewriteWithProgress(call, place, shell.signal));
  const marker = await openAnother(REWRITE_CONNECTION);
  const progress = output.progress(call.now);
  try {
    return await whileTextsAreWhole(
      {
        database,
        marker,
        signal: shell.signal,
        onWait: (seconds) => progress.show(`Waiting until services write whole texts: ${seconds} s`),
      },
      async (signal) => {
        progress.end();
        const counts = await rewriteWithProgress(call, place, signal);
        const code = report(call, place, counts);
        if (hold) {
          output.note('Replace the services now. This ends when one of an earlier release is connected.');
          await untilEarlierService(database, signal);
        } else if (await hasOtherConnections(database))
          output.note(
            'Services of this release that run write short texts again: --hold waits for earlier ones.',
          );
        return code;
      },
    );
  } finally {
    progress.end();
    await marker.close();
  }
}

async function rewriteWithProgress(
  { output, now, shell }: CommandCall,
  { database }: Place,
  signal: AbortSignal,
): Promise<readonly RewrittenTexts[]> {
  const progress = output.progress(now);
  const onProgress = (table: string, rows: number, rewritten: number) =>
    progress.show(`${table}: ${rows} rows, ${rewritten} rewritten`);
  const { MILLRACE_OBJECT_STORE_URL: url } = readSettings(standaloneSettings, shell.environment);
  const objects = openObjectStore({ url });
  try {
    // First, because a body can be a text with a template.
    const bodies = await moveBodies({ database, objects, signal, onProgress });
    const tables = await rewriteTexts({ database, signal, onProgress });
    return [...tables, bodies, await moveFiles({ database, objects, signal, onProgress })];
  } finally {
    progress.end();
    await objects?.close();
  }
}

function report({ output }: CommandCall, place: Place, counts: readonly RewrittenTexts[]): number {
  const isDone = counts.every(({ locked, missing }) => locked === 0 && missing === 0);
  const tables = counts.map(({ place: table, named, ...numbers }) => ({
    table,
    ...numbers,
    unreadable: named,
  }));
  output.result({ at: place.title, complete: isDone, tables }, () => {
    output.table(
      counts.map((one) => [one.place, ...[one.rows, one.rewritten, one.locked, one.missing].map(String)]),
      ['', 'rows', 'rewritten', 'locked', 'unreadable'],
    );
    for (const { place: table, named } of counts)
      if (named.length > 0) output.line(`Cannot be read: ${table} ${named.join(', ')}`);
    output.line(
      isDone
        ? `Releases before 0.2 read all texts in ${place.title}.`
        : `Texts remain in ${place.title} that releases before 0.2 do not read.`,
    );
  });
  return isDone ? exitCodes.success : exitCodes.negative;
}
