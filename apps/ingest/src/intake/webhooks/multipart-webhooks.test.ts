import { gzipSync } from 'node:zlib';
import { LimitStore } from '@millrace/runs';
import { until } from '@millrace/service/testing';
import { forAllTests } from '@millrace/testing';
import { openTestIngest } from '../../testing/test-ingest';

const ingest = forAllTests(() =>
  openTestIngest({
    settings: { MILLRACE_MAXIMUM_BODY_BYTES: 131_072 },
    limits: { bodyMembers: 40 },
  }),
);
beforeAll(async () => {
  const secret = { name: 'SECRET', value: 'secret', type: 'Credential', defaultFields: [] };
  await ingest.variables.create(ingest.userId, secret);
  await ingest.newFlow('plain', { webhookAuth: 'off' });
  await ingest.newFlow('form', { webhookAuth: 'off', webhook: { form: 'json' } });
  const signature = { scheme: 'github', secrets: ['SECRET'] } as const;
  await ingest.newFlow('signed', { webhook: { form: 'json', signature } });
}, 120_000);
afterEach(() => ingest.files.deleteAll(ingest.userId));

const BOUNDARY = 'xYzZY';
const multipart = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

/** Returns a form of these parts, each its headers and its content. */
function form(...parts: readonly (readonly [headers: string, content: string | Buffer])[]): Buffer {
  const pieces = parts.flatMap(([headers, content]) => [
    `--${BOUNDARY}\r\n${headers.replaceAll('\n', '\r\n')}\r\n\r\n`,
    content,
    '\r\n',
  ]);
  return Buffer.concat([...pieces, `--${BOUNDARY}--\r\n`].map((piece) => Buffer.from(piece)));
}

const field = (name: string, text: string) =>
  [`Content-Disposition: form-data; name="${name}"`, text] as const;
const file = (name: string, fileName: string, content: string | Buffer, type = 'text/plain') =>
  [
    `Content-Disposition: form-data; name="${name}"; filename="${fileName}"\nContent-Type: ${type}`,
    content,
  ] as const;

/** Posts a form; resolves to the answer and to what the Webhook component of the run receives. */
async function post(flow: string, body: Buffer, headers: Record<string, string> = {}) {
  const answer = await fetch(`${ingest.url}/${flow}`, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { ...multipart, ...headers },
  });
  const { run_id: id, detail } = (await answer.json()) as { run_id?: string; detail?: string };
  const run = id === undefined ? null : await ingest.runs.find(ingest.userId, id);
  const payload = run?.request?.webhookPayload;
  return {
    status: answer.status,
    detail,
    payload: payload === undefined ? undefined : (JSON.parse(payload) as object),
  };
}

const storedFiles = () => ingest.files.list(ingest.userId, null);

/** An email as Twilio SendGrid's Inbound Parse posts it. */
const sendGrid = form(
  field('headers', 'MIME-Version: 1.0\nReceived: by 0.0.0.0 with HTTP; Tue, 8 Aug 2017\n'),
  field('attachments', '1'),
  field('dkim', '{@example.com : pass}'),
  field('subject', 'Grüße'),
  field('to', 'test@inbound.example.com'),
  field('from', 'Example User <test@example.com>'),
  field('text', "Here's an email with an attachment\r\n"),
  field('envelope', '{"to":["test@inbound.example.com"],"from":"test@example.com"}'),
  field('charsets', '{"to":"UTF-8","subject":"UTF-8","from":"UTF-8","text":"iso-8859-1"}'),
  field('SPF', 'pass'),
  field('attachment-info', '{"attachment1":{"filename":"a.bin","name":"a.bin","type":"image/png"}}'),
  file('attachment1', 'a.bin', Buffer.from([0x89, 0x50, 0x00, 0xff]), 'image/png'),
);

test('an email of SendGrid is its fields, and its attachment a file of the owner of the flow', async () => {
  const { status, payload } = await post('form', sendGrid);
  expect(status).toBe(202);
  expect(payload).toMatchObject({
    subject: 'Grüße',
    attachments: '1',
    text: "Here's an email with an attachment\r\n",
    attachment1: { name: 'a.bin', path: `${ingest.userId}/a.bin`, type: 'image/png', size: 4 },
  });
  const [stored] = await storedFiles();
  const chunks: Buffer[] = [];
  for await (const chunk of ingest.files.content(stored!)) chunks.push(chunk);
  expect(Buffer.concat(chunks)).toEqual(Buffer.from([0x89, 0x50, 0x00, 0xff]));
  const entries = await ingest.audit.list({ actions: ['file.uploaded'], limit: 10 });
  expect(entries).toMatchObject([
    { kind: 'unknown', userId: ingest.userId, objectId: stored!.id, objectName: 'a.bin' },
  ]);
});

/** A message as a route of Mailgun forwards it. */
const mailgun = form(
  field('recipient', 'bob@sandbox.mailgun.org'),
  field('sender', 'alice@example.com'),
  field('body-plain', 'Hi Bob'),
  field('stripped-signature', 'Thanks,\nBob'),
  field('timestamp', '1358959280'),
  field('token', 'b8bb3ce8d25bd0a7bd1a6dd8e9d7b8d8a2e1ab0d1ae9ef6b35'),
  field('attachment-count', '2'),
  file('attachment-1', 'crabby.gif', 'GIF89a', 'image/gif'),
  file('attachment-2', 'attached_файл.txt', 'text'),
  field('message-headers', '[["Received","by luna.mailgun.net"]]'),
  field('content-id-map', '{"<part1>":"attachment-1"}'),
);

test('a message of Mailgun has its attachments under their names', async () => {
  const { status, payload } = await post('form', mailgun);
  expect(status).toBe(202);
  expect(payload).toMatchObject({
    'body-plain': 'Hi Bob',
    'attachment-1': { name: 'crabby.gif', type: 'image/gif', size: 6 },
    'attachment-2': { name: 'attached_файл.txt', path: `${ingest.userId}/attached_файл.txt` },
  });
});

test('fields and files with one name are a list, and names that are taken get a number', async () => {
  const body = form(
    field('tag', 'a'),
    file('doc', 'a.txt', '1'),
    field('tag', 'b'),
    file('doc', 'a.txt', '2'),
  );
  expect((await post('form', body)).payload).toEqual({
    tag: ['a', 'b'],
    doc: [
      { name: 'a.txt', path: `${ingest.userId}/a.txt`, type: 'text/plain', size: 1 },
      { name: 'a (1).txt', path: `${ingest.userId}/a (1).txt`, type: 'text/plain', size: 1 },
    ],
  });
});

test('the name of a file is not a path, and an empty file field of a browser is left out', async () => {
  const body = form(file('doc', '../../etc/pass wd', '1'), file('none', '', '', 'application/octet-stream'));
  const { payload } = await post('form', body);
  expect(payload).toEqual({
    doc: expect.objectContaining({ name: 'pass wd', path: `${ingest.userId}/pass wd` }),
  });
});

test('a form can be compressed', async () => {
  const { payload } = await post('form', gzipSync(form(field('a', '1'))), { 'content-encoding': 'gzip' });
  expect(payload).toEqual({ a: '1' });
});

test('a repeated delivery leaves one file', async () => {
  const body = form(file('doc', 'once.txt', '1'));
  const headers = { 'webhook-id': 'delivery' };
  const [first, second] = [await post('form', body, headers), await post('form', body, headers)];
  expect([first.status, second.status]).toEqual([202, 202]);
  expect(second.payload).toEqual(first.payload);
  expect((await storedFiles()).map(({ name }) => name)).toEqual(['once']);
});

test.each([
  ['an invalid signature', 'signed', form(file('doc', 'a.txt', '1')), 401],
  ['more than 20 files', 'form', form(...Array.from({ length: 21 }, () => file('doc', 'a.txt', '1'))), 413],
  ['more fields than members', 'form', form(...Array.from({ length: 41 }, () => field('a', '1'))), 413],
  ['a body beyond the limit', 'form', form(file('doc', 'a.txt', 'x'.repeat(131_072))), 413],
  ['a text that JSON makes longer than the limit', 'form', form(field('a', '"'.repeat(100_000))), 413],
  ['a NUL in a field', 'form', form(field('a', 'b\u0000')), 400],
  ['no end', 'form', form(file('doc', 'a.txt', '1')).subarray(0, -12), 400],
])('a form with %s is refused, and no file is stored', async (_what, flow, body, status) => {
  expect((await post(flow, body)).status).toBe(status);
  expect(await storedFiles()).toEqual([]);
});

test('files stay for the pruner when storing their run fails: its row can exist', async () => {
  await ingest.database.query({
    text: `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '53100'; END $$`,
  });
  await ingest.database.query({
    text: 'CREATE TRIGGER refuse BEFORE INSERT ON runs EXECUTE FUNCTION refuse()',
  });
  const { status } = await post('form', form(file('doc', 'unsure.txt', '1')));
  await ingest.database.query({ text: 'DROP FUNCTION refuse CASCADE' });
  expect(status).toBe(503);
  // A deletion would have been sent before the answer.
  expect((await storedFiles()).map(({ name }) => name)).toEqual(['unsure']);
});

test('a webhook beyond the limit of waiting runs leaves no file', async () => {
  const id = await ingest.newFlow('few', { webhookAuth: 'off', webhook: { form: 'json' } });
  const { database, userId: ownerId } = ingest;
  await new LimitStore({ database }).replace({ scope: 'flow', id, ownerId }, { waitingRuns: 1 });
  expect((await post('few', form(file('doc', 'taken.txt', '1')))).status).toBe(202);
  expect((await post('few', form(file('doc', 'refused.txt', '1')))).status).toBe(429);
  await until(async () => (await storedFiles()).map(({ name }) => name).join() === 'taken');
});

test('a form without a boundary is refused', async () => {
  const { status, detail } = await post('form', form(field('a', '1')), {
    'content-type': 'multipart/form-data; x=y',
  });
  expect([status, detail]).toEqual([400, 'The form is not valid multipart/form-data.']);
});

test('without the setting a form stays text', async () => {
  const answer = await fetch(`${ingest.url}/plain`, { method: 'POST', body: 'text', headers: multipart });
  expect(answer.status).toBe(202);
  expect(await storedFiles()).toEqual([]);
});
