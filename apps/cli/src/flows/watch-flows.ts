import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoff } from '@millrace/service';
import { CliError } from '../cli-error';
import { MillraceError } from '../client/millrace-error';
import { exitCodes } from '../exit-codes';
import type { CommandCall, CommandDescription } from '../terminal/add-command';
import { readFlows } from './flow-files';
import type { FlowJson } from './flow-files';
import { importFlow, meantFlow } from './import-flows';
import type { ImportedFlow } from './import-flows';
import { listFlows } from './list-flows';
import { callableName } from './resolve-flow';
import { WatchedFolder } from './watched-folder';

/** How long a server can be away. */
const AWAY_MILLISECONDS = 600_000;
const RETRY = { initialMilliseconds: 1_000, maximumMilliseconds: 30_000 };

/** The command `flows watch`. */
export const flowWatchCommand: CommandDescription = {
  name: 'watch',
  summary: 'Import the export files of a folder, and each again when it is saved',
  details: `Files mean flows as in flows import; while the command runs, a file stays with its flow when the name changes.
A file that cannot be read or is refused is reported, and tried again when it is saved; so is the second file that means a flow.
A flow whose file is deleted stays.
Requests are repeated for 10 minutes while the server is away. An interruption ends the command with 0.
With --json, prints a JSON object a line for each flow that is created, changed or refused.`,
  arguments: [{ name: '<folder>', description: 'folder with JSON files' }],
  examples: ['millrace flows watch ./flows'],
  async run(call) {
    const {
      shell,
      output,
      arguments: [path = ''],
    } = call;
    try {
      const folder = new WatchedFolder(path, shell.signal, (sentence) => output.note(sentence));
      try {
        return await watchFlows(call, folder);
      } finally {
        folder.close();
      }
    } catch (error) {
      if (shell.signal.aborted) return exitCodes.success;
      throw error;
    }
  },
};

async function watchFlows(call: CommandCall, folder: WatchedFolder): Promise<never> {
  const { output, shell, now } = call;
  const importer = new FileImporter(call);
  const pending = new Set<string>();
  let awayAt: number | undefined;
  let attempt = 0;
  let isFirst = true;
  for (;;) {
    const { changed, deleted } = folder.scan();
    for (const file of changed) pending.add(file);
    for (const file of deleted) {
      pending.delete(file);
      output.note(`${file} is deleted; its flow stays on the server`);
    }
    try {
      if (pending.size > 0 || isFirst) await importer.importFiles(pending);
      if (isFirst) output.note(`Watching ${call.arguments[0] ?? ''}; Ctrl-C ends it`);
      isFirst = false;
      awayAt = undefined;
      attempt = 0;
    } catch (error) {
      if (!(error instanceof MillraceError) || error.reason !== 'unavailable') throw error;
      if (awayAt === undefined) output.note(`${error.message}; trying again`);
      awayAt ??= now();
      if (now() - awayAt > AWAY_MILLISECONDS) throw error;
      const asked = Math.min((error.retryAfterSeconds ?? 0) * 1_000, RETRY.maximumMilliseconds);
      await sleep(Math.max(asked, backoff({ ...RETRY, attempt })), undefined, { signal: shell.signal });
      attempt += 1;
      continue;
    }
    await folder.next();
  }
}

/** Imports files, and remembers the flows of each. */
class FileImporter {
  readonly #call: CommandCall;
  readonly #api: ReturnType<CommandCall['api']>;
  readonly #ids = new Map<string, readonly (string | null)[]>();

  constructor(call: CommandCall) {
    this.#call = call;
    this.#api = call.api();
  }

  /** Imports the files and removes each from the set. Rejects when the server is away or refuses the key. */
  async importFiles(pending: Set<string>): Promise<void> {
    const { output, now } = this.#call;
    const stored: FlowJson[] = [...(await listFlows(this.#api))];
    const progress = output.progress(now);
    let unchanged = 0;
    for (const file of pending) {
      progress.show(`${pending.size} files: ${file}`);
      const rows: Omit<ImportedFlow, 'file'>[] = [];
      for (const flow of this.#read(file, new Set(stored.flatMap(({ id }) => id ?? [])))) {
        const row =
          this.#refusal(file, flow, stored) ??
          (await importFlow(this.#api, flow, { isDryRun: false, stored }));
        rows.push(row);
        if (row.action === 'created' && row.id !== null) stored.push({ ...flow, id: row.id });
      }
      pending.delete(file);
      if (rows.length > 0)
        this.#ids.set(
          file,
          rows.map(({ id }) => id),
        );
      progress.end();
      for (const row of rows)
        if (row.action === 'unchanged') unchanged += 1;
        else this.#print({ file, ...row });
    }
    progress.end();
    if (unchanged > 0) output.note(`${unchanged} unchanged`);
  }

  /** Returns the flows of a file, with the ids of the flows that it was imported as; none when it cannot be read. */
  #read(file: string, existing: ReadonlySet<string>): readonly FlowJson[] {
    try {
      const flows = readFlows(file);
      const ids = this.#ids.get(file) ?? [];
      return flows.map((flow, index) => {
        const id = ids.length === flows.length ? ids[index] : undefined;
        return flow.id || !id || !existing.has(id) ? flow : { ...flow, id };
      });
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      this.#call.output.note(`${error.message}; waiting for its next save`);
      return [];
    }
  }

  /** Two files that mean one flow would replace each other; the first one keeps it while it exists. */
  #refusal(
    file: string,
    flow: FlowJson,
    stored: readonly FlowJson[],
  ): Omit<ImportedFlow, 'file'> | undefined {
    const id = meantFlow(flow, stored)?.id;
    if (!id) return undefined;
    for (const [other, ids] of this.#ids)
      if (other !== file && ids.includes(id) && existsSync(other))
        return {
          id: null,
          name: flow.name,
          endpoint_name: flow.endpoint_name ?? null,
          action: 'failed',
          verdict: null,
          error: `${other} is the same flow; change the id, endpoint_name or name of one`,
        };
    return undefined;
  }

  #print(row: ImportedFlow): void {
    const { output } = this.#call;
    if (output.json) return output.line(JSON.stringify(row));
    output.line(
      `${row.action.padEnd(9)} ${callableName(row)}  ${row.name}  ${row.error ?? row.verdict ?? ''}`.trimEnd(),
    );
  }
}
