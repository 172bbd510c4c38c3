import { createHash } from 'node:crypto';
import { HttpError } from '@millrace/http';
import type { BulkAction, RunFilter, RunPosition } from '@millrace/runs';
import { machineTime } from '@millrace/service';
import { parsePosition, positionText } from './run-cursor';

/** A count is outdated after this time. */
const LIFETIME_MILLISECONDS = 3_600_000;
const SHAPE = /^([\w-]{22})\.(\d{1,16})\.(\d{1,6})(?:\.(.+))?$/;

/** How far an action on the runs of a filter has come. */
export interface BulkProgress {
  /** When the runs were counted; microseconds since the epoch. */
  readonly asOfMicroseconds: number;
  /** How many of the counted runs are left. */
  readonly left: number;
  readonly after: RunPosition | null;
}

interface BulkSubject {
  readonly action: BulkAction;
  readonly filter: RunFilter;
}

/**
 * Returns the token that lets a caller execute or continue an action that was counted. It gives no right, since the
 * filter is sent and checked with each request; it keeps an action from reaching more runs than were counted.
 */
export function bulkToken(subject: BulkSubject, { asOfMicroseconds, left, after }: BulkProgress): string {
  const parts = [digestOf(subject), asOfMicroseconds, left, ...(after === null ? [] : [positionText(after)])];
  return Buffer.from(parts.join('.')).toString('base64url');
}

/** Reads a token. Throws invalid_value when it is of another action or filter, or outdated. */
export function readBulkToken(subject: BulkSubject, token: string): BulkProgress {
  const text = Buffer.from(token, 'base64url').toString('latin1');
  const [, digest, asOf, left, position] = SHAPE.exec(text) ?? [];
  const after = position === undefined ? null : parsePosition(position);
  if (digest === undefined || (position !== undefined && after === null))
    throw new HttpError('invalid_value', 'The token is not one of an earlier answer.');
  if (digest !== digestOf(subject))
    throw new HttpError('invalid_value', 'The token was given for another action, version or filter.');
  const asOfMicroseconds = Number(asOf);
  if (machineTime() - asOfMicroseconds / 1_000 > LIFETIME_MILLISECONDS)
    throw new HttpError('invalid_value', 'The token is more than an hour old; count the runs again.');
  return { asOfMicroseconds, left: Number(left), after };
}

function digestOf({ action, filter }: BulkSubject): string {
  const members = Object.entries(filter).filter(([, value]) => value !== undefined);
  const text = JSON.stringify([action, members.toSorted(([one], [other]) => (one < other ? -1 : 1))]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
