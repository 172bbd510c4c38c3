import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executorSettings } from '@millrace/executor/settings';
import { gatewaySettings } from '@millrace/gateway/settings';
import { ingestSettings } from '@millrace/ingest/settings';
import { readSettings } from '@millrace/service';
import { plainManifests } from './plain-manifests';
import { podsOf, readManifests, renderValues, root, validateManifests, valueSets } from './render';
import type { EnvironmentEntry, Labels, Manifest } from './render';

// Named a suite with servers because it needs a program that the test command installs: Helm.
const sets = new Map(
  valueSets.map((name) => [name, renderValues([join(root, 'deploy', 'helm', 'values', `${name}.yaml`)])]),
);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const manifestsOf = (name: (typeof valueSets)[number]) => sets.get(name) ?? [];
const settings: Readonly<Record<string, Parameters<typeof readSettings>[0]>> = {
  gateway: gatewaySettings,
  ingest: ingestSettings,
  executor: executorSettings,
  migrate: gatewaySettings,
};

test('the schemas of Kubernetes, KEDA, the Gateway API and the Prometheus operator accept every set of values', () => {
  expect(validateManifests([...sets.values()])).toEqual(valueSets.map(() => []));
});

test('the schemas refuse a wrong type, a KEDA value that is no text, and an unknown kind', () => {
  const [deployment] = ofKind(manifestsOf('large'), 'Deployment');
  const [scaled] = ofKind(manifestsOf('large'), 'ScaledObject');
  const wrong = [
    { ...deployment, spec: { ...deployment?.spec, replicas: 'two' } },
    { ...scaled, spec: { ...scaled?.spec, triggers: [{ type: 'prometheus', metadata: { threshold: 64 } }] } },
    { ...deployment, kind: 'Deploiment' },
  ];
  expect(validateManifests(wrong.map((one) => [one])).map(([fault]) => fault)).toEqual([
    expect.stringContaining('replicas'),
    expect.stringContaining('threshold'),
    expect.stringContaining('no such kind'),
  ]);
});

describe.each(valueSets)('values %s', (name) => {
  const manifests = manifestsOf(name);

  test('no object is there twice, and all are in the namespace of the release', () => {
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toEqual([...new Set(names)]);
    for (const { metadata } of manifests) expect(metadata.namespace).toBe('millrace');
  });

  test('every pod fits the Pod Security Standard restricted, with a root file system that is read only', () => {
    for (const { owner, pod } of podsOf(manifests)) {
      expect([owner, pod.securityContext]).toEqual([
        owner,
        expect.objectContaining({
          runAsNonRoot: true,
          runAsUser: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
        }),
      ]);
      expect([owner, pod.automountServiceAccountToken]).toEqual([owner, false]);
      for (const { securityContext } of pod.containers)
        expect([owner, securityContext]).toEqual([
          owner,
          {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        ]);
      expect(JSON.stringify(pod)).not.toMatch(/hostPath|hostNetwork|hostPID|hostIPC|privileged|hostPort/);
    }
  });

  test('every container requests CPU and memory, has a limit of memory, an image with a version, and a writable /tmp', () => {
    for (const { owner, pod } of podsOf(manifests))
      for (const { resources, image, volumeMounts } of pod.containers) {
        expect([owner, Object.keys(resources.requests ?? {}).sort()]).toEqual([owner, ['cpu', 'memory']]);
        expect([owner, resources.limits]).toEqual([
          owner,
          expect.objectContaining({ memory: expect.any(String) }),
        ]);
        expect(image).toMatch(/:\d+\.\d+\.\d+$/);
        expect(volumeMounts).toContainEqual({ name: 'tmp', mountPath: '/tmp' });
      }
  });

  test('every service has probes, and more time to end than its work takes', () => {
    for (const { owner, kind, pod } of podsOf(manifests)) {
      if (kind === 'Job') continue;
      for (const { startupProbe, livenessProbe, readinessProbe, env } of pod.containers) {
        const paths = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet.path);
        expect([owner, paths]).toEqual([owner, ['/health', '/health', '/readyz']]);
        const shutdown = Number(env.find((entry) => entry.name === 'MILLRACE_SHUTDOWN_SECONDS')?.value);
        expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(shutdown + 10);
      }
    }
  });

  test('every variable is a setting of its service, once, with a value that the service accepts', () => {
    for (const { pod } of podsOf(manifests))
      for (const { name: service, env } of pod.containers) {
        const names = env.map((entry) => entry.name);
        expect(names).toEqual([...new Set(names)]);
        const given = Object.fromEntries(
          env.flatMap((entry) => (isForFlows(entry.name) ? [] : [[entry.name, valueOf(entry)]])),
        );
        const warnings: string[] = [];
        readSettings(settings[service] ?? {}, given, (warning) => warnings.push(warning));
        const unknown = Object.keys(given).filter((one) => !(withoutFile(one) in (settings[service] ?? {})));
        expect([service, unknown]).toEqual([service, []]);
        expect(warnings).toEqual([]);
      }
  });

  test('every pod has the secret settings of its service from the Secret, where that has them', () => {
    for (const { pod } of podsOf(manifests))
      for (const { name: service, env } of pod.containers) {
        if (service === 'migrate') continue;
        const secrets = Object.entries(settings[service] ?? {}).flatMap(([one, { secret = false }]) =>
          secret && !/_TLS_/.test(one) ? [one] : [],
        );
        const given = env.flatMap(({ name: one, valueFrom }) =>
          valueFrom === undefined || isForFlows(one) ? [] : [one],
        );
        expect([service, given.toSorted()]).toEqual([service, secrets.toSorted()]);
      }
  });

  test('every selector matches pods, and every autoscaler a Deployment that names no replicas', () => {
    const pods = podsOf(manifests);
    const deployments = new Map(ofKind(manifests, 'Deployment').map((one) => [one.metadata.name, one]));
    for (const { kind, metadata, spec } of manifests) {
      const selector: Labels | undefined = kind === 'Service' ? spec?.selector : spec?.selector?.matchLabels;
      if (selector !== undefined && kind !== 'ServiceMonitor')
        expect([kind, metadata.name, pods.some(({ labels }) => matches(labels, selector))]).toEqual([
          kind,
          metadata.name,
          true,
        ]);
      if (spec?.scaleTargetRef === undefined) continue;
      const target = deployments.get(spec.scaleTargetRef.name);
      expect(target).toBeDefined();
      expect(target?.spec).not.toHaveProperty('replicas');
    }
  });

  test('there are a gateway, an ingest service, executors, a migration, and a disruption budget for each service', () => {
    const components = podsOf(manifests).map(({ labels }) => labels['app.kubernetes.io/component']);
    expect(new Set(components)).toEqual(new Set(['gateway', 'ingest', 'executor', 'migrate']));
    expect(ofKind(manifests, 'PodDisruptionBudget')).toHaveLength(ofKind(manifests, 'Deployment').length);
  });

  test('volumes that are mounted exist', () => {
    for (const { pod } of podsOf(manifests)) {
      const volumes = pod.volumes.map((volume) => volume.name);
      for (const { volumeMounts } of pod.containers)
        expect(volumeMounts.map((mount) => mount.name).sort()).toEqual([...volumes].sort());
    }
  });
});

test('large: each pool scales on its own backlog, the gateway declares the queues of all, and limits are divided by the most processes', () => {
  const manifests = manifestsOf('large');
  const scaled = ofKind(manifests, 'ScaledObject').filter(({ metadata }) =>
    metadata.name.includes('executor'),
  );
  expect(
    scaled.map(({ metadata, spec }) => [metadata.name, spec?.['minReplicaCount'], spec?.['maxReplicaCount']]),
  ).toEqual([
    ['millrace-executor-batch', 0, 40],
    ['millrace-executor-default', 2, 40],
    ['millrace-executor-reports', 2, 10],
  ]);
  expect(variables(manifests, 'gateway')).toMatchObject({
    MILLRACE_POOLS: 'batch,default,reports',
    MILLRACE_TOTAL_WORKERS: '12',
    MILLRACE_TRUSTED_PROXIES: '10.1.0.0/24',
    MILLRACE_MIGRATE: 'off',
    INGEST_URL: 'http://millrace-ingest:7861',
  });
  expect(variables(manifests, 'ingest')).toMatchObject({
    MILLRACE_TOTAL_WORKERS: '6',
    MILLRACE_TRUSTED_PROXIES: '10.1.0.0/24,10.244.0.0/16',
  });
  for (const service of ['gateway', 'ingest'])
    expect(variables(manifestsOf('small'), service)).not.toHaveProperty('MILLRACE_TRUSTED_PROXIES');
  expect(ofKind(manifests, 'ConfigMap')).toHaveLength(6);
  expect(ofKind(manifests, 'ServiceMonitor')[0]?.spec).toMatchObject({ jobLabel: 'millrace.dev/job' });
  for (const { metadata } of ofKind(manifests, 'Service'))
    expect(metadata.labels?.['millrace.dev/job']).toMatch(/^millrace-/);
});

test('external servers: certificates are mounted and named', () => {
  expect(variables(manifestsOf('external-servers'), 'executor')).toMatchObject({
    DATABASE_TLS_CA_FILE: '/tls/database/ca.crt',
    AMQP_TLS_CA_FILE: '/tls/amqp/ca.crt',
    AMQP_TLS_CERT_FILE: '/tls/amqp/tls.crt',
    AMQP_TLS_KEY_FILE: '/tls/amqp/tls.key',
    REDIS_TLS_CA_FILE: '/tls/redis/authority.pem',
  });
});

test('python: the pool has its image and its mode, and gateways and ingest send the runs to it', () => {
  const manifests = manifestsOf('python');
  const python = podsOf(manifests).find(({ labels }) => labels['millrace.dev/pool'] === 'python')?.pod
    .containers[0];
  expect(python?.image).toBe(`millrace-python:${version}`);
  expect(python?.env).toContainEqual({ name: 'MILLRACE_PYTHON', value: 'approved' });
  for (const component of ['gateway', 'ingest'])
    expect(variables(manifests, component)).toMatchObject({
      MILLRACE_PYTHON: 'approved',
      MILLRACE_PYTHON_POOL: 'python',
    });
});

test.each([
  ['gateway: { replicas: two }', /\/gateway\/replicas': got string, want integer/],
  ['gatway: { replicas: 2 }', /additional properties 'gatway' not allowed/],
  ['settings: { MILLRACE_CONCURRENCY: 64 }', /\/settings\/MILLRACE_CONCURRENCY': got number, want string/],
  ['image: { digest: latest }', /\/image\/digest': 'latest' does not match pattern/],
  ['executorPools: { Default: {} }', /invalid propertyName 'Default'/],
  ['image: { tag: 0.1.0 }', /secrets\.databaseUrl or secrets\.existingSecret is required/],
  ['{ secrets: { existingSecret: a }, python: { mode: all } }', /executorPools has no pool "python"/],
])('values that do not fit are refused in a sentence: %s', (text, reason) => {
  const file = join(mkdtempSync(join(tmpdir(), 'millrace-values-')), 'values.yaml');
  writeFileSync(file, text);
  expect(() => renderValues([file])).toThrow(reason);
});

test('deploy/kubernetes/millrace.yaml is what the chart renders', () => {
  const path = join(root, 'deploy', 'kubernetes', 'millrace.yaml');
  const rendered = plainManifests(join(root, 'deploy', 'kubernetes', 'values.yaml'));
  if (process.env['MILLRACE_UPDATE_DOCS'] !== undefined) writeFileSync(path, rendered);
  expect(readManifests(readFileSync(path, 'utf8'))).toEqual(readManifests(rendered));
});

const secretValues: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://millrace@postgresql/millrace',
  DATABASE_DIRECT_URL: 'postgres://millrace@postgresql/millrace',
  DATABASE_REPLICA_URL: 'postgres://millrace@postgresql/millrace',
  MILLRACE_OBJECT_STORE_URL: 's3://key:secret@bucket/millrace',
  AMQP_URL: 'amqps://rabbitmq',
  REDIS_URL: 'rediss://redis',
  MILLRACE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  MILLRACE_BOOTSTRAP_API_KEY: 'sk-0123456789-of-the-first-user',
  MILLRACE_ISSUERS: '[]',
};

function withoutFile(name: string): string {
  return name.replace(/(TLS_\w+)_FILE$/, '$1');
}

function isForFlows(name: string): boolean {
  return name === 'OPENAI_API_KEY';
}

const certificates = join(root, 'libs', 'connections', 'src', 'testing', 'tls');
const certificateFiles: readonly (readonly [RegExp, string])[] = [
  [/_TLS_CA_FILE$/, 'ca.pem'],
  [/_TLS_CERT_FILE$/, 'client.pem'],
  [/_TLS_KEY_FILE$/, 'client-key.pem'],
];

function valueOf({ name, value }: EnvironmentEntry): string {
  const file = certificateFiles.find(([pattern]) => pattern.test(name))?.[1];
  return file === undefined ? (value ?? secretValues[name] ?? '') : join(certificates, file);
}

function ofKind(manifests: readonly Manifest[], kind: string) {
  return manifests.filter((one) => one.kind === kind);
}

function matches(labels: Labels, selector: Labels): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}

function variables(manifests: readonly Manifest[], component: string) {
  const pod = podsOf(manifests).find(
    ({ labels }) => labels['app.kubernetes.io/component'] === component,
  )?.pod;
  return Object.fromEntries((pod?.containers[0]?.env ?? []).map(({ name, value }) => [name, value]));
}
