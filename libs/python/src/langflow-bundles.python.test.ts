import { execFileSync } from 'node:child_process';
import { compile, parseFlowDocument } from '@millrace/flow';
import { componentRegistry } from '@millrace/components';
import { testPython } from './testing/test-python.fixture';

const script = `
import json
from lfx.extension.migration.loader import load_migration_table
print(json.dumps(sorted({entry.target for entry in load_migration_table()[0].entries})))
`;

test("each bundle to which lfx moves components of older files is one of Langflow's", () => {
  const output = execFileSync(testPython(), ['-c', script], { encoding: 'utf8', timeout: 600_000 });
  const types = JSON.parse(output) as readonly string[];
  expect(types.length).toBeGreaterThan(200);
  const nodes = types.map((type) => ({
    id: type,
    type: 'genericNode',
    data: { type, node: { template: {} } },
  }));
  const document = parseFlowDocument({ nodes, edges: [] });
  const plan = compile(document, { flowId: 'f', version: 1, registry: componentRegistry });
  expect(plan.problems.filter(({ message }) => message.includes('extension'))).toEqual([]);
  expect(plan.vertices.filter(({ component }) => component !== null).length).toBeGreaterThan(50);
});
