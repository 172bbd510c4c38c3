import type { ClientBase } from 'pg';
import type { QueryResult, Statement } from './database';
import { translateError } from './translate-error';

/** What the server said, with the command it says it executed. */
export interface Answer<Row> extends QueryResult<Row> {
  readonly command: string;
}

/** Sends one statement over one connection; rejects with the port's errors. */
export async function sendStatement<Row>(
  client: ClientBase,
  { name, text, values }: Statement,
  timeoutMilliseconds?: number,
): Promise<Answer<Row>> {
  try {
    const answer: unknown = await client.query({
      text,
      ...(name === undefined ? {} : { name }),
      ...(values === undefined ? {} : { values: [...values] }),
      ...(timeoutMilliseconds === undefined ? {} : { query_timeout: timeoutMilliseconds }),
    });
    return readAnswer<Row>(answer as DriverResult<Row> | DriverResult<Row>[]);
  } catch (error) {
    throw translateError(error);
  }
}

interface DriverResult<Row> {
  readonly command: string | null;
  readonly rows: Row[];
  readonly rowCount: number | null;
}

/** Several statements in one text give one result each; the last one counts. */
function readAnswer<Row>(answer: DriverResult<Row> | DriverResult<Row>[]): Answer<Row> {
  const result = Array.isArray(answer) ? answer.at(-1) : answer;
  return { rows: result?.rows ?? [], rowCount: result?.rowCount ?? 0, command: result?.command ?? '' };
}
