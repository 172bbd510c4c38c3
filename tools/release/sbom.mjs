import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

const SOURCE = join(workspaceRoot, 'tools', 'release', 'sbom');
/** The packages that services load, and those that the console contains. */
const CONTENT = ['--omit', 'dev', '--workspace', 'apps/console', '--include-workspace-root'];

/**
 * Writes the SBOM of the package in the form of CycloneDX, with the text of each license, from the packages that are installed.
 * The same packages make the same file.
 * @param {string} file
 */
export function makeSbom(file) {
  const folder = join(workspaceRoot, 'node_modules', '.cache', 'sbom');
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(SOURCE, name), join(folder, name));
  const program = join(folder, 'node_modules', '@cyclonedx', 'cyclonedx-npm', 'bin', 'cyclonedx-npm-cli.js');
  if (!existsSync(program))
    run('npm', ['ci', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund'], { cwd: folder });
  run(
    process.execPath,
    [
      program,
      ...CONTENT,
      '--output-reproducible',
      '--flatten-components',
      '--gather-license-texts',
      '--mc-type',
      'application',
      '--output-file',
      file,
      'package.json',
    ],
    { cwd: workspaceRoot },
  );
}
