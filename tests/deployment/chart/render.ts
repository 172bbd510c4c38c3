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

/** Renders the chart as `npm run render-chart` does; throws with the text of its error. */
export function renderValues(files: readonly string[]): readonly Manifest[] {
  const text = execFileSync(process.execPath, [join(root, 'tools', 'render-chart.mjs'), ...files], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
  return readManifests(text);
}

export function readManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

export function plainManifestsFile(): string {
  return readFileSync(join(root, 'deploy', 'kubernetes', 'millrace.yaml'), 'utf8');
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
