import js from '@eslint/js';
import { createProjectGraphAsync } from 'nx/src/devkit-exports.js';
import nx from '@nx/eslint-plugin';
import typescript from 'typescript-eslint';

// The rule on module boundaries reads the graph of projects from Nx's cache, and skips each import without one.
process.env['NX_DAEMON'] ??= 'false';
await createProjectGraphAsync({ exitOnError: false });

const infrastructure = ['express', 'pg', 'amqplib', 'ioredis', '@electric-sql/*', '@opentelemetry/*', 'pino'];

const CLOCKS =
  'Take times that other processes compare from the SharedClock, and times of this process from machineTime().';

const RUNNING = {
  selector: "CallExpression[callee.property.name='kill'][arguments.1.value=0]",
  message: 'Use isRunning() of libs/service/src/process/running-process.cjs: a zombie can be signalled, too.',
};

/** Prettier decides on lines: members that only share one are no reason for a literal. */
const SPREAD_LITERALS = {
  selector:
    ':matches(SpreadElement, JSXSpreadAttribute, SpreadElement > TSAsExpression) > :matches(ObjectExpression, ArrayExpression)',
  message: 'Write the members in place.',
};

/** What each file must not contain. */
const SYNTAX = [RUNNING, SPREAD_LITERALS];

/** On another machine, the servers for tests listen on other ports. */
const USUAL_PORTS = String.raw`/(127\.0\.0\.1|localhost|\[::1\]):(5672|5432|6379|3306|4222|15672|9090)\b/`;

/** Files that test or prepare tests. */
const tests = [
  '**/*.test.{ts,mjs}',
  '**/*.contract.ts',
  '**/*.fixture.ts',
  '**/testing/**',
  'tests/!(kit|scaled-system)/**',
];

export default typescript.config(
  { ignores: ['**/dist', '**/out-tsc', '**/node_modules', '.node', '.nx', '.millrace', 'coverage'] },
  js.configs.recommended,
  ...typescript.configs.strict,
  {
    rules: {
      'no-restricted-syntax': ['error', ...SYNTAX],
      'no-warning-comments': ['error', { terms: ['prettier-ignore'], location: 'anywhere' }],
      // A callback in the initialization of a variable cannot mean that variable.
      '@typescript-eslint/no-shadow': ['error', { ignoreOnInitialization: true }],
    },
  },
  {
    files: tests,
    rules: {
      'no-restricted-syntax': [
        'error',
        ...SYNTAX,
        ...['Literal', 'TemplateElement'].map((kind) => ({
          selector: `${kind}[value${kind === 'Literal' ? '' : '.raw'}=${USUAL_PORTS}]`,
          message: 'Take the address of a server from the environment of the test.',
        })),
      ],
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs', '**/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'console',
          'Buffer',
          'fetch',
          'setTimeout',
          'clearTimeout',
          'setInterval',
          'clearInterval',
          'URL',
          'AbortSignal',
          'Blob',
          'FormData',
          'structuredClone',
          'AbortController',
          'TextDecoder',
          'performance',
          'module',
          'require',
          '__dirname',
          '__filename',
          'setImmediate',
        ].map((name) => [name, 'readonly']),
      ),
    },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    plugins: { '@nx': nx },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/no-extraneous-class': 'off',
      '@nx/enforce-module-boundaries': [
        'error',
        {
          enforceBuildableLibDependency: false,
          allow: [],
          depConstraints: [
            {
              sourceTag: 'type:domain',
              onlyDependOnLibsWithTags: ['type:domain'],
            },
            // Components connect to databases that a flow names, never to Millrace's own.
            { sourceTag: 'scope:pure', bannedExternalImports: infrastructure },
            { sourceTag: 'type:adapter', onlyDependOnLibsWithTags: ['type:platform'] },
            {
              sourceTag: 'type:store',
              onlyDependOnLibsWithTags: ['type:domain', 'type:adapter', 'type:platform'],
            },
            {
              sourceTag: 'type:feature',
              onlyDependOnLibsWithTags: ['type:store', 'type:domain', 'type:adapter', 'type:platform'],
            },
            { sourceTag: 'type:platform', onlyDependOnLibsWithTags: ['type:platform'] },
            {
              sourceTag: 'type:service',
              onlyDependOnLibsWithTags: [
                'type:feature',
                'type:store',
                'type:domain',
                'type:adapter',
                'type:platform',
              ],
            },
            { sourceTag: 'type:assembly', onlyDependOnLibsWithTags: ['*'] },
            // The types of the client alone.
            { sourceTag: 'type:browser', onlyDependOnLibsWithTags: ['type:assembly'] },
          ],
        },
      ],
    },
  },
  {
    files: ['**/*.test.ts', '**/*.contract.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  // Bounds are the present maxima: lower them, never raise them.
  {
    files: ['**/*.{ts,tsx,mjs,cjs}'],
    ignores: [...tests, '**/*.generated.ts'],
    rules: { 'max-lines': ['error', 400], 'max-lines-per-function': ['error', 80] },
  },
  {
    // Flat lists: the routes of a resource, and the elements of a page.
    files: ['apps/gateway/src/resources/**/*-routes.ts', 'apps/console/src/**/*.tsx'],
    rules: { 'max-lines-per-function': ['error', 160] },
  },
  {
    files: tests,
    rules: { 'max-lines': ['error', 400], 'max-lines-per-function': ['error', 320] },
  },
  {
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    ignores: [
      ...tests,
      'apps/*/src/main.ts',
      'apps/executor/src/run-executor.ts',
      'libs/service/src/options/program-settings.ts',
      'libs/service/src/logging/pretty-stream.ts',
    ],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Read settings; only the files that start a program read the environment.',
        },
      ],
    },
  },
  {
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    ignores: [
      ...tests,
      // A browser has one clock.
      'apps/console/**',
      // The clock itself.
      'libs/service/src/time/machine-time.ts',
      // Domain code knows no services. The time is a value for the author of a flow: the date of a prompt or record.
      'libs/**/timestamp.ts',
      'libs/components/src/**/{current-date,agent,tool-calling-agent,knowledge,astra-db-chat-memory}.ts',
      // A vendor's server compares the time of a signature with its own.
      'libs/components/src/integrations/**/{bedrock-call,service-account}.ts',
      // Domain code that waits: for another try, and for a transcript.
      'libs/components/src/**/{retry-call,model-http,poll-transcript}.ts',
      // The default of the time that the environment of a run gives.
      'libs/engine/src/{run/run-lifetime,observers/notify-vertex}.ts',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...SYNTAX,
        {
          selector: "MemberExpression[object.name='Date'][property.name='now']",
          message: CLOCKS,
        },
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: CLOCKS,
        },
      ],
    },
  },
);
