import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { executorSettings } from '@millrace/executor';
import { gatewaySettings } from '@millrace/gateway';
import { ingestSettings } from '@millrace/ingest';
import { parse } from 'yaml';

interface Service {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly ports?: readonly string[];
  readonly container_name?: string;
  readonly build?: { readonly dockerfile: string };
}

const root = join(__dirname, '..', '..', '..', '..');
const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const { services } = compose;
const settings: Record<string, Record<string, unknown>> = {
  gateway: gatewaySettings,
  ingest: ingestSettings,
  executor: executorSettings,
  migrate: gatewaySettings,
};

test('has the three servers, the migration and the three services', () => {
  expect(Object.keys(services).sort()).toEqual([
    'executor',
    'gateway',
    'ingest',
    'migrate',
    'postgres',
    'rabbitmq',
    'redis',
  ]);
});

test('every long-running service has a health check', () => {
  for (const [name, service] of Object.entries(services))
    expect([name, Boolean(service.healthcheck)]).toEqual([name, name !== 'migrate']);
});

test('services wait for their dependencies, and these exist', () => {
  for (const service of Object.values(services))
    for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
      expect(services).toHaveProperty(needed);
      expect(condition).toBe(needed === 'migrate' ? 'service_completed_successfully' : 'service_healthy');
    }
  for (const name of ['gateway', 'ingest', 'executor'])
    expect(Object.keys(services[name]?.depends_on ?? {}).sort()).toEqual([
      'migrate',
      'postgres',
      'rabbitmq',
      'redis',
    ]);
});

test('every variable of a service is one of its settings', () => {
  for (const [name, known] of Object.entries(settings))
    for (const variable of Object.keys(services[name]?.environment ?? {}))
      expect(known).toHaveProperty(variable);
});

test('executors can be scaled: no fixed name, no host port', () => {
  expect(services['executor']).not.toHaveProperty('container_name');
  expect(services['executor']).not.toHaveProperty('ports');
});

test('named volumes are declared, and the Dockerfile of the image exists', () => {
  for (const service of Object.values(services)) {
    for (const volume of (service as { volumes?: string[] }).volumes ?? [])
      expect(compose.volumes).toHaveProperty(volume.split(':')[0] ?? '');
    if (service.build) expect(existsSync(join(root, service.build.dockerfile))).toBe(true);
  }
});

test('the image runs as an unprivileged user, has a fixed base, and starts an existing role', () => {
  const dockerfile = readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8');
  expect(dockerfile).toMatch(/^USER 1000:1000$/m);
  expect(dockerfile).not.toMatch(/:latest|^ADD /m);
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  expect(lastStage.indexOf('USER ')).toBeGreaterThan(0);
  for (const [, source = ''] of lastStage.matchAll(/^COPY (?!--from)(\S+)/gm))
    expect(existsSync(join(root, source))).toBe(true);
  const roles =
    /ROLES = \[([^\]]*)\]/.exec(readFileSync(join(root, 'deploy', 'entrypoint.mjs'), 'utf8'))?.[1] ?? '';
  for (const name of Object.keys(settings)) expect(roles).toContain(`'${services[name]?.command?.[0]}'`);
});
