import type { RunFailure } from '@millrace/messages';
import type { RunUsage } from '../run-record/run-usage';
import { parsedJson, parsedObject } from '../parsed-object';
import type { RequestSeal } from '../encryption/request-seal';
import type { RunBodies } from '../objects/run-bodies';
import type { RunRecord } from '../run-record/run-record';
import { wholeText } from '../text-templates/whole-text';

/** A run's row as `RUN_COLUMNS` selects it, with JSON as text. */
export type RunRow = Omit<RunRecord, 'result' | 'resultText' | 'failure' | 'request' | 'usage'> & {
  readonly resultText: string | null;
  readonly failureText: string | null;
  readonly usageText: string | null;
  readonly requestText: string | null;
};

const SMALL_COLUMNS = `runs.id, runs.flow_id AS "flowId", runs.flow_version AS "flowVersion",
  runs.user_id AS "userId", runs.lane, runs.pool, runs.origin, runs.status, runs.attempt,
  runs.session_id AS "sessionId", runs.accepted_at AS "acceptedAt", runs.queued_at AS "queuedAt",
  runs.started_at AS "startedAt", runs.finished_at AS "finishedAt", runs.worker, runs.retries, runs.replay_of AS "replayOf", runs.traceparent,
  runs.failure AS "failureText", ${wholeText('usage')} AS "usageText"`;

export const RUN_COLUMNS = `${SMALL_COLUMNS}, ${wholeText('result')} AS "resultText", ${wholeText('request')} AS "requestText"`;

/** The same without the large columns: result and request are null. */
export const RUN_SUMMARY_COLUMNS = `${SMALL_COLUMNS}, NULL::text AS "resultText", NULL::text AS "requestText"`;

/** Reads what the columns of a row have in the object store. */
export async function wholeRow(row: RunRow, bodies: RunBodies): Promise<RunRow> {
  const resultText = await bodies.whole(row.id, 'result', row.resultText);
  const requestText = await bodies.whole(row.id, 'request', row.requestText);
  return { ...row, resultText, requestText };
}

/** Converts a row to a record. */
export function toRunRecord(
  { resultText, failureText: storedFailure, usageText, requestText, ...row }: RunRow,
  seal: RequestSeal,
): RunRecord {
  return {
    ...row,
    result: parsedJson(resultText),
    resultText,
    failure: readFailure(storedFailure),
    usage: parsedObject(usageText) as RunUsage | null,
    request: requestText === null ? null : seal.read(requestText),
  };
}

/** Parses the failure column. */
export function readFailure(text: string | null): RunFailure | null {
  return parsedObject(text) as RunFailure | null;
}

/** Serializes a failure for its column. */
export function writeFailure(failure: RunFailure | null): string | null {
  return failure === null ? null : JSON.stringify(failure);
}

/** Serializes a failure that concerns the whole run. */
export function failureText(code: string, message: string): string {
  const failure: RunFailure = { code, message, vertex: null, problems: [] };
  return JSON.stringify(failure);
}
