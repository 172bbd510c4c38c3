import type { AuditEntry, ChainLink } from './audit-entry';
import { parseAuditLine } from './audit-line';
import { verifyChain } from './verify-chain';
import type { ChainVerdict } from './verify-chain';

const PAGE_ENTRIES = 500;

/** A line of an export is not an entry. */
export class AuditLineError extends Error {
  readonly code = 'audit_line_invalid';

  constructor(line: number) {
    super(`line ${line} is not an audit entry`);
    this.name = 'AuditLineError';
  }
}

/**
 * Verifies an export from its first line on, which must hold all entries of a time range. The first line's own statement
 * about the entry before it counts, unless it is the first entry of the log. Throws AuditLineError.
 */
export function verifyExportedChain(
  lines: AsyncIterable<string>,
  contains: readonly ChainLink[] = [],
): Promise<ChainVerdict> {
  return verifyChain(entriesOf(lines), { contains });
}

async function* entriesOf(lines: AsyncIterable<string>): AsyncGenerator<AuditEntry[]> {
  let page: AuditEntry[] = [];
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    const entry = parseAuditLine(line);
    if (entry === null) throw new AuditLineError(number);
    page.push(entry);
    if (page.length < PAGE_ENTRIES) continue;
    yield page;
    page = [];
  }
  yield page;
}
