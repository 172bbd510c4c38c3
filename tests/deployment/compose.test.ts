import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { executorSettings } from '@millrace/executor/settings';
import { gatewaySettings } from '@millrace/gateway/settings';
import { ingestSettings } from '@millrace/ingest/settings';
import { isAddressWithin, parseAddressRange } from '@millrace/service';
import { parse } from 'yaml';

interface Service {
  readonly image?: string;
  readonly profiles?: readonly string[];
  readonly read_only?: boolean;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly ports?: readonly string[];
  readonly container_name?: string;
  readonly build?: { readonly dockerfile: string };
}

const root = join(__dirname, '..', '..');
const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  networks: {
    default: { ipam: { config: readonly { subnet: string; ip_range: string; gateway: string }[] } };
  };
};
const { services } = compose;
const settings: Record<string, Record<string, unknown>> = {
  gateway: gatewaySettings,
  ingest: ingestSettings,
  executor: executorSettings,
  migrate: gatewaySettings,
};

test('has the three servers, the migration, the three services, and two programs of a profile', () => {
  expect(Object.keys(services).filter((name) => services[name]?.profiles !== undefined)).toEqual([
    'prometheus',
    'grafana',
  ]);
  expect(Object.keys(services).sort()).toEqual([
    'executor',
    'gateway',
    'grafana',
    'ingest',
    'migrate',
    'postgres',
    'prometheus',
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
  const servers = ['migrate', 'postgres', 'rabbitmq', 'redis'];
  const needs = (name: string) => Object.keys(services[name]?.depends_on ?? {}).sort();
  expect(needs('executor')).toEqual(servers);
  for (const name of ['gateway', 'ingest']) expect(needs(name)).toEqual(['executor', ...servers]);
});

test('services run with a root file system that is read only', () => {
  for (const name of ['migrate', 'gateway', 'ingest', 'executor'])
    expect(services[name]).toMatchObject({ read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'] });
});

test('every variable of a service is one of its settings', () => {
  for (const [name, known] of Object.entries(settings))
    for (const variable of Object.keys(services[name]?.environment ?? {}))
      expect(known).toHaveProperty(variable);
});

test('ingest believes the addresses that gateways name, and no address of the host', () => {
  const [network] = compose.networks.default.ipam.config;
  const proxies = (service: string) =>
    (services[service]?.environment?.['MILLRACE_TRUSTED_PROXIES'] ?? '').replace(
      /\$\{MILLRACE_TRUSTED_PROXIES:-\}/,
      '',
    );
  expect(proxies('gateway')).toBe('');
  expect(proxies('ingest')).toBe(`${network?.ip_range},`);
  const within = (address: string | undefined, range: string | undefined) =>
    isAddressWithin(address ?? '', [parseAddressRange(range ?? '')]);
  expect(within(network?.gateway, network?.subnet)).toBe(true);
  expect(within(network?.gateway, network?.ip_range)).toBe(false);
  expect(within(network?.ip_range.split('/')[0], network?.subnet)).toBe(true);
});

test('executors can be scaled: no fixed name, no host port', () => {
  expect(services['executor']).not.toHaveProperty('container_name');
  expect(services['executor']).not.toHaveProperty('ports');
});

test('named volumes are declared, and the Dockerfile of the image exists', () => {
  for (const service of Object.values(services)) {
    for (const volume of (service as { volumes?: string[] }).volumes ?? []) {
      const [source = ''] = volume.split(':');
      if (source.startsWith('./')) expect(existsSync(join(root, source))).toBe(true);
      else expect(compose.volumes).toHaveProperty(source);
    }
    if (service.build) expect(existsSync(join(root, service.build.dockerfile))).toBe(true);
  }
});

const dockerfile = readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8');
const stages = dockerfile.split(/^(?=FROM )/m).slice(1);

/** The stage of an image, and those that it begins with. */
function stagesOf(target: string | undefined): readonly string[] {
  const found = stages.findIndex((stage) => new RegExp(`^FROM \\S+ AS ${target}\\n`).test(stage));
  const stage = stages.at(target === undefined ? -1 : found) ?? '';
  const base = /^FROM ([\w-]+)\b/.exec(stage)?.[1];
  return [stage, ...(base === undefined ? [] : stagesOf(base))];
}

test.each([undefined, 'executor-python', 'executor-python-standard'])(
  'the image %s runs as an unprivileged user, with files that exist, and starts an existing role',
  (target) => {
    const [last = '', ...before] = stagesOf(target);
    expect(before.length).toBeGreaterThan(0);
    expect(last).toMatch(/^USER 1000:1000$/m);
    for (const [, words = ''] of [last, ...before].join('\n').matchAll(/^COPY (?!--from)(.+) \S+$/gm))
      for (const source of words.split(' ')) expect(existsSync(join(root, source))).toBe(true);
    const roles =
      /ROLES = \[([^\]]*)\]/.exec(readFileSync(join(root, 'deploy', 'entrypoint.mjs'), 'utf8'))?.[1] ?? '';
    const [, role = ''] = /^CMD \["(\w+)"\]$/m.exec(last) ?? [];
    for (const name of [
      role,
      ...Object.keys(settings).map((service) => services[service]?.command?.[0] ?? ''),
    ])
      expect(roles).toContain(`'${name}'`);
  },
);

test('images have fixed bases', () => {
  expect(dockerfile).not.toMatch(/:latest|^ADD /m);
});

test('the packages of Python are built from all files that the command reads', () => {
  const [, ...before] = stagesOf('packages-standard');
  const copied = before.flatMap((stage) =>
    [...stage.matchAll(/^COPY (?!--from)(\S+) /gm)].map(([, path]) => path),
  );
  const service = ['libs/service/src/options', 'libs/service/src/process'];
  const read = ['tools', ...service, 'libs/python/src/environment', 'apps/python-worker'];
  expect(copied).toEqual(expect.arrayContaining(read));
  for (const path of filesBelow(join(root, 'tools', 'python')))
    for (const [, imported = ''] of readFileSync(path, 'utf8').matchAll(/from '(\.[^']+)'/g)) {
      const file = relative(root, join(dirname(path), imported));
      expect(read.filter((folder) => file.startsWith(`${folder}/`))).toHaveLength(1);
    }
});

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder).map((name) => join(folder, name));
}
