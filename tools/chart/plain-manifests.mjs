import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { workspaceRoot } from '../workspace/workspace-root.mjs';
import { renderChart } from './chart-renderer.mjs';

const HEAD = `# Rendered from deploy/helm/millrace with deploy/kubernetes/values.yaml: npm run render-chart -- --manifests
# docs/operate/kubernetes.md says what it needs: a namespace \`millrace\`, and in it a Secret \`millrace\`.
`;

/** Returns the text of deploy/kubernetes/millrace.yaml. */
export function plainManifests() {
  const values = readFileSync(join(workspaceRoot, 'deploy', 'kubernetes', 'values.yaml'), 'utf8');
  const documents = parseAllDocuments(renderChart({ values: [values] })).map((document) => {
    const manifest = document.toJS();
    // Helm did not install them.
    delete manifest.metadata.labels['helm.sh/chart'];
    delete manifest.metadata.labels['app.kubernetes.io/managed-by'];
    const podLabels = manifest.spec?.template?.metadata?.labels;
    if (podLabels) {
      delete podLabels['helm.sh/chart'];
      delete podLabels['app.kubernetes.io/managed-by'];
    }
    return manifest;
  });
  return (
    HEAD +
    documents.map((manifest) => `---\n${stringify(manifest, { lineWidth: 0, singleQuote: true })}`).join('')
  );
}
