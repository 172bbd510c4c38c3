import { randomUUID } from 'node:crypto';
import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { parsePythonJson } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { callHttp } from '../http/call-http';
import { decodeText } from '../http/decode-text';
import { member, objectsMember, textMember } from '../http/json-members';
import { pause } from '../http/pause';
import { withoutSecrets } from '../http/service-error';
import { bigQueryRows } from './bigquery-rows';
import { accessToken } from './service-account';
import type { ServiceAccount } from './service-account';

const service = 'BigQuery';
const root = 'https://bigquery.googleapis.com/bigquery/v2/projects';
const rowsOfPage = 10_000;
const maximumRows = 100_000;
/** How long BigQuery waits for the end of a query before it answers. */
const waitMilliseconds = 10_000;
const pollMilliseconds = 100;

export interface BigQueryTable {
  readonly rows: readonly PythonObject[];
  readonly columns: readonly string[];
}

/**
 * Runs a query in the project of a service account and returns all rows. Unless the operator allows writes, only a
 * query that reads runs. Throws a ComponentError.
 */
export async function queryBigQuery(
  account: ServiceAccount,
  query: string,
  context: ComponentContext,
): Promise<BigQueryTable> {
  const token = await accessToken(account, context);
  const project = `${root}/${encodeURIComponent(account.projectId)}`;
  const send = (path: string, body?: object): Promise<PythonValue> =>
    call(`${project}${path}`, token, body, context);
  if (!context.resources.isAllowed('sql-writes')) await requireReading(send, query);
  const started = await send('/queries', {
    query,
    useLegacySql: false,
    maxResults: rowsOfPage,
    timeoutMs: waitMilliseconds,
    formatOptions: { useInt64Timestamp: true },
    // A repeated request with the same id does not run the query again.
    requestId: randomUUID(),
  });
  const job = textMember(started, 'jobReference', 'jobId');
  const location = textMember(started, 'jobReference', 'location');
  const next = (pageToken: string): Promise<PythonValue> => {
    const parameters = new URLSearchParams({
      maxResults: String(rowsOfPage),
      timeoutMs: String(waitMilliseconds),
      'formatOptions.useInt64Timestamp': 'true',
      ...(location === '' ? {} : { location }),
      ...(pageToken === '' ? {} : { pageToken }),
    });
    return send(`/queries/${encodeURIComponent(job)}?${parameters.toString()}`);
  };
  let answer = started;
  // BigQuery waits for the end of the query; the deadline of the run ends the loop.
  while (member(answer, 'jobComplete') !== true) {
    await pause(pollMilliseconds, context.signal);
    answer = await next('');
  }
  const fields = objectsMember(answer, 'schema', 'fields');
  const rows = [...bigQueryRows(objectsMember(answer, 'rows'), fields)];
  for (let page = textMember(answer, 'pageToken'); page !== ''; page = textMember(answer, 'pageToken')) {
    if (rows.length > maximumRows) {
      throw failed(`the result has more than ${maximumRows} rows`);
    }
    answer = await next(page);
    rows.push(...bigQueryRows(objectsMember(answer, 'rows'), fields));
  }
  return { rows, columns: fields.map((field) => textMember(field, 'name')) };
}

/** A dry run costs nothing and names the kind of the statement. */
async function requireReading(
  send: (path: string, body: object) => Promise<PythonValue>,
  query: string,
): Promise<void> {
  const configuration = { dryRun: true, query: { query, useLegacySql: false } };
  const answer = await send('/jobs', { configuration });
  const kind = textMember(answer, 'statistics', 'query', 'statementType');
  if (kind !== 'SELECT') throw failed(`a query cannot write (${kind || 'unknown statement'})`);
}

async function call(
  url: string,
  token: string,
  body: object | undefined,
  context: ComponentContext,
): Promise<PythonValue> {
  const answer = await callHttp(
    {
      service,
      url: new URL(url),
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      repeatable: true,
      maximumBytes: 32 * 1_048_576,
    },
    context,
  );
  const parsed = parsedBody(decodeText(answer));
  if (answer.status === 200) return parsed;
  const reason = textMember(parsed, 'error', 'message') || `status ${answer.status}`;
  throw failed(withoutSecrets(`${answer.status} ${reason}`, [token]));
}

function parsedBody(text: string): PythonValue {
  try {
    return parsePythonJson(text);
  } catch {
    return null;
  }
}

function failed(reason: string): ComponentError {
  return new ComponentError(`Error executing BigQuery SQL query: ${reason}`);
}
