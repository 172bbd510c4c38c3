import { createPrivateKey, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { ComponentError, isDict } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { parsePythonJson } from '@millrace/python-text';
import { callHttp } from '../http/call-http';
import { decodeText } from '../http/decode-text';
import { textMember } from '../http/json-members';
import { serviceAddress } from '../http/service-address';
import { serviceError } from '../http/service-error';

/** The key of a Google service account, from its file. */
export interface ServiceAccount {
  readonly projectId: string;
  readonly email: string;
  readonly keyId: string;
  readonly key: KeyObject;
  readonly tokenAddress: string;
}

const scope = 'https://www.googleapis.com/auth/bigquery';
const lifetimeSeconds = 3600;

/** Reads the file of a service account. Throws a ComponentError when something is missing. */
export function readServiceAccount(text: string): ServiceAccount {
  const file = parsedFile(text);
  const projectId = textMember(file, 'project_id');
  if (projectId === '') {
    throw new ComponentError('No project_id found in service account credentials file.');
  }
  for (const name of ['client_email', 'private_key']) {
    if (textMember(file, name) !== '') continue;
    throw new ComponentError(
      `Error loading service account credentials: Service account info was not in the expected format, missing fields ${name}.`,
    );
  }
  return {
    projectId,
    email: textMember(file, 'client_email'),
    keyId: textMember(file, 'private_key_id'),
    key: privateKey(textMember(file, 'private_key')),
    tokenAddress: serviceAddress(
      textMember(file, 'token_uri') || 'https://oauth2.googleapis.com/token',
      'Google',
    ),
  };
}

/**
 * Returns an access token for BigQuery, valid for an hour.
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest
 */
export async function accessToken(account: ServiceAccount, context: ComponentContext): Promise<string> {
  const service = 'Google';
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: assertion(account, Math.floor(Date.now() / 1000)),
  });
  const answer = await callHttp(
    {
      service,
      url: new URL(account.tokenAddress),
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
      repeatable: true,
    },
    context,
  );
  if (answer.status === 400 || answer.status === 401) {
    const reason = serviceError(service, answer).message;
    context.log(reason);
    throw new ComponentError(
      'Authentication error: Unable to refresh authentication token. Please try to reauthenticate.',
      new ComponentError(reason),
    );
  }
  if (answer.status !== 200) throw serviceError(service, answer);
  const token = textMember(parsePythonJson(decodeText(answer)), 'access_token');
  if (token === '') throw new ComponentError('Google returned no access token.');
  return token;
}

/** Returns the signed statement of the account that it asks for a token. */
function assertion({ email, keyId, key, tokenAddress }: ServiceAccount, now: number): string {
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId === '' ? {} : { kid: keyId }) };
  const claims = { iss: email, scope, aud: tokenAddress, iat: now, exp: now + lifetimeSeconds };
  const text = [header, claims].map((part) => encoded(JSON.stringify(part))).join('.');
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`;
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function parsedFile(text: string) {
  try {
    const value = parsePythonJson(text);
    if (isDict(value)) return value;
  } catch {
    // Reported below.
  }
  throw new ComponentError('Invalid JSON string for service account credentials');
}

function privateKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // Reported below, without a part of the key.
  }
  throw new ComponentError(
    'Error loading service account credentials: the private key is not a valid RSA key.',
  );
}
