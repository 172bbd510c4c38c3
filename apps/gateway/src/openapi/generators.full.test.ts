import { createConfig, lint } from '@redocly/openapi-core';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { openTestGateway } from '../testing/test-gateway';
import type { TestGateway } from '../testing/test-gateway';

const folder = mkdtempSync(join(tmpdir(), 'millrace-openapi-'));
const ofServer = join(folder, 'server.json');
const ofFlow = join(folder, 'flow.json');
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await openTestGateway();
  writeFileSync(ofServer, (await gateway.call('GET', '/openapi.json')).text);
  const id = await gateway.createFlow({ name: 'Described', data: { nodes: [], edges: [] } });
  writeFileSync(ofFlow, (await gateway.call('GET', `/api/v1/flows/${id}/openapi.json`)).text);
}, 60_000);
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true });
});

// Among its rules: each example is allowed by its schema.
test.each([
  // Some routes of Langflow end with a slash; some here only refuse.
  ['the server', ofServer, { 'operation-2xx-response': 'off' }],
  // A flow has no license that the server knows.
  ['a flow', ofFlow, { 'info-license': 'off' }],
] as const)('the lint of Redocly finds nothing in the document of %s', async (_, file, rules) => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: { 'no-path-trailing-slash': 'off', ...rules },
  });
  const problems = await lint({ ref: file, config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
    [],
  );
});

test.each([
  ['the server', ofServer, "import type { operations, components } from './types';"],
  ['a flow', ofFlow, "import type { operations } from './types';"],
])(
  'openapi-typescript makes types of the document of %s that compile',
  (_, file, imports) => {
    const cli = join(dirname(require.resolve('openapi-typescript/package.json')), 'bin', 'cli.js');
    execFileSync(process.execPath, [cli, file, '-o', join(folder, 'types.ts')], {
      timeout: 120_000,
      stdio: 'ignore',
    });
    const user = join(folder, 'user.ts');
    const uses = file === ofServer ? "export type Run = components['schemas']['Run'];" : '';
    const id = file === ofServer ? 'runFlow' : 'run';
    writeFileSync(user, `${imports}\n${uses}\nexport type Call = operations['${id}'];\n`);
    const program = ts.createProgram([user], {
      strict: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      module: ts.ModuleKind.ESNext,
      types: [],
    });
    const found = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    expect(found).toEqual([]);
  },
  300_000,
);
