import { HttpError } from '@millrace/http';
import { openMemoryStore } from '@millrace/key-value';
import { RequestLimits } from './index';
import type { LimitedRequest } from './request-limits';

const lines: string[] = [];
const fail = () => Promise.reject(new Error('away'));
const away = { admit: fail, keep: fail, release: fail };

function limited(perSecond: number | undefined, options: { processes?: number; isAway?: boolean } = {}) {
  const { processes = 1, isAway = false } = options;
  return new RequestLimits({
    keyRequestsPerSecond: perSecond,
    keyValue: isAway ? away : openMemoryStore(),
    processes,
    logger: {
      info: (_fields: object, text: string) => lines.push(text),
      warn: (_fields: object, text: string) => lines.push(text),
    } as never,
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

test('without a limit, every request is accepted without a promise', () => {
  const limits = limited(undefined);
  for (let request = 0; request < 1_000; request += 1) expect(limits.count(keyed('key'))).toBeUndefined();
});
