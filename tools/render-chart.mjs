// `npm run render-chart`: renders the Helm chart on a machine without Helm, and the plain manifests of deploy/kubernetes.
import './workspace/require-node-version.mjs';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { messageOf } from './workspace/error-fields.mjs';
import { installIfNeeded } from './workspace/install-if-needed.mjs';
import { workspaceRoot } from './workspace/workspace-root.mjs';

const { values: flags, positionals: files } = readCommandLine({
  usage: `npm run render-chart -- [options] [values file] …
  npm run --silent render-chart -- deploy/helm/values/small.yaml | kubectl apply -f -
  npm run render-chart -- --manifests    writes deploy/kubernetes/millrace.yaml
  --name <name>            of the release; default millrace
  --namespace <namespace>  default millrace
  --manifests
  --help
Needs Go and Sprig: apt-get install golang-go golang-github-masterminds-sprig-dev golang-gopkg-yaml.v3-dev`,
  options: {
    name: { type: 'string', default: 'millrace' },
    namespace: { type: 'string', default: 'millrace' },
    manifests: { type: 'boolean' },
  },
  positionals: { maximum: Infinity },
});
installIfNeeded({ print: console.error });
const { renderChart } = await import('./chart/chart-renderer.mjs');
const { plainManifests } = await import('./chart/plain-manifests.mjs');
try {
  if (flags.manifests) {
    const path = join('deploy', 'kubernetes', 'millrace.yaml');
    writeFileSync(join(workspaceRoot, path), plainManifests());
    console.log(`${path} is written`);
  } else {
    const values = files.map((file) => readFileSync(file, 'utf8'));
    process.stdout.write(renderChart({ values, name: flags.name, namespace: flags.namespace }));
  }
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
