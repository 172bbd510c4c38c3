import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { reasonOf } from '../client/reason-of';
import { CliError } from '../cli-error';

/*
 * A backup is a gzip file of lines of JSON: the head; for each table its name and columns, then a list of texts for each
 * row, as PostgreSQL prints and reads them; last the number of rows and the SHA-256 of all lines before.
 */

export const BACKUP_FORMAT = 1;

export interface BackupHead {
  readonly millrace_backup: number;
  readonly version: string;
  /** ISO 8601. */
  readonly created_at: string;
  readonly migrations: readonly { readonly version: number; readonly name: string }[];
  /** The encryption keys; null when they are kept elsewhere. */
  readonly keys: readonly string[] | null;
  /** The API key that a data folder stores. */
  readonly api_key: string | null;
}

export interface TableLine {
  readonly table: string;
  readonly columns: readonly string[];
}

export type RowLine = readonly (string | null)[];

interface EndLine {
  readonly end: { readonly rows: number; readonly sha256: string };
}

export type BackupLine = BackupHead | TableLine | RowLine | EndLine;

/** Writes a backup to a new file of mode 0600. */
export class BackupWriter {
  readonly #lines = new PassThrough();
  readonly #written: Promise<void>;
  readonly #hash = createHash('sha256');
  #failure: unknown;
  #rows = 0;

  constructor(path: string) {
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
    this.#written = pipeline(this.#lines, createGzip(), file);
    this.#written.catch((error: unknown) => (this.#failure = error));
  }

  async write(line: BackupHead | TableLine | RowLine): Promise<void> {
    if (Array.isArray(line)) this.#rows += 1;
    const text = `${JSON.stringify(line)}\n`;
    this.#hash.update(text);
    await this.#send(text);
  }

  /** Writes the last line; resolves to the number of rows when the file is on the disk. */
  async end(): Promise<number> {
    const line: EndLine = { end: { rows: this.#rows, sha256: this.#hash.digest('hex') } };
    await this.#send(`${JSON.stringify(line)}\n`);
    this.#lines.end();
    await this.#written;
    return this.#rows;
  }

  async abandon(): Promise<void> {
    this.#lines.destroy();
    await this.#written.catch(() => undefined);
  }

  async #send(text: string): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (!this.#lines.write(text)) await Promise.race([once(this.#lines, 'drain'), this.#written]);
  }
}

/**
 * Yields the lines of a backup, without the last one: what it yielded is whole when it ends. Throws CliError for a file
 * that is no backup, was cut off or was changed.
 */
export async function* readBackup(path: string): AsyncGenerator<BackupHead | TableLine | RowLine> {
  const hash = createHash('sha256');
  let [rows, isFirst, isEnded] = [0, true, false];
  try {
    for await (const text of linesOf(path)) {
      const line = JSON.parse(text) as BackupLine;
      if (isFirst && !isHead(line)) throw new CliError('input', `${path} is no backup of Millrace.`);
      isFirst = false;
      if ('end' in line) {
        isEnded = rows === line.end.rows && hash.digest('hex') === line.end.sha256;
        break;
      }
      hash.update(`${text}\n`);
      if (Array.isArray(line)) rows += 1;
      yield line;
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    const isContent = error instanceof SyntaxError || String(codeOf(error)).startsWith('Z_');
    const sentence = isContent
      ? `${path} is no backup of Millrace, or is damaged: ${reasonOf(error)}`
      : `${path} cannot be read: ${reasonOf(error)}`;
    throw new CliError('input', sentence, error);
  }
  if (!isEnded) throw new CliError('input', `${path} is damaged: it was cut off or changed.`);
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const unpacked = createGunzip();
  const file = createReadStream(path);
  file.once('error', (error) => unpacked.destroy(error));
  file.pipe(unpacked);
  let parts: Buffer[] = [];
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    let from = 0;
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, to));
      yield Buffer.concat(parts).toString();
      parts = [];
      from = to + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
}

function isHead(line: BackupLine): line is BackupHead {
  return typeof line === 'object' && line !== null && 'millrace_backup' in line;
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code;
}
