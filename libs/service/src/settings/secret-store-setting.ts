import { isAbsolute } from 'node:path';
import { text } from './kinds';
import { isSafeUrl, Members } from './members';

/** A server that speaks the protocol of Vault's KV version 2. */
export interface VaultSettings {
  /** Without a slash at the end. */
  readonly url: string;
  readonly namespace: string | undefined;
  /** Of the secrets engine. */
  readonly mount: string;
  /** In it; the secrets of a user are at `<path>/<id of the user>`. */
  readonly path: string;
  readonly login: { readonly token: string } | { readonly roleId: string; readonly secretId: string };
}

/** Where variables come from that users have not stored. */
export type SecretStoreSettings = { readonly folder: string } | { readonly vault: VaultSettings };

const SEGMENTS = /^[\w.-]+(\/[\w.-]+)*$/;

/** For services that look up variables of users. */
export const secretStoreSetting = text({
  unusual: true,
  optional: true,
  secret: true,
  description:
    'A mounted folder or a Vault that has [variables of users](security.md#secrets-from-outside), as JSON: `{"folder": "/mnt/secrets"}`.',
  check: (value) => void parseSecretStore(value),
});

/** Throws an Error that ends a sentence about the setting. */
export function parseSecretStore(json: string): SecretStoreSettings {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // Without the text of the error, which can contain a secret.
    throw new Error('must be JSON');
  }
  const members = new Members(value, 'the store');
  const folder = members.optional('folder');
  const vault = members.take('vault');
  members.refuseOthers();
  if ((folder === undefined) === (vault === undefined))
    throw members.fault('either "folder" or "vault" must be set');
  if (folder === undefined) return { vault: readVault(new Members(vault, '"vault"')) };
  if (!isAbsolute(folder)) throw members.fault('"folder" must be an absolute path');
  return { folder };
}

function readVault(members: Members): VaultSettings {
  const url = members.text('url').replace(/\/+$/, '');
  const [mount, path] = [members.optional('mount') ?? 'secret', members.optional('path') ?? 'millrace'];
  const namespace = members.optional('namespace');
  const [token, roleId] = [members.optional('token'), members.optional('role_id')];
  const secretId = members.optional('secret_id');
  members.refuseOthers();
  if (!isSafeUrl(url)) throw members.fault('"url" must be an https:// URL, or http:// of the own host');
  for (const one of [mount, path, ...(namespace === undefined ? [] : [namespace])])
    if (!SEGMENTS.test(one) || one.split('/').some((part) => /^\.+$/.test(part)))
      throw members.fault('"mount", "path" and "namespace" must be names with slashes between them');
  if ((token === undefined) === (roleId === undefined) || (roleId === undefined) !== (secretId === undefined))
    throw members.fault('either "token", or "role_id" and "secret_id" must be set');
  const login = token === undefined ? { roleId: roleId ?? '', secretId: secretId ?? '' } : { token };
  return { url, namespace, mount, path, login };
}
