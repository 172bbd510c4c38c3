import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Writes a program that takes the place of the Python interpreter. Returns its path and a function that removes it. */
export function fakePython(script = 'fake-zygote.cjs'): { readonly path: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-fake-python-'));
  const path = join(folder, 'python');
  writeFileSync(path, `#!/bin/sh\nexec ${process.execPath} ${join(__dirname, script)}\n`, { mode: 0o755 });
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
