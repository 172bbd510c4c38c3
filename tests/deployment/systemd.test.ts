import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ingestSettings } from '@millrace/ingest/settings';
import { nodeFlags } from '@millrace/scaled-system';

const root = join(__dirname, '..', '..');
const folder = join(root, 'deploy', 'systemd');
const units = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
const roles =
  /ROLES = \[([^\]]*)\]/.exec(readFileSync(join(root, 'deploy', 'entrypoint.mjs'), 'utf8'))?.[1] ?? '';

test('there is a unit for each role of one machine', () => {
  expect(units.map(({ name }) => name)).toEqual([
    'millrace-executor@.service',
    'millrace-gateway.service',
    'millrace-ingest.service',
    'millrace-migrate.service',
    'millrace.service',
  ]);
});

test('images, units and tests start services with the same flags of Node, and the same arenas of the C library', () => {
  const flags = nodeFlags.join(' ');
  const image = readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8');
  const entrypoint = ['node', ...nodeFlags, 'deploy/entrypoint.mjs'].map((word) => `"${word}"`).join(', ');
  expect(image.split('\n')).toContain(`ENTRYPOINT [${entrypoint}]`);
  expect(image).toContain(' MALLOC_ARENA_MAX=2 ');
  for (const { name, text } of units.filter((unit) => unit.name !== 'millrace-migrate.service')) {
    expect({ name, flags: /^ExecStart=\/usr\/bin\/node (.+) deploy\//m.exec(text)?.[1] }).toEqual({
      name,
      flags,
    });
    expect(text.split('\n')).toContain('Environment=MALLOC_ARENA_MAX=2');
  }
});

test.each(units)('$name starts a role as an unprivileged user that can write nowhere else', ({ text }) => {
  const role = /^ExecStart=\/usr\/bin\/node (?:--\S+ )*deploy\/entrypoint\.mjs (\w+)/m.exec(text)?.[1] ?? '';
  expect(roles).toContain(`'${role}'`);
  for (const line of ['User=millrace', 'ProtectSystem=strict', 'NoNewPrivileges=yes', 'PrivateTmp=yes'])
    expect(text.split('\n')).toContain(line);
  // Each section once, and each line a name with a value.
  expect(text.match(/^\[\w+\]$/gm)).toEqual(['[Unit]', '[Service]', '[Install]']);
  for (const line of text.split('\n').filter((one) => one !== '' && !/^[#[]/.test(one)))
    expect(line).toMatch(/^\w+=/);
});

test('a service has more time to stop than its work takes', () => {
  const shutdown = ingestSettings.MILLRACE_SHUTDOWN_SECONDS.absent;
  for (const { name, text } of units) {
    if (name.includes('migrate')) continue;
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThan(Number(shutdown) + 10);
  }
});
