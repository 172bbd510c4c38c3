import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { fakeHandler, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeRequest } from '../http/fake-service.fixture';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** The file of the service account that the fake knows. */
export const serviceAccountFile = {
  type: 'service_account',
  project_id: 'mill-1',
  private_key_id: 'key-1',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  client_email: 'runner@mill-1.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
};

const querySchema = {
  type: 'object',
  required: ['query'],
  additionalProperties: false,
  properties: {
    query: { type: 'string', minLength: 1 },
    useLegacySql: { const: false },
    maxResults: { type: 'integer', minimum: 1 },
    timeoutMs: { type: 'integer', minimum: 0 },
    formatOptions: { type: 'object', properties: { useInt64Timestamp: { type: 'boolean' } } },
    requestId: { type: 'string', pattern: '^[!-~]{1,36}$' },
  },
};
const schema = {
  fields: [
    { name: 'id', type: 'INTEGER', mode: 'NULLABLE' },
    { name: 'ratio', type: 'FLOAT', mode: 'NULLABLE' },
    { name: 'sold', type: 'BOOLEAN', mode: 'NULLABLE' },
    { name: 'at', type: 'TIMESTAMP', mode: 'NULLABLE' },
    { name: 'tags', type: 'STRING', mode: 'REPEATED' },
    {
      name: 'mill',
      type: 'RECORD',
      mode: 'NULLABLE',
      fields: [{ name: 'name', type: 'STRING' }],
    },
  ],
};
const row = (id: number): object => ({
  f: [
    { v: String(id) },
    { v: '0.5' },
    { v: 'true' },
    { v: '1767225600000001' },
    { v: [{ v: 'old' }, { v: 'wet' }] },
    { v: { f: [{ v: 'Watermill' }] } },
  ],
});

/** Google's token endpoint and BigQuery's REST API, version 2: a table of three rows, in pages of two. */
export function createBigqueryHandler(): FakeHandler {
  return fakeHandler((request) => {
    const { method, path, headers, json, query } = request;
    if (method === 'POST' && path === '/token') return token(request);
    if (headers.authorization !== 'Bearer an-access-token') {
      return refuse(401, 'Request had invalid authentication credentials.');
    }
    const [, project = '', rest = ''] = /^\/bigquery\/v2\/projects\/([^/]+)(\/.*)$/.exec(path) ?? [];
    if (project !== 'mill-1') return refuse(403, `Access Denied: Project ${project}`);
    if (method === 'POST' && rest === '/jobs') return dryRun(json);
    if (method === 'POST' && rest === '/queries') {
      const wrong = violation(querySchema, json);
      return wrong === null
        ? start((json as { readonly query: string }).query)
        : refuse(400, `Invalid JSON payload received. ${wrong}`);
    }
    if (method !== 'GET' || rest !== '/queries/job-1' || query.get('location') !== 'EU') {
      return refuse(404, `Not found: Job ${project}:${rest}`);
    }
    const page = query.get('pageToken');
    return { json: page === 'p2' ? answer([row(3)]) : { ...answer([row(1), row(2)]), pageToken: 'p2' } };
  });
}

function refuse(code: number, message: string): FakeAnswer {
  return { status: code, json: { error: { code, message, status: 'INVALID_ARGUMENT' } } };
}

function answer(rows: readonly object[]): object {
  const jobReference = { projectId: 'mill-1', jobId: 'job-1', location: 'EU' };
  return { jobReference, jobComplete: true, schema, rows, totalRows: '3' };
}

/** A slow query is not complete in the first answer. */
function start(query: string): FakeAnswer {
  if (query.includes('missing')) return refuse(404, 'Not found: Table mill-1:data.missing');
  if (!query.includes('slow')) return { json: { ...answer([row(1), row(2)]), pageToken: 'p2' } };
  return {
    json: {
      jobReference: { projectId: 'mill-1', jobId: 'job-1', location: 'EU' },
      jobComplete: false,
    },
  };
}

function dryRun(json: unknown): FakeAnswer {
  const { configuration } = json as {
    readonly configuration?: {
      readonly dryRun?: boolean;
      readonly query?: { readonly query?: string; readonly useLegacySql?: boolean };
    };
  };
  const { query = '', useLegacySql } = configuration?.query ?? {};
  if (configuration?.dryRun !== true || useLegacySql !== false)
    return refuse(400, 'Required parameter is missing');
  const statementType = /^\s*(?:select|with)\b/i.test(query) ? 'SELECT' : query.split(' ')[0]?.toUpperCase();
  return { json: { statistics: { query: { statementType } } } };
}

function token({ text, headers }: FakeRequest): FakeAnswer {
  const refuseToken = (description: string): FakeAnswer => ({
    status: 400,
    json: { error: 'invalid_grant', error_description: description },
  });
  const form = new URLSearchParams(text);
  if (headers['content-type'] !== 'application/x-www-form-urlencoded') return refuseToken('Bad Request');
  if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
    return refuseToken('Bad Request');
  const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
  const read = (part: string): Readonly<Record<string, unknown>> =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Readonly<Record<string, unknown>>;
  const isSigned = verify(
    'RSA-SHA256',
    Buffer.from(`${header}.${claims}`),
    createPublicKey(privateKey),
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned || read(header)['alg'] !== 'RS256') return refuseToken('Invalid JWT Signature.');
  const { iss, scope, aud, iat, exp } = read(claims);
  const now = Date.now() / 1000;
  const isTimely = Number(iat) <= now + 60 && Number(exp) > now && Number(exp) - Number(iat) <= 3600;
  if (iss !== serviceAccountFile.client_email || aud !== serviceAccountFile.token_uri || !isTimely) {
    return refuseToken('Invalid JWT: Token must be a short-lived token.');
  }
  if (scope !== 'https://www.googleapis.com/auth/bigquery') return refuseToken('Invalid scope');
  return { json: { access_token: 'an-access-token', expires_in: 3599, token_type: 'Bearer' } };
}
