import { once } from 'node:events';
import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { createInterface } from 'node:readline';
import { createSecureContext, TLSSocket } from 'node:tls';
import { createLogger, createMetrics, Health } from '@millrace/service';
import type { ServerTls, TlsMaterial } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { openConnections } from './connections';

const certificates = join(__dirname, 'testing', 'tls');
const servers = join(__dirname, '..', '..', '..', 'tools', 'services', 'tls-servers.mjs');
const pem = (name: string) => readFileSync(join(certificates, `${name}.pem`), 'utf8');

const trusted: TlsMaterial = { ca: pem('ca'), cert: pem('client'), key: pem('client-key') };
const titles = { database: 'PostgreSQL', broker: 'RabbitMQ', keyValue: 'Redis' } as const;
type Kind = keyof typeof titles;

let directory: string;
let program: ChildProcessByStdio<Writable, Readable, null>;
let ports: Readonly<Record<Kind, number>>;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'millrace-tls-'));
  // PostgreSQL runs as a separate user, who needs access to this directory.
  const files = join(directory, 'files');
  chmodSync(directory, 0o755);
  program = spawn(process.execPath, [servers, files, certificates], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(program.stdout), 'line')) as [string];
  ports = JSON.parse(line) as typeof ports;
}, 120_000);

afterAll(async () => {
  program.stdin.end();
  await once(program, 'exit');
  rmSync(directory, { recursive: true, force: true });
}, 60_000);

const urls = (host: string, at: Readonly<Record<Kind, number>>, sslmode = 'verify-full') => ({
  databaseUrl: `postgres://postgres@${host}:${at.database}/postgres?sslmode=${sslmode}`,
  brokerUrl: `amqps://guest:guest@${host}:${at.broker}`,
  keyValueUrl: `rediss://${host}:${at.keyValue}`,
});

type Urls = Partial<ReturnType<typeof urls>>;

function open({ databaseUrl, brokerUrl, keyValueUrl }: Urls, tls: ServerTls, health = new Health()) {
  return openConnections({
    name: 'tls-test',
    instance: 'tls-test',
    databaseUrl,
    brokerUrl,
    keyValueUrl,
    tls,
    dataDirectory: undefined,
    prefix: 'tls-test.',
    pools: ['default'],
    maximumDatabaseConnections: 1,
    migrate: false,
    logger: createLogger({ name: 'test', level: 'silent' }),
    metrics: createMetrics(),
    health,
  });
}

const all = (material: TlsMaterial): ServerTls => ({
  database: material,
  broker: material,
  keyValue: material,
});

test.each(['127.0.0.1', 'localhost'])(
  'connects to the three servers over TLS with client certificates, at %s',
  async (host) => {
    const health = new Health();
    const connections = await open(urls(host, ports), all(trusted), health);
    try {
      const { rows } = await connections.database.query<{ ssl: boolean }>({
        text: 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
      });
      expect(rows).toEqual([{ ssl: true }]);
      const isReady = async () => Object.values((await health.ready()).checks).every(({ ok }) => ok);
      await until(isReady, 'all three servers can be used');
      const { checks } = await health.ready();
      expect(Object.keys(checks)).toEqual(expect.arrayContaining(['database', 'broker', 'key-value']));
    } finally {
      await connections.close();
    }
  },
  60_000,
);

test.each(['require', 'verify-ca'])(
  'connects to PostgreSQL with sslmode=%s at a host that its certificate does not name',
  async (mode) => {
    const impostor = await startServer('database', 'elsewhere');
    try {
      const failure = await reasonOf(
        open({ databaseUrl: urls('127.0.0.1', impostor.ports, mode).databaseUrl }, all(trusted)),
      );
      // The handshake succeeded; only the server behind it is not PostgreSQL.
      expect(failure).not.toContain('certificate');
      const { databaseUrl } = urls('127.0.0.1', impostor.ports);
      expect(await reasonOf(open({ databaseUrl }, all(trusted)))).toContain(
        'its certificate was issued to another host',
      );
    } finally {
      await impostor.close();
    }
  },
  60_000,
);

test.each(['prefer', 'require'])(
  'connects to PostgreSQL with sslmode=%s over TLS without an authority',
  async (mode) => {
    const { cert, key } = trusted;
    const { databaseUrl } = urls('127.0.0.1', ports, mode);
    const { database, close } = await open({ databaseUrl }, all({ cert, key }));
    const { rows } = await database.query({
      text: 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
    });
    await close();
    expect(rows).toEqual([{ ssl: true }]);
  },
  60_000,
);

test('connects to PostgreSQL with sslmode=prefer with and without encryption', async () => {
  const address = new URL(process.env['DATABASE_URL'] ?? '');
  address.searchParams.set('sslmode', 'prefer');
  const { database, close } = await open({ databaseUrl: address.href }, {});
  await expect(database.ping()).resolves.toBeUndefined();
  await close();
}, 60_000);

describe.each(['database', 'broker', 'keyValue'] as const)('%s', (kind) => {
  const refused = async (at: Readonly<Record<Kind, number>>, material: TlsMaterial, host = '127.0.0.1') => {
    const { databaseUrl, brokerUrl, keyValueUrl } = urls(host, at);
    const one: Urls = { database: { databaseUrl }, broker: { brokerUrl }, keyValue: { keyValueUrl } }[kind];
    return reasonOf(open(one, all(material)));
  };
  const setting = { database: 'DATABASE', broker: 'AMQP', keyValue: 'REDIS' }[kind];

  test('rejects a certificate of an untrusted authority', async () => {
    const reason = await refused(ports, { ...trusted, ca: pem('other-ca') });
    expect(reason).toContain(`${titles[kind]} at 127.0.0.1:${ports[kind]} (${setting}_URL) cannot be used`);
    expect(reason).toContain(
      `an authority that is not trusted here; ${setting}_TLS_CA names the trusted ones`,
    );
  }, 60_000);

  test('uses the public authorities by default', async () => {
    const reason = await refused(ports, { cert: trusted.cert, key: trusted.key });
    expect(reason).toContain('an authority that is not trusted here');
  }, 60_000);

  test('the server refuses a client without a certificate', async () => {
    const reason = await refused(ports, { ca: trusted.ca });
    const settings = `${setting}_TLS_CERT and ${setting}_TLS_KEY name one`;
    expect(reason).toMatch(new RegExp(`requires? a client certificate; ${settings}`));
  }, 60_000);

  test.each([
    ['expired', 'its certificate has expired'],
    ['elsewhere', 'its certificate was issued to another host'],
  ])(
    'rejects a server with the certificate "%s"',
    async (certificate, sentence) => {
      const impostor = await startServer(kind, certificate);
      try {
        expect(await refused(impostor.ports, trusted)).toContain(sentence);
      } finally {
        await impostor.close();
      }
    },
    60_000,
  );

  test('rejects a server without TLS', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(kind === 'database' ? 'N' : 'no TLS here'));
    });
    const at = await listen(server);
    try {
      const sentence =
        kind === 'database'
          ? 'it has no encryption, but sslmode requires it'
          : 'it does not use TLS on this port';
      expect(await refused(at, trusted)).toContain(sentence);
    } finally {
      server.close();
    }
  }, 60_000);
});

/** Returns the error of a failed start, or the report on standard error for Redis, which can be unavailable. */
async function reasonOf(opening: ReturnType<typeof open>): Promise<string> {
  const written: string[] = [];
  const spy = jest
    .spyOn(process.stderr, 'write')
    .mockImplementation((text) => written.push(String(text)) > 0);
  try {
    await (await opening).close();
    return written.join('');
  } catch (error) {
    return `${(error as Error).message}: ${((error as Error).cause as Error).message}`;
  } finally {
    spy.mockRestore();
  }
}

/**
 * Starts a server that presents a certificate and then does nothing; for PostgreSQL, after the request for encryption.
 */
async function startServer(kind: Kind, certificate: string) {
  const secureContext = createSecureContext({ cert: pem(certificate), key: pem(`${certificate}-key`) });
  const sockets = new Set<Socket>();
  const encrypt = (socket: Socket) => {
    const clear = new TLSSocket(socket, { isServer: true, secureContext });
    clear.on('error', () => socket.destroy()).once('data', () => clear.end());
  };
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    if (kind !== 'database') return encrypt(socket);
    socket.once('data', () => {
      socket.write('S');
      encrypt(socket);
    });
  });
  const at = await listen(server);
  return {
    ports: at,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server): Promise<Readonly<Record<Kind, number>>> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { database: port, broker: port, keyValue: port };
}
