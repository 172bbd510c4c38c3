import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Creates a certificate for these hosts, signed by a temporary authority in `folder`. Returns { authority, key, cert };
 * `authority` is the path of the authority's certificate.
 * @param {readonly string[]} hosts
 * @param {string} folder
 */
export function makeCertificate(hosts, folder) {
  /** @param {string} name */
  const path = (name) => join(folder, name);
  /** @param {...string} words */
  const openssl = (...words) => execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
  const names = hosts.map((host) => (/^[\d.]+$/.test(host) ? `IP:${host}` : `DNS:${host}`)).join(',');
  writeFileSync(path('leaf.ext'), `subjectAltName=${names}\nextendedKeyUsage=serverAuth\n`);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'authority.key',
    '-out',
    'authority.pem',
    '-subj',
    '/CN=Flow table',
    '-days',
    '2',
  );
  openssl('req', ...newKey, '-keyout', 'leaf.key', '-out', 'leaf.csr', '-subj', '/CN=fakes');
  openssl(
    ...[
      'x509',
      '-req',
      '-in',
      'leaf.csr',
      '-CA',
      'authority.pem',
      '-CAkey',
      'authority.key',
      '-CAcreateserial',
    ],
    ...['-out', 'leaf.pem', '-days', '2', '-extfile', 'leaf.ext'],
  );
  return {
    authority: path('authority.pem'),
    key: readFileSync(path('leaf.key')),
    cert: readFileSync(path('leaf.pem')),
  };
}
