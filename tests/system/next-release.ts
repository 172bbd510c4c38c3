import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JOB_VERSION, READABLE_JOB_VERSIONS } from '@millrace/messages';

const ROOT = join(__dirname, '..', '..');
const SERVICES = ['gateway', 'ingest', 'executor'];

/** The type of a component that the executors of the next release lack. */
export const REMOVED_TYPE = 'Pass';
/** The version of the jobs of the next release. */
export const NEXT_JOB_VERSION = JOB_VERSION + 1;

/**
 * Makes bundles of a release that follows this one: its jobs have another version, its executors read both, it has one more
 * migration, and its executors lack a component.
 */
export function makeNextRelease(): { readonly bundles: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-next-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const bundles = join(folder, 'apps');
  for (const service of SERVICES) {
    const bundle = join(bundles, service);
    cpSync(join(ROOT, 'dist', 'apps', service), bundle, { recursive: true });
    writeFileSync(
      join(bundle, 'migrations', '9999_next_release.sql'),
      'CREATE TABLE next_release (id integer);',
    );
    const file = join(bundle, 'main.cjs');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, service === 'executor' ? withoutComponent(readingBoth(text)) : publishingNext(text));
  }
  return { bundles, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function publishingNext(text: string): string {
  return replaced(text, `JOB_VERSION = ${JOB_VERSION};`, `JOB_VERSION = ${NEXT_JOB_VERSION};`);
}

function readingBoth(text: string): string {
  const versions = READABLE_JOB_VERSIONS.join(', ');
  return replaced(
    publishingNext(text),
    `READABLE_JOB_VERSIONS = [${versions}];`,
    `READABLE_JOB_VERSIONS = [${versions}, ${NEXT_JOB_VERSION}];`,
  );
}

function withoutComponent(text: string): string {
  return replaced(text, `${REMOVED_TYPE}: () =>`, `Removed${REMOVED_TYPE}: () =>`);
}

function replaced(text: string, part: string, replacement: string): string {
  const parts = text.split(part);
  if (parts.length !== 2) throw new Error(`the bundle has "${part}" ${parts.length - 1} times`);
  return parts.join(replacement);
}
