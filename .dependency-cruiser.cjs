const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const COMPONENTS = 'libs/components/src/';
const REGISTRY = `${COMPONENTS}registry.generated.ts`;
const TESTS = '\\.(test|contract|fixture)\\.ts$';

/** The files that the generated registry imports: every component. */
const REGISTERED = [
  ...readFileSync(join(__dirname, REGISTRY), 'utf8').matchAll(/from '\.\/([a-z-]+\/[^']+)'/g),
]
  .map(([, file]) => `${COMPONENTS}${file}.ts`)
  .join('|');

module.exports = {
  forbidden: [
    {
      name: 'no-import-cycle',
      comment: 'Move what both files need to a file of its own.',
      severity: 'error',
      // Those of types included: a file that imports another one, and is imported by it, cannot be read or moved without it.
      from: {},
      to: { circular: true },
    },
    {
      name: 'components-are-leaves',
      comment: 'What a component and other code need goes to a file or a folder of the family.',
      severity: 'error',
      from: { path: `^${COMPONENTS}`, pathNot: [TESTS, `^(${REGISTRY}|${REGISTERED})$`] },
      to: { path: `^(${REGISTERED})$` },
    },
    {
      name: 'integrations-know-no-component-family',
      comment: 'A client of a service is usable by every family.',
      severity: 'error',
      from: { path: `^${COMPONENTS}integrations/`, pathNot: TESTS },
      to: { path: `^${COMPONENTS}(?!integrations/|parsing/)`, pathNot: TESTS },
    },
    {
      name: 'parsing-knows-no-service',
      severity: 'error',
      from: { path: `^${COMPONENTS}parsing/`, pathNot: TESTS },
      to: { path: `^${COMPONENTS}(?!parsing/)` },
    },
    {
      name: 'runs-know-no-http',
      comment: 'Throw a RunError; the HTTP layer maps it to a status and headers.',
      severity: 'error',
      from: { path: '^apps/gateway/src/runs/', pathNot: TESTS },
      to: { path: '^https?$|^@millrace/http$|^apps/gateway/src/(?!runs/)' },
    },
    {
      name: 'libraries-know-no-program',
      comment:
        'What tests of libraries share is in tests/kit and tests/scaled-system. The model server is a fake for tests.',
      severity: 'error',
      from: { path: '^libs/' },
      to: {
        path: '^(apps|tools|bench|chaos|tests)/',
        pathNot: '^apps/model-server/|^tests/(kit|scaled-system)/',
      },
    },
    {
      name: 'programs-know-no-tests-of-whole-systems',
      severity: 'error',
      from: { path: '^apps/' },
      to: { path: '^tests/', pathNot: '^tests/(kit|scaled-system)/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|out-tsc|node_modules)/' },
  },
};
