import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Adds up the counts that tools/test-count-reporter.cjs wrote for each project.
 * @param {string} directory
 */
export function countTests(directory) {
  const totals = { projects: 0, passed: 0, failed: 0, skipped: 0 };
  if (!existsSync(directory)) return totals;
  for (const file of readdirSync(directory)) {
    const counts = JSON.parse(readFileSync(join(directory, file), 'utf8'));
    totals.projects += 1;
    totals.passed += counts.passed;
    totals.failed += counts.failed;
    totals.skipped += counts.skipped;
  }
  return totals;
}
