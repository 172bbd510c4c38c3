import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { until } from '@millrace/service/testing';
import type { TakenJob } from '../../testing/test-executor';
import { gatewayForTests, openTestGateway } from '../../testing/test-gateway';
import type { Answer } from '../../testing/test-gateway';
import { writeZip } from '../../zip/write-zip';

const MEBIBYTE = 1024 * 1024;
const EMPTY_RESULT = { session_id: 's', outputs: [] };
const RUN = '/api/v1/run/large';
const gateway = gatewayForTests({ limits: { flowMembers: 100_000 } });
beforeAll(async () => {
  await gateway.createFlow({ name: 'large', endpoint_name: 'large', data: document(1) });
  // Only the gateway is tested, so runs end at once.
  gateway.executor.handleJob = (takenJob) => takenJob.final('succeeded', EMPTY_RESULT);
}, 60_000);

const json = { 'content-type': 'application/json' };
const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  gateway.call('POST', path, body, { ...json, ...headers });
const refusal = ({ status, headers }: Answer) => [status, headers.get('x-error-code')];

/** A body with this many tweaks with different names, the most expensive kind for a parser. */
const tweaks = (count: number) =>
  `{"input_value":"x","tweaks":{${Array.from({ length: count }, (_, index) => `"${index.toString(36)}":1`).join()}}}`;

/** A flow document with slightly more than this many members. */
function document(members: number) {
  const template = Object.fromEntries(Array.from({ length: members }, (_, index) => [`f${index}`, index]));
  return { nodes: [{ id: 'a', data: { type: 'Note', node: { template } } }], edges: [] };
}

test('S11: 600,000 members are refused before they are parsed, on every route', async () => {
  const body = tweaks(600_000);
  const wrapped = `{"input_request":${body}}`;
  const answers = await Promise.all([
    post(RUN, body),
    post(RUN, wrapped),
    post('/api/v1/run/advanced/large', body),
    post('/api/v2/workflows', body),
    post('/api/v1/responses', body),
    post('/api/v1/flows/', body),
    post(RUN, `[${'0,'.repeat(600_000)}0]`),
    post(RUN, `{"tweaks":[${'{},'.repeat(600_000)}{}]}`, { 'content-type': 'text/plain' }),
  ]);
  expect(answers.map(refusal)).toEqual(answers.map(() => [413, 'body_too_large']));
  expect(answers[0]?.text).toBe('{"detail":"The body has more than 25000 members."}');
});

test('S11: the members of tweaks in a form are also counted', async () => {
  const form = new FormData();
  form.set('tweaks', tweaks(30_000));
  expect(refusal(await gateway.call('POST', RUN, form))).toEqual([413, 'body_too_large']);
});

test('a large body is not read before its key is accepted, whether its length is declared or not', async () => {
  const send = async (headers: Record<string, string | number>, part: string) => {
    const sending = request(`${gateway.url}${RUN}`, { method: 'POST', headers: { ...json, ...headers } });
    sending.write(part);
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    sending.on('error', () => undefined).destroy();
    return [answer.statusCode, answer.headers['x-error-code']];
  };
  // None of these bodies ends.
  const unknown = { 'x-api-key': 'sk-unknown' };
  expect(await send({ ...unknown, 'content-length': 65_537 }, '{')).toEqual([403, 'key_invalid']);
  expect(await send({ ...unknown, 'transfer-encoding': 'chunked' }, '{')).toEqual([403, 'key_invalid']);
  const syntax = await post(RUN, `{"input_value":"${'x'.repeat(60_000)}" }}`, unknown);
  expect(refusal(syntax)).toEqual([422, 'invalid_json']);
});

test('S11: a form has at most 100 parts', async () => {
  const postForm = (parts: number) => {
    const form = new FormData();
    for (let part = 1; part < parts; part += 1) form.append('session_id', 'one');
    form.append('session_id', 'last');
    return gateway.call('POST', RUN, form);
  };
  expect(await postForm(100)).toMatchObject({ status: 200 });
  expect(refusal(await postForm(101))).toEqual([400, 'undecodable_body']);
});

test('S11: a body with the maximum number of members is run', async () => {
  const answers: Answer[] = [];
  for (let index = 0; index < 4; index += 1) answers.push(await post(RUN, tweaks(24_000)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

test('S11: a million levels are refused', async () => {
  const answers = await Promise.all(
    ['[', '{"a":', '[[],'].map((open) => post(RUN, `{"input_value":${open.repeat(1_000_000)}`)),
  );
  expect(answers.map(refusal)).toEqual(answers.map(() => [422, 'invalid_json']));
});

describe('flows have more members than other bodies', () => {
  const flow = (members: number) => JSON.stringify({ name: `f${members}`, data: document(members) });

  test('a key with the scope manage can create them, and a body with another key is refused unparsed', async () => {
    expect((await post('/api/v1/flows/', flow(60_000))).status).toBe(201);
    expect(refusal(await post('/api/v1/flows/', flow(110_000)))).toEqual([413, 'body_too_large']);
    expect(refusal(await post('/api/v1/flows/', flow(60_000), { 'x-api-key': 'sk-unknown' }))).toEqual([
      403,
      'key_invalid',
    ]);
  });

  test('the limit applies to a whole upload, and to each file of an archive', async () => {
    const list = `[${flow(60_000)},${flow(60_000)}]`;
    expect(refusal(await post('/api/v1/flows/upload/', list))).toEqual([413, 'body_too_large']);
    const upload = (...files: string[]) =>
      post(
        '/api/v1/flows/upload/',
        writeZip(files.map((text, index) => ({ name: `${index}.json`, content: Buffer.from(text) }))),
      );
    expect((await upload(flow(60_000), flow(60_000))).status).toBe(201);
    expect(refusal(await upload(flow(1), flow(110_000)))).toEqual([413, 'body_too_large']);
  });
});

describe('bodies of 9 MB', () => {
  const body = Buffer.from(JSON.stringify({ input_value: 'x'.repeat(9 * MEBIBYTE) }));

  test('S11: of twenty concurrent ones those beyond the budget are refused, and small ones are served', async () => {
    const large = Promise.all(Array.from({ length: 20 }, () => post(RUN, body)));
    const small = await Promise.all(
      Array.from({ length: 20 }, () => post(RUN, '{"input_value":"well"}').then(({ status }) => status)),
    );
    expect(small).toEqual(small.map(() => 200));
    const answers = await large;
    for (const { status, headers } of answers.filter(({ status: one }) => one !== 200))
      expect([status, headers.get('x-error-code'), headers.get('retry-after')]).toEqual([
        503,
        'too_many_bodies',
        '1',
      ]);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect((await post(RUN, body)).status).toBe(200);
  }, 60_000);

  test('bodies of callers without a key leave a part of the budget to others', async () => {
    const path = `${gateway.url}/api/v1/console/session`;
    const open = Array.from({ length: 8 }, () =>
      request(path, { method: 'POST', headers: { ...json, 'content-length': body.length } }),
    );
    try {
      const refused = open.map(async (sending) => {
        const [answer] = (await once(sending, 'response')) as [IncomingMessage];
        return answer.statusCode;
      });
      // None of these bodies ends.
      for (const sending of open) sending.write(body.subarray(1));
      expect(await Promise.any(refused)).toBe(503);
      expect((await post(RUN, body)).status).toBe(200);
    } finally {
      for (const sending of open) sending.on('error', () => undefined).destroy();
    }
  }, 60_000);

  test('a published run uses none of the budget', async () => {
    const parts = await openTestGateway({ environment: { MILLRACE_MAXIMUM_BUFFERED_BODY_BYTES: '10MiB' } });
    try {
      await parts.createFlow({ name: 'large', endpoint_name: 'large', data: document(1) });
      const takenJobs: TakenJob[] = [];
      const arrived = (count: number) => until(() => takenJobs.length === count);
      parts.executor.handleJob = async (takenJob) => void takenJobs.push(takenJob);
      const first = parts.call('POST', RUN, body, json);
      await arrived(1);
      const second = parts.call('POST', RUN, body, json);
      await arrived(2);
      for (const takenJob of takenJobs) await takenJob.final('succeeded', EMPTY_RESULT);
      expect([(await first).status, (await second).status]).toEqual([200, 200]);
    } finally {
      await parts.close();
    }
  }, 60_000);
});
