import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import type { Logger } from '@millrace/service';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { method } from './testing/components.fixture';
import { lackingPython } from './testing/lacking-python.fixture';
import { firstOwner } from './testing/python-flow.fixture';
import { failureOf, runText } from './testing/run-text.fixture';
import { openTestPool } from './testing/test-pool.fixture';
import { testPython } from './testing/test-python.fixture';

jest.setTimeout(240_000);

const userNamespaces = { unshare: 'EPERM' };
const everything = { unshare: 'EPERM', landlock_create_ruleset: 'ENOSYS', seccomp: 'EPERM' };

/** Collects what is logged as an error or a warning. */
function collectingLogger(lines: string[]): Logger {
  const note = (_: object, message: string): void => void lines.push(message);
  return { ...createLogger({ name: 'test', level: 'silent' }), error: note, warn: note } as Logger;
}

describe.each([
  [
    'required',
    'user namespaces',
    userNamespaces,
    /lacks .*user_namespace, mount_namespace, network_namespace/,
    'partial',
  ],
  ['partial', 'every layer', everything, /lacks .*landlock.*seccomp/, 'off'],
] as const)('a seal that is %s, where the kernel refuses %s', (level, _, refuse, missing, remedy) => {
  test('is the permanent error of every run, and starts nothing', async () => {
    const lines: string[] = [];
    const python = lackingPython(testPython(), refuse);
    const folder = mkdtempSync(join(tmpdir(), 'pool-'));
    const pool = await openTestPool(python.path, {
      folder,
      seal: { level },
      logger: collectingLogger(lines),
    });
    try {
      const first = await failureOf(runText(pool, method('none', 'return 1')));
      const second = await failureOf(runText(pool, method('none', 'return 1')));
      for (const error of [first, second]) {
        expect(error).toMatchObject({ code: 'component_failed', permanent: true });
        expect(error.message).toMatch(missing);
        expect(error.message).toContain(`set MILLRACE_PYTHON_SEAL=${remedy}`);
        expect(error.message).toContain('docs/operate/python-seal.md');
      }
      expect(pool.state).toMatchObject({ ready: false, failure: expect.stringMatching(missing) });
      expect(pool.state.seal?.layers['user_namespace']).toMatch(/^unshare: EPERM/);
      await until(() => Object.values(pool.counts).every((count) => count === 0));
      await until(() => !existsSync(`/proc/${pool.zygotePid ?? 0}/fd/3`));
      expect(lines.filter((line) => missing.test(line))).toHaveLength(1);
    } finally {
      await pool.close();
      python.remove();
    }
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});

test('a seal that is partial runs without user namespaces, and the log names the missing layers', async () => {
  const lines: string[] = [];
  const python = lackingPython(testPython(), userNamespaces);
  const logger = collectingLogger(lines);
  const pool = await openTestPool(python.path, { seal: { level: 'partial' }, logger });
  try {
    const text = `import pathlib
seen = []
for path in ("/etc/passwd", "/proc/self/environ", ${JSON.stringify(__filename)}):
    try:
        seen.append(pathlib.Path(path).read_text()[:1])
    except OSError as error:
        seen.append(type(error).__name__)
pathlib.Path("own").write_text("x")
return seen`;
    expect(await runText(pool, method('none', text))).toEqual(Array(3).fill('PermissionError'));
    expect(pool.state).toMatchObject({ ready: true, seal: { level: 'partly' }, failure: null });
    expect(lines.join()).toMatch(/The seal of Python processes lacks .*user_namespace/);
    const lease = await pool.lease(firstOwner, new AbortController().signal);
    expect((await lease.process.reset()).bytes).toBeLessThan(150 << 20);
    await lease.release();
  } finally {
    await pool.close();
    python.remove();
  }
});
