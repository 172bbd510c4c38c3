import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresEncryption } from './postgres-encryption';

const at = (query: string) => `postgres://ann:secret@db.test:5433/mill${query}`;

/** Describes what the client verifies of a server: its chain, its host, or nothing. */
function checked(query: string, tls?: Parameters<typeof postgresEncryption>[1]): string {
  const { ssl, isOptional } = postgresEncryption(at(query), tls);
  if (ssl === false) return 'clear';
  const host = ssl.checkServerIdentity === undefined ? 'chain and host' : 'chain';
  return `${ssl.rejectUnauthorized === true ? host : 'nothing'}${isOptional ? ', optional' : ''}`;
}

test.each([
  ['', 'clear'],
  ['?sslmode=disable', 'clear'],
  ['?sslmode=prefer', 'nothing, optional'],
  ['?sslmode=require', 'nothing'],
  ['?sslmode=require&sslrootcert=system', 'chain'],
  ['?sslmode=verify-ca', 'chain'],
  ['?sslmode=verify-full', 'chain and host'],
  ['?ssl=true', 'chain and host'],
  ['?ssl=no-verify', 'nothing'],
  ['?host=/var/run/postgresql&sslmode=require', 'clear'],
])('an address with "%s" checks: %s', (query, expected) => {
  expect(checked(query)).toBe(expected);
});

test.each([
  ['', 'chain and host'],
  ['?sslmode=disable', 'clear'],
  ['?sslmode=prefer', 'nothing, optional'],
  ['?sslmode=require', 'chain'],
  ['?sslmode=verify-ca', 'chain'],
])('with an authority set, an address with "%s" checks: %s', (query, expected) => {
  expect(checked(query, { ca: 'PEM' })).toBe(expected);
});

test('removes only the encryption parameters from the address', () => {
  const { url } = postgresEncryption(at('?sslmode=require&application_name=mill&uselibpqcompat=true'));
  expect(url).toBe(at('?application_name=mill'));
});

test.each(['allow', 'verify', ''])('sslmode=%s is refused', (mode) => {
  expect(() => postgresEncryption(at(`?sslmode=${mode}`))).toThrow(
    `sslmode must be one of disable, prefer, require, verify-ca, verify-full, but is "${mode}"`,
  );
});

test('files that the address names take precedence over the settings', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-ssl-'));
  try {
    const path = join(directory, 'ca.pem');
    writeFileSync(path, 'of the address');
    const { ssl } = postgresEncryption(at(`?sslmode=verify-ca&sslrootcert=${path}`), {
      ca: 'A',
      cert: 'C',
      key: 'K',
    });
    expect(ssl).toMatchObject({ ca: 'of the address', cert: 'C', key: 'K' });
    expect(() => postgresEncryption(at(`?sslcert=${path}.absent`))).toThrow('no such file');
  } finally {
    rmSync(directory, { recursive: true });
  }
});
