import { flow, node, runFlow } from './flow-under-test.fixture';
import type { RunOptions } from './flow-under-test.fixture';
import { fetchFrom } from '../integrations/http/fake-service.fixture';

type Values = Readonly<Record<string, unknown>>;
type Hosts = Parameters<typeof fetchFrom>[0];

/** Runs one node and returns one of its outputs: the rows of the table output unless another is named. */
export async function outputOf(
  type: string,
  values: Values,
  hosts: Hosts,
  output = 'dataframe',
  options: RunOptions = {},
): Promise<unknown> {
  const document = flow([node(`${type}-a`, type, values)]);
  const { result } = await runFlow(document, { show: `${type}-a`, fetch: fetchFrom(hosts), ...options });
  return result?.outputs[output]?.message;
}
