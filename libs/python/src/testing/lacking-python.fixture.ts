import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workerFolder } from './test-pool.fixture';

/**
 * Writes a program that starts Python where the kernel refuses system calls, as container runtimes do. `refuse` is
 * {system call: errno}. Returns its path and a function that removes it.
 */
export function lackingPython(
  python: string,
  refuse: Readonly<Record<string, string>>,
): { readonly path: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-lacking-python-'));
  const path = join(folder, 'python');
  const start = join(folder, 'start.py');
  writeFileSync(
    start,
    `import json, os, sys
sys.path.insert(0, ${JSON.stringify(join(workerFolder, 'tests'))})
import run_sealed
run_sealed.refuse_calls(json.loads(${JSON.stringify(JSON.stringify(refuse))}))
os.execv(sys.argv[1], sys.argv[1:])
`,
  );
  writeFileSync(path, `#!/bin/sh\nexec '${python}' -B '${start}' '${python}' "$@"\n`, { mode: 0o755 });
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
