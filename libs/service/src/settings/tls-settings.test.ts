import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineSettings } from './define-settings';
import { readSettings } from './read-settings';
import { SettingsError } from './settings-error';
import { serverTls, tlsSettings } from './tls-settings';

const path = (name: string) =>
  join(__dirname, '..', '..', '..', 'connections', 'src', 'testing', 'tls', `${name}.pem`);
const pem = (name: string) => readFileSync(path(name), 'utf8');

function faultsOf(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
}

const read = (environment: Record<string, string>) => readSettings(defineSettings(tlsSettings), environment);

test('reads PEM texts and files, by server', () => {
  const settings = read({
    AMQP_TLS_CA: pem('ca'),
    REDIS_TLS_CERT_FILE: path('client'),
    REDIS_TLS_KEY: pem('client-key'),
  });
  expect(serverTls(settings)).toEqual({
    broker: { ca: pem('ca') },
    keyValue: { cert: pem('client').replace(/\n$/, ''), key: pem('client-key') },
  });
});

test.each([
  [
    { DATABASE_TLS_CA: '/etc/ca.pem' },
    'DATABASE_TLS_CA must contain certificates as PEM text (-----BEGIN CERTIFICATE-----)',
  ],
  [
    { DATABASE_TLS_CA: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
    'DATABASE_TLS_CA contains a certificate that cannot be read, number 1',
  ],
  [
    { REDIS_TLS_KEY: 'secret text' },
    'REDIS_TLS_KEY must contain a private key as PEM text, without a passphrase',
  ],
])('%j is refused', (environment, fault) => {
  expect(faultsOf(() => read(environment))).toEqual([fault]);
});

test('refuses a certificate without its key, or with the key of another certificate', () => {
  expect(faultsOf(() => serverTls(read({ AMQP_TLS_CERT: pem('client') })))).toEqual([
    'AMQP_TLS_CERT and AMQP_TLS_KEY belong together; only one of them is set',
  ]);
  const others = { AMQP_TLS_CERT: pem('client'), AMQP_TLS_KEY: pem('server-key') };
  expect(faultsOf(() => serverTls(read(others)))).toEqual([
    'AMQP_TLS_KEY is not the private key of the certificate in AMQP_TLS_CERT',
  ]);
});

test('refuses settings for a server that is reached without encryption', () => {
  const ca = pem('ca');
  const tls = read({ AMQP_TLS_CA: ca, REDIS_TLS_CA: ca, DATABASE_TLS_CA: ca });
  const urls = {
    DATABASE_URL: 'postgres://db.test/mill?sslmode=disable',
    AMQP_URL: 'amqp://broker.test',
    REDIS_URL: 'redis://redis.test',
  };
  expect(faultsOf(() => serverTls({ ...tls, ...urls }))).toEqual([
    'DATABASE_TLS_… is set, but DATABASE_URL does not enable encryption: its sslmode is disable',
    'AMQP_TLS_… is set, but AMQP_URL does not enable encryption: it must begin with amqps://',
    'REDIS_TLS_… is set, but REDIS_URL does not enable encryption: it must begin with rediss://',
  ]);
});
