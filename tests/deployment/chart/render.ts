import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const root = join(__dirname, '..', '..', '..');

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly EnvironmentEntry[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly resources: {
    readonly requests?: Record<string, string>;
    readonly limits?: Record<string, string>;
  };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export interface EnvironmentEntry {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
}

export interface PodSpec {
  readonly automountServiceAccountToken: boolean;
  readonly serviceAccountName: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string }[];
}

export type Labels = Readonly<Record<string, string>>;

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels };
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: { readonly matchLabels: Labels } & Labels;
    readonly scaleTargetRef?: { readonly name: string };
    readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
    readonly [name: string]: unknown;
  };
  readonly [name: string]: unknown;
}

/** The names of the sets of values in deploy/helm/values. */
export const valueSets = ['small', 'large', 'external-servers', 'restricted', 'python'] as const;

/** The folder of the chart. */
export const chart = join(root, 'deploy', 'helm', 'millrace');

/** Renders the chart with Helm and these files of values; throws with the text of its error. */
export function renderValues(files: readonly string[]): readonly Manifest[] {
  return Object.entries(renderFiles(files))
    .filter(([path]) => path.endsWith('.yaml'))
    .flatMap(([, text]) => readManifests(text));
}

/** The texts that Helm renders, by path, also NOTES.txt. */
export function renderFiles(files: readonly string[]): Readonly<Record<string, string>> {
  const values = files.map((file) => readFileSync(file, 'utf8'));
  return runHelm({ command: 'render', chart, values, name: 'millrace', namespace: 'millrace' }) as Record<
    string,
    string
  >;
}

/** Runs a command of tools/chart/helm.py; throws with the text of its error. */
export function runHelm(request: Readonly<Record<string, unknown>> & { readonly command: string }): unknown {
  const python = process.env['HELM'];
  if (!python) throw new Error('HELM is not set: npm test finds or installs it');
  const text = execFileSync(python, ['-I', join(root, 'tools', 'chart', 'helm.py')], {
    input: JSON.stringify(request),
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
  const { value, error } = JSON.parse(text) as { value?: unknown; error?: string };
  if (error !== undefined) throw new Error(error);
  return value;
}

export function readManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text).flatMap((document) => (document.toJS() as Manifest | null) ?? []);
}

/** What the schemas refuse, for each list of manifests. */
export function validateManifests(lists: readonly (readonly unknown[])[]): readonly (readonly string[])[] {
  const text = execFileSync(process.execPath, [join(root, 'tools', 'chart', 'validate-manifests.mjs')], {
    cwd: root,
    encoding: 'utf8',
    input: JSON.stringify(lists),
  });
  return JSON.parse(text) as string[][];
}

/** The pods of a set of manifests, with the name of what makes them. */
export function podsOf(manifests: readonly Manifest[]) {
  return manifests.flatMap(({ kind, metadata, spec }) =>
    spec?.template === undefined
      ? []
      : [
          {
            owner: `${kind} ${metadata.name}`,
            kind,
            labels: spec.template.metadata.labels,
            pod: spec.template.spec,
          },
        ],
  );
}
