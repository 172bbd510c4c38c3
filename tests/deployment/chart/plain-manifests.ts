import { stringify } from 'yaml';
import { renderValues } from './render';
import type { Manifest } from './render';

const HEAD = `# Rendered from deploy/helm/millrace with deploy/kubernetes/values.yaml, for clusters without Helm.
# docs/operate/kubernetes.md says what it needs: a namespace \`millrace\`, and in it a Secret \`millrace\`.
`;

/** What kubectl creates first, as Helm does. Other kinds follow. */
const ORDER = ['NetworkPolicy', 'PodDisruptionBudget', 'ServiceAccount', 'Service', 'Deployment', 'Job'];

/** Renders the chart with a file of values, without what says that Helm installed it. */
export function plainManifests(values: string): string {
  const texts = renderValues([values])
    .toSorted((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind))
    .map(withoutHelm)
    .map((manifest) => `---\n${stringify(manifest, { lineWidth: 0, singleQuote: true })}`);
  return HEAD + texts.join('');
}

function withoutHelm(manifest: Manifest): unknown {
  return JSON.parse(
    JSON.stringify(manifest, (name, value: unknown) =>
      name === 'helm.sh/chart' || name === 'app.kubernetes.io/managed-by' ? undefined : value,
    ),
  );
}
