import { createPrivateKey, X509Certificate } from 'node:crypto';
import { postgresHosts } from '../servers/postgres-hosts';
import { redisAddress } from '../servers/redis-address';
import { setting } from './setting';
import { SettingsError } from './settings-error';

/** Certificates and key for the TLS connections to one server, each as PEM text. A missing part is not used. */
export interface TlsMaterial {
  /** The authorities that can sign the server's certificate; undefined means the public ones that Node includes. */
  readonly ca?: string | undefined;
  /** The client certificate with its chain, and its private key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** TLS material by server; a missing member means that no TLS setting of that server is set. */
export interface ServerTls {
  readonly database?: TlsMaterial;
  readonly broker?: TlsMaterial;
  readonly keyValue?: TlsMaterial;
}

/** The servers' names in settings, and which URLs are encrypted. */
const servers = {
  database: {
    prefix: 'DATABASE',
    title: 'PostgreSQL',
    urlSetting: 'DATABASE_URL',
    isEncrypted: encryptsPostgres,
  },
  broker: { prefix: 'AMQP', title: 'RabbitMQ', urlSetting: 'AMQP_URL', isEncrypted: encryptsAmqp },
  keyValue: { prefix: 'REDIS', title: 'Redis', urlSetting: 'REDIS_URL', isEncrypted: encryptsRedis },
} as const;

export const tlsSettings = {
  DATABASE_TLS_CA: authorities('PostgreSQL'),
  DATABASE_TLS_CERT: certificate('PostgreSQL'),
  DATABASE_TLS_KEY: privateKey('PostgreSQL'),
  AMQP_TLS_CA: authorities('RabbitMQ'),
  AMQP_TLS_CERT: certificate('RabbitMQ'),
  AMQP_TLS_KEY: privateKey('RabbitMQ'),
  REDIS_TLS_CA: authorities('Redis'),
  REDIS_TLS_CERT: certificate('Redis'),
  REDIS_TLS_KEY: privateKey('Redis'),
} as const;

type TlsSettings = { readonly [Name in keyof typeof tlsSettings]?: string | undefined };
type ServerUrls = { readonly [Name in 'DATABASE_URL' | 'AMQP_URL' | 'REDIS_URL']?: string | undefined };

/**
 * Returns the TLS settings by server. Throws SettingsError that lists each certificate without its key (and the
 * reverse), and each setting whose server is not reached over TLS, because such a setting would protect nothing.
 */
export function serverTls(settings: TlsSettings & ServerUrls): ServerTls {
  const faults: string[] = [];
  const found: { database?: TlsMaterial; broker?: TlsMaterial; keyValue?: TlsMaterial } = {};
  for (const server of ['database', 'broker', 'keyValue'] as const) {
    const { prefix, urlSetting, isEncrypted } = servers[server];
    const [ca, cert, key] = (['CA', 'CERT', 'KEY'] as const).map((part) => settings[`${prefix}_TLS_${part}`]);
    if (ca === undefined && cert === undefined && key === undefined) continue;
    if ((cert === undefined) !== (key === undefined)) {
      faults.push(`${prefix}_TLS_CERT and ${prefix}_TLS_KEY belong together; only one of them is set`);
    } else if (cert !== undefined && key !== undefined && !isPair(cert, key)) {
      faults.push(`${prefix}_TLS_KEY is not the private key of the certificate in ${prefix}_TLS_CERT`);
    }
    const url = settings[urlSetting];
    if (url !== undefined && !isEncrypted(url)) {
      const advice =
        server === 'database' ? 'its sslmode is disable' : `it must begin with ${encryptedProtocol(url)}`;
      faults.push(`${prefix}_TLS_… is set, but ${urlSetting} does not enable encryption: ${advice}`);
    }
    found[server] = { ca, cert, key };
  }
  if (faults.length > 0) throw new SettingsError(faults);
  return found;
}

function authorities(title: string) {
  return pem(
    `Authorities that can sign the certificate of ${title}; unset means the public ones.`,
    (text) => void certificatesIn(text),
  );
}

function certificate(title: string) {
  return pem(
    `The client certificate that ${title} requires, with its chain. Requires the key as well.`,
    (text) => void certificatesIn(text),
  );
}

function privateKey(title: string) {
  return pem(`The private key of the client certificate for ${title}, without a passphrase.`, (text) => {
    try {
      createPrivateKey(text);
    } catch (error) {
      throw new Error('must contain a private key as PEM text, without a passphrase', { cause: error });
    }
  });
}

/** Marked secret: certificates are public, but a table or a fault that printed one would be of no use. */
function pem(description: string, check: (text: string) => void) {
  return setting<string, { readonly description: string; readonly optional: true; readonly secret: true }>(
    'PEM',
    { description, optional: true, secret: true },
    (text) => {
      check(text);
      return text;
    },
    String,
  );
}

function certificatesIn(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0)
    throw new Error('must contain certificates as PEM text (-----BEGIN CERTIFICATE-----)');
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch (error) {
      throw new Error(`contains a certificate that cannot be read, number ${index + 1}`, { cause: error });
    }
  });
}

function isPair(cert: string, key: string): boolean {
  const [first] = certificatesIn(cert);
  return first?.checkPrivateKey(createPrivateKey(key)) ?? false;
}

function encryptsAmqp(url: string): boolean {
  return url.split(',').every((address) => address.trim().startsWith('amqps://'));
}

function encryptsRedis(url: string): boolean {
  return redisAddress(url).isEncrypted;
}

function encryptedProtocol(url: string): string {
  return url.startsWith('amqp') ? 'amqps://' : url.replace(/^redis(\+\w+)?:.*$/su, 'rediss$1://');
}

function encryptsPostgres(url: string): boolean {
  return new URL(postgresHosts(url).urls[0]).searchParams.get('sslmode') !== 'disable';
}
