import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { runHelm } from '../chart/helm.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/**
 * Packages the Helm chart with the digest of its image. Helm takes the times of the files into the archive, so they get that of
 * the release. Returns the file.
 * @param {{ readonly helm: string, readonly folder: string, readonly repository: string, readonly digest: string, readonly epoch: number }} options
 */
export function packageChart({ helm, folder, repository, digest, epoch }) {
  const work = mkdtempSync(join(tmpdir(), 'millrace-chart-'));
  try {
    const chart = join(work, 'millrace');
    cpSync(join(workspaceRoot, 'deploy', 'helm', 'millrace'), chart, { recursive: true, dereference: true });
    const path = join(chart, 'values.yaml');
    const values = readFileSync(path, 'utf8')
      .replace('repository: millrace\n', `repository: ${repository}\n`)
      .replace("digest: ''\n", `digest: ${digest}\n`);
    if (!values.includes(`digest: ${digest}\n`))
      throw new Error('values.yaml of the chart has no empty digest');
    writeFileSync(path, values);
    for (const name of readdirSync(chart, { recursive: true, encoding: 'utf8' }))
      utimesSync(join(chart, name), epoch, epoch);
    const file = runHelm(helm, { command: 'package', chart, folder: work });
    const target = join(folder, `millrace-chart-${basename(file).replace('millrace-', '')}`);
    cpSync(file, target);
    return target;
  } finally {
    rmSync(work, { recursive: true });
  }
}
