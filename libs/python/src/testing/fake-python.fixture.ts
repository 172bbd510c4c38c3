import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Writes a program that takes the place of the Python interpreter: the zygote of the fake worker, or one that prints an
 * answer. Returns its path and a function that removes it.
 */
export function fakePython({ answer }: { readonly answer?: string } = {}): {
  readonly path: string;
  readonly remove: () => void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-fake-python-'));
  const path = join(folder, 'python');
  const command =
    answer === undefined
      ? `exec '${process.execPath}' '${join(__dirname, 'fake-zygote.cjs')}'`
      : `echo '${answer}'`;
  writeFileSync(path, `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
