import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { verifyExportedChain, verifyStoredChain } from '@millrace/runs';
import type { ChainLink, ChainVerdict } from '@millrace/runs';
import { asCliError, openPlace } from '../backup/place';
import { reasonOf } from '../client/reason-of';
import { CliError } from '../cli-error';
import { exitCodes } from '../exit-codes';
import { addCommand, addGroup, option } from '../terminal/add-command';
import type { CommandCall, CommandHost } from '../terminal/add-command';

/** Adds `audit verify`. */
export function addAuditCommands(program: Command, host: CommandHost): void {
  const audit = addGroup(program, 'audit', 'Examine the audit log');
  addCommand(audit, host, {
    name: 'verify',
    summary: 'Verify the chain of the audit log, in a database or in an exported file',
    details: `Reads DATABASE_URL, or else the data folder, whose server must be stopped; services on a PostgreSQL server can run.
Prints the position and the hash of the last entry. Ends with 1 when the log is broken or lacks the entry of --contains.`,
    arguments: [
      { name: '[file]', description: 'JSON lines of GET /api/v1/audit/export, of all entries of a time' },
    ],
    options: [
      option('--at <place>', 'PostgreSQL URL or data folder; default DATABASE_URL, or else the data folder'),
      option('--contains <position:hash>', 'an entry that was kept elsewhere, which the log must contain'),
    ],
    usesServer: false,
    examples: ['millrace audit verify audit.jsonl --contains 42:9f86d0… --json'],
    run: runVerify,
  });
}

async function runVerify(call: CommandCall): Promise<number> {
  const { output, text } = call;
  const [file] = call.arguments;
  if (file !== undefined && text('at') !== undefined)
    throw new CliError('usage', 'A file and --at cannot be used together.');
  const kept = text('contains');
  const contains = kept === undefined ? [] : [chainLink(kept)];
  const verdict = file === undefined ? await verifyPlace(call, contains) : await verifyFile(file, contains);
  output.result(verdict, () => {
    if (verdict.isIntact)
      output.line(
        `intact: ${verdict.entries} entries; the last one is ${verdict.last.position}:${verdict.last.hash}`,
      );
    else output.line(`broken: the entry at position ${verdict.position}: ${verdict.reason}`);
  });
  return verdict.isIntact ? exitCodes.success : exitCodes.negative;
}

async function verifyPlace(call: CommandCall, contains: readonly ChainLink[]): Promise<ChainVerdict> {
  const place = await openPlace({
    at: call.text('at'),
    environment: call.shell.environment,
    mustExist: true,
    warn: (sentence) => call.output.note(sentence),
  });
  try {
    return await verifyStoredChain(place.database, contains);
  } catch (error) {
    throw asCliError(error);
  } finally {
    await place.close();
  }
}

async function verifyFile(path: string, contains: readonly ChainLink[]): Promise<ChainVerdict> {
  const input = createReadStream(path);
  // The lines end without an error when the file cannot be read.
  const failed = new Promise<never>((_resolve, reject) => void input.once('error', reject));
  const lines = createInterface({ input, crlfDelay: Infinity });
  try {
    return await Promise.race([failed, verifyExportedChain(lines, contains)]);
  } catch (error) {
    throw new CliError('input', `${path} cannot be verified: ${reasonOf(error)}`, error);
  }
}

/** Reads the position and the hash of an entry. */
function chainLink(text: string): ChainLink {
  const [, position, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (position === undefined || hash === undefined)
    throw new CliError(
      'usage',
      `--contains must be a position, a colon and a hash of 64 digits, but is "${text}".`,
    );
  return { position: Number(position), hash };
}
