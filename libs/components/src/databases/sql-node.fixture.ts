import type { ResultData } from '@millrace/flow';
import { flow, node, runFlow } from '../testing/flow-under-test.fixture';
import type { RunOptions } from '../testing/flow-under-test.fixture';

/** Returns a flow with one SQL node. */
export function sqlFlow(values: Readonly<Record<string, unknown>>): unknown {
  return flow([node('SQL-a', 'SQLComponent', values)]);
}

/** Returns the rows of a query. */
export async function rowsOf(url: string, query: string, options: RunOptions = {}): Promise<unknown> {
  const document = sqlFlow({ database_url: url, query });
  const { result } = await runFlow(document, { ...options, show: 'SQL-a' });
  return outputOf(result, 'run_sql_query');
}

export function outputOf(result: ResultData | undefined, output: string): unknown {
  return result?.outputs[output]?.message;
}
