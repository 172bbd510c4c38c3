import type { ClientBase } from 'pg';
import { cancelStatement } from './cancel-statement';
import type { QueryResult, Statement } from './database';
import { translateError } from './translate-error';

/** A result, with the command that the server reports as executed. */
export interface Answer<Row> extends QueryResult<Row> {
  readonly command: string;
}

export interface SendOptions {
  /** False to send a named statement as one without a name. */
  readonly isPrepared: boolean;
  /** Maximum time until the answer; after that the connection is unusable. */
  readonly timeoutMilliseconds?: number | undefined;
  /** Maximum time of the statement; after that the server is asked to cancel it, and reports so. */
  readonly cancelAfterMilliseconds?: number | undefined;
}

/** Sends one statement over one connection; rejects with the port's errors. */
export async function sendStatement<Row>(
  client: ClientBase,
  { name, text, values }: Statement,
  { isPrepared, timeoutMilliseconds, cancelAfterMilliseconds }: SendOptions,
): Promise<Answer<Row>> {
  const overdue =
    cancelAfterMilliseconds === undefined
      ? undefined
      : setTimeout(() => cancelStatement(client), cancelAfterMilliseconds);
  try {
    const answer: unknown = await client.query({
      text,
      ...(name === undefined || !isPrepared ? {} : { name }),
      ...(values === undefined ? {} : { values: [...values] }),
      ...(timeoutMilliseconds === undefined ? {} : { query_timeout: timeoutMilliseconds }),
    });
    return readAnswer<Row>(answer as DriverResult<Row> | DriverResult<Row>[]);
  } catch (error) {
    throw translateError(error);
  } finally {
    clearTimeout(overdue);
  }
}

interface DriverResult<Row> {
  readonly command: string | null;
  readonly rows: Row[];
  readonly rowCount: number | null;
}

/** Several statements in one text return one result each; the last one counts. */
function readAnswer<Row>(answer: DriverResult<Row> | DriverResult<Row>[]): Answer<Row> {
  const result = Array.isArray(answer) ? answer.at(-1) : answer;
  return { rows: result?.rows ?? [], rowCount: result?.rowCount ?? 0, command: result?.command ?? '' };
}
