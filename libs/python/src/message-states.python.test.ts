import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { testPython } from './testing/test-python.fixture';
import { workerFolder } from './worker-folder';

interface ComparedMessage {
  /** The content of a `$message`. */
  readonly case: object;
  readonly built: unknown;
  readonly validated: unknown;
}

const script = join(__dirname, 'testing/message-states.py');

test('the worker builds messages without validation as pydantic builds them', () => {
  const printed = execFileSync(testPython(), [script, workerFolder()], {
    encoding: 'utf8',
    timeout: 600_000,
    maxBuffer: 16 << 20,
  });
  const compared = JSON.parse(printed) as readonly ComparedMessage[];
  expect(compared.length).toBeGreaterThan(90);
  expect(
    compared.filter(({ built, validated }) => JSON.stringify(built) !== JSON.stringify(validated)),
  ).toEqual([]);
});
