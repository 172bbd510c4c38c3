import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { executesCode } from '@millrace/flow';
import { testPython } from './testing/test-python.fixture';

interface CodeComponents {
  /** Class names, types and display names that lfx lists as executing code. */
  readonly listed: readonly string[];
  readonly classes: readonly {
    readonly class: string;
    readonly identifiers: readonly string[];
    /** The functions by which its module executes Python. */
    readonly calls: readonly string[];
  }[];
}

const { listed, classes } = JSON.parse(
  execFileSync(testPython(), [join(__dirname, 'testing/code-components.py')], {
    encoding: 'utf8',
    timeout: 600_000,
    maxBuffer: 16 << 20,
  }),
) as CodeComponents;

/** The classes that an identifier names: of lfx, else of a package that is not installed, by the names it can have. */
function namedBy(identifier: string): readonly string[] {
  const installed = classes.filter(({ identifiers }) => identifiers.includes(identifier));
  if (installed.length > 0) return installed.map((found) => found.class);
  const name = identifier.replace(/[^A-Za-z0-9]/g, '');
  return ['', 'Component', 'Tool', 'ToolComponent'].map((end) => name + end).filter(executesCode);
}

test.each(listed)(
  '%s, which lfx lists as executing code, does not run as a stock component',
  (identifier) => {
    const named = namedBy(identifier);
    expect(named).not.toEqual([]);
    expect(named.filter((name) => !executesCode(`lfx.components.any.${name}`))).toEqual([]);
  },
);

test('lfx lists components of each kind: Python, other flows, commands', () => {
  expect(listed).toEqual(expect.arrayContaining(['PythonREPLComponent', 'RunFlow', 'MCPStdio']));
});

test('a class whose module executes Python does not run as a stock component', () => {
  const executing = classes.filter(({ calls }) => calls.length > 0);
  expect(executing.map((found) => found.class)).toContain('LambdaFilterComponent');
  expect(executing.filter((found) => !executesCode(found.class))).toEqual([]);
});

test('most classes of lfx run', () => {
  expect(classes.length).toBeGreaterThan(100);
  expect(classes.filter((found) => executesCode(found.class)).length).toBeLessThan(20);
});
