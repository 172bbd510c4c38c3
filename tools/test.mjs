// Runs every suite and prints one closing line for all of them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

if (!existsSync('node_modules')) spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { stdio: 'inherit' });
const counts = mkdtempSync(join(tmpdir(), 'millrace-counts-'));
const run = spawnSync('npx', ['nx', 'run-many', '-t', 'test', '--parallel=2'], {
  stdio: 'inherit',
  env: { ...process.env, MILLRACE_TEST_COUNTS: counts },
});
const totals = { passed: 0, failed: 0 };
for (const file of readdirSync(counts)) {
  const { passed, failed } = JSON.parse(readFileSync(join(counts, file), 'utf8'));
  totals.passed += passed;
  totals.failed += failed;
}
rmSync(counts, { recursive: true });
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exit(run.status === 0 && totals.failed === 0 ? 0 : 1);
