import { HttpError } from '@millrace/http';
import { openMemoryStore } from '@millrace/key-value';
import { until } from '@millrace/service/testing';
import { RequestLimits } from './index';
import type { LimitedRequest } from './request-limits';

const lines: string[] = [];
const fail = () => Promise.reject(new Error('away'));
const away = { admit: fail, keep: fail, release: fail };

const options = {
  logger: {
    info: (_fields: object, text: string) => lines.push(text),
    warn: (_fields: object, text: string) => lines.push(text),
  } as never,
};

function limited(
  perSecond: number | undefined,
  { processes = 1, isAway = false }: { processes?: number; isAway?: boolean } = {},
) {
  return new RequestLimits({
    ...options,
    keyRequestsPerSecond: perSecond,
    keyValue: isAway ? away : openMemoryStore(),
    processes,
  });
}

const keyed = (keyId: string, further: Partial<LimitedRequest> = {}): LimitedRequest => ({
  principal: { keyId, userId: 'user' },
  flow: null,
  ...further,
});

async function refusal(limits: RequestLimits, request: LimitedRequest): Promise<unknown> {
  return Promise.resolve(limits.count(request)).then(
    () => null,
    (error: unknown) => error,
  );
}

test('the error names the limit, and when the next request is accepted', async () => {
  const limits = limited(1);
  expect(await refusal(limits, keyed('one'))).toBeNull();
  const error = await refusal(limits, keyed('one'));
  expect(error).toBeInstanceOf(HttpError);
  expect(error).toMatchObject({
    code: 'rate_limited',
    status: 429,
    message: 'Too many requests: the limit of this API key is 1 per second.',
    headers: { 'retry-after': '1', 'ratelimit-policy': '"key";q=1;w=1', ratelimit: '"key";r=0;t=1' },
  });
  expect(await refusal(limits, keyed('another'))).toBeNull();
});

test('a rate that is used up refuses without asking the store, until it grants again or is changed', async () => {
  const store = openMemoryStore();
  let asked = 0;
  const keyValue = {
    ...away,
    admit: (admission: Parameters<typeof store.admit>[0]) => {
      asked += 1;
      return store.admit(admission);
    },
  };
  const limits = new RequestLimits({ ...options, keyRequestsPerSecond: undefined, keyValue, processes: 1 });
  const request = (requestsPerSecond: number) =>
    keyed('one', { principal: { keyId: 'one', userId: 'user', limits: { key: { requestsPerSecond } } } });
  expect(await refusal(limits, request(0.01))).toBeNull();
  const refusals = [];
  for (let count = 0; count < 50; count += 1) refusals.push(await refusal(limits, request(0.01)));
  expect(refusals.every((error) => error instanceof HttpError && error.code === 'rate_limited')).toBe(true);
  expect(refusals.at(-1)).toMatchObject({ headers: { 'retry-after': '100' } });
  expect(asked).toBe(2);
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
  await refusal(limits, request(0.01));
  clock.mockRestore();
  expect(asked).toBe(3);
  await refusal(limits, request(1_000));
  expect(asked).toBe(4);
  const other = keyed('two', {
    principal: { keyId: 'two', userId: 'user', limits: { key: { requestsPerSecond: 20 } } },
  });
  while ((await refusal(limits, other)) === null);
  await until(async () => (await refusal(limits, other)) === null, 'the rate grants nothing again');
});

test('each end user has limits of their own, in every run of the user', async () => {
  const limits = limited(undefined);
  const ofKey = { endUserRequestsPerSecond: 0.1, endUserConcurrentRuns: 1 };
  const flow = { id: 'flow', projectId: null, userId: 'user' };
  const request = (name: string, of: LimitedRequest['flow'] = flow) =>
    keyed('key', { flow: of, endUser: { name, limits: ofKey } });
  expect(await refusal(limits, request('ann'))).toBeNull();
  expect(await refusal(limits, request('bob'))).toBeNull();
  expect(await refusal(limits, request('ann', null))).toBeNull();
  expect(await refusal(limits, request('ann'))).toMatchObject({
    code: 'rate_limited',
    message: 'Too many requests: the limit of this end user is 0.1 per second.',
    headers: { 'retry-after': '10', 'ratelimit-policy': '"end_user";q=6;w=60' },
  });
});

test('a request counts for every limit that applies to it, and for none when one refuses', async () => {
  const limits = limited(undefined);
  const headers = new Map<string, string>();
  const request = (keyId: string, flow = 'flow') =>
    keyed(keyId, {
      principal: { keyId, userId: 'user', limits: { key: { requestsPerSecond: 8 } } },
      flow: {
        id: flow,
        projectId: 'project',
        userId: 'user',
        limits: { project: { requestsPerSecond: 6 }, flow: { requestsPerSecond: 0.1 } },
      },
      response: { setHeader: (name, value) => headers.set(name, value) },
    });
  expect(await refusal(limits, request('key'))).toBeNull();
  expect(Object.fromEntries(headers)).toEqual({
    'ratelimit-policy': '"key";q=8;w=1, "project";q=6;w=1, "flow";q=6;w=60',
    ratelimit: '"key";r=3;t=1, "project";r=2;t=1, "flow";r=0;t=10',
  });
  for (let again = 0; again < 5; again += 1)
    expect(await refusal(limits, request('key'))).toMatchObject({
      message: 'Too many requests: the limit of this flow is 0.1 per second.',
      headers: { 'retry-after': '10' },
    });
  expect(await refusal(limits, request('key', 'other flow'))).toBeNull();
  expect(headers.get('ratelimit')).toMatch(/^"key";r=2;t=1, "project";r=1;t=1/);
});

test('while the key-value store is away, each process grants its part', async () => {
  const limits = limited(2, { processes: 4, isAway: true });
  expect(await refusal(limits, keyed('key'))).toBeNull();
  expect(await refusal(limits, keyed('key'))).toMatchObject({
    code: 'rate_limited',
    message: expect.stringContaining('is 2 per second'),
    headers: { 'retry-after': '3' },
  });
  expect(lines.splice(0)).toEqual([expect.stringContaining('divided among processes')]);
});

test('runs beyond the limit are refused until one has ended, and those in the background are not', async () => {
  const limits = limited(undefined);
  const ended: (() => void)[] = [];
  const request: LimitedRequest = {
    principal: { keyId: 'key', userId: 'user' },
    flow: { id: 'flow', projectId: null, userId: 'user', limits: { flow: { concurrentRuns: 2 } } },
    onWaiting: (release) => ended.push(release),
  };
  expect([await refusal(limits, request), await refusal(limits, request)]).toEqual([null, null]);
  expect(await refusal(limits, request)).toMatchObject({
    code: 'too_many_callers',
    message: 'Too many concurrent runs: the limit of this flow is 2.',
    headers: { 'retry-after': '1' },
  });
  expect(limits.count({ ...request, onWaiting: undefined })).toBeUndefined();
  ended.pop()?.();
  expect(await refusal(limits, request)).toBeNull();
});

test('bytes beyond a limit of the day are refused with its end, and the rest is in the headers', async () => {
  const limits = limited(undefined);
  const headers = new Map<string, string>();
  const flow = { id: 'flow', projectId: 'project', userId: 'user' };
  const ofFlow = { flow: { bodyBytesPerDay: 1_000 }, project: { fileBytesPerDay: 50 } };
  const request = (body: number): LimitedRequest => ({
    principal: { keyId: 'key', userId: 'user', limits: { key: { requestsPerSecond: 100 } } },
    flow: { ...flow, limits: ofFlow },
    bytes: { body },
    response: { setHeader: (name, value) => headers.set(name, value) },
  });
  expect(await refusal(limits, request(700))).toBeNull();
  expect(headers.get('ratelimit-policy')).toBe(
    '"key";q=100;w=1, "flow_body";q=1000;w=86400;qu="content-bytes"',
  );
  expect(headers.get('ratelimit')).toMatch(/^"key";r=\d+;t=\d+, "flow_body";r=300;t=\d{1,5}$/);
  const error = await refusal(limits, request(301));
  expect(error).toMatchObject({
    code: 'rate_limited',
    message: expect.stringMatching(
      /^Too many bytes in bodies: the limit of this flow is 1000 per day, until \d{4}-\d\d-\d\dT00:00:00Z\.$/,
    ),
    headers: { ratelimit: expect.stringMatching(/^"flow_body";r=0;t=\d{1,5}$/) },
  });
  const wait = Number((error as HttpError).headers['retry-after']);
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(86_400);
  expect(await refusal(limits, request(300))).toBeNull();
  expect(limits.countBytes({ principal: null, flow, bytes: { body: 1 } })).toBeUndefined();
});

test.each([false, true])(
  'bytes of files count while they arrive, and not those of a file that is not stored; without the key-value store: %s',
  async (isAway) => {
    const limits = limited(undefined, { isAway });
    const flow = { id: 'flow', projectId: 'project', userId: 'user' };
    const day = isAway ? 100 : 50;
    const of = { principal: null, flow: { ...flow, limits: { project: { fileBytesPerDay: day } } } };
    const refused = `Too many bytes in files: the limit of this project is ${day} per day`;
    const [stored, failed, other] = [limits.countFile(of), limits.countFile(of), limits.countFile(of)];
    await stored.add(10);
    await failed.add(30);
    await failed.add(10);
    await expect(other.add(1)).rejects.toThrow(refused);
    failed.giveBack();
    failed.giveBack();
    other.giveBack();
    await other.add(40);
    await expect(stored.add(1)).rejects.toThrow(refused);
    expect(limits.countFile({ principal: null, flow }).add(1)).toBeUndefined();
  },
);

test('while the key-value store is away, each process grants half of its part of the bytes', async () => {
  const limits = limited(undefined, { processes: 2, isAway: true });
  const flow = { id: 'flow', projectId: null, userId: 'user', limits: { flow: { bodyBytesPerDay: 400 } } };
  const send = (body: number) => refusal(limits, { principal: null, flow, bytes: { body } });
  expect(await send(100)).toBeNull();
  expect(await send(1)).toMatchObject({ code: 'rate_limited' });
});

test('without a limit, every request is accepted without a promise', () => {
  const limits = limited(undefined);
  for (let request = 0; request < 1_000; request += 1) expect(limits.count(keyed('key'))).toBeUndefined();
});

test('the key of a member has one limit in all projects, counted apart from those of their owners', async () => {
  const exchanges: string[] = [];
  const store = openMemoryStore();
  const keyValue = {
    ...away,
    admit: (admission: Parameters<typeof store.admit>[0]) => {
      const counted = [...admission.rates, ...(admission.amounts ?? [])];
      exchanges.push([...new Set(counted.map(({ key }) => /\{\w+\}/.exec(key)?.[0]))].join(' '));
      return store.admit(admission);
    },
  };
  const limits = new RequestLimits({ ...options, keyRequestsPerSecond: undefined, keyValue, processes: 1 });
  const headers = new Map<string, string>();
  const member = { userId: 'guest', name: 'guest', role: 'operator', payloads: true } as const;
  const request = (owner: string, bodyBytes: number, bodyBytesPerDay = 20) => ({
    ...keyed('key'),
    principal: {
      keyId: 'key',
      userId: owner,
      member,
      limits: {
        key: { requestsPerSecond: 40, bodyBytesPerDay: 10, fileBytesPerDay: 10 },
        user: { requestsPerSecond: 40, fileBytesPerDay: 20, bodyBytesPerDay },
      },
    },
    bytes: { body: bodyBytes },
    response: { setHeader: (name: string, value: string) => headers.set(name, value) },
  });
  // What the owner's limit refuses is given back to the key.
  expect(await refusal(limits, request('none', 6, 5))).toMatchObject({
    message: expect.stringContaining('the limit of this user is 5'),
  });
  await until(() => exchanges.length === 3);
  exchanges.length = 0;
  expect(await refusal(limits, request('one', 6))).toBeNull();
  expect(exchanges).toEqual(['{guest}', '{one}']);
  expect(headers.get('ratelimit')).toMatch(
    /^"key";r=\d+;t=1, "key_body";r=4;t=\d+, "user";r=\d+;t=1, "user_body";r=14;t=\d+$/,
  );
  expect(await refusal(limits, request('two', 6))).toMatchObject({
    code: 'rate_limited',
    message: expect.stringContaining('the limit of this API key is 10'),
  });
  const file = limits.countFile(request('one', 0));
  await file.add(8);
  await expect(limits.countFile(request('two', 0)).add(8)).rejects.toMatchObject({ code: 'rate_limited' });
  exchanges.length = 0;
  file.giveBack();
  await until(() => exchanges.length === 2);
  expect(exchanges).toEqual(['{guest}', '{one}']);
  await limits.countFile(request('two', 0)).add(8);
});
