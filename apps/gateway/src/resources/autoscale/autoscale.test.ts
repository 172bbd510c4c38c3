import { workerKey } from '@millrace/dispatch';
import { gatewayForTests } from '../../testing/test-gateway';
import { poolLoads } from './pool-loads';

const gateway = gatewayForTests();

test('answers the desired executors of each pool with the arithmetic', async () => {
  const worker = { worker: 'one', pool: 'default', concurrency: 64, inHand: 70 };
  await gateway.keyValue.set(workerKey('one'), JSON.stringify(worker));
  const answer = await gateway.call('GET', '/api/v1/autoscale');
  expect(answer.status).toBe(200);
  expect(answer.json).toMatchObject({ target_runs: 64, minimum_executors: 1, maximum_executors: 10 });
  const { pools } = answer.json as { pools: { pool: string }[] };
  expect(pools.find(({ pool }) => pool === 'default')).toMatchObject({
    desired_executors: 2,
    arithmetic: 'ceil((0 + 70) / 64) = 2',
    waiting_runs: 0,
    busy_runs: 70,
    slots: 64,
  });
});

test('answers only the pool that is asked for', async () => {
  const { json: body } = await gateway.call('GET', '/api/v1/autoscale?pool=default');
  expect((body as { pools: object[] }).pools).toHaveLength(1);
  expect((await gateway.call('GET', '/api/v1/autoscale?pool=none')).json).toMatchObject({ pools: [] });
});

test('refuses keys without the scope admin', async () => {
  const { key } = await gateway.apiKeys.create(gateway.user.id, {
    name: 'manages',
    expiresAt: null,
    scopes: ['run', 'manage'],
  });
  expect((await gateway.call('GET', '/api/v1/autoscale', undefined, { 'x-api-key': key })).status).toBe(403);
});

test('a pool has the runs of its rows and queues, and the executors that announce themselves', () => {
  const backlog = { pool: 'a', waiting: 99_750, published: 250, running: 3, oldestSeconds: 5 };
  const lanes = (['interactive', 'background', 'standby'] as const).map((lane) => ({
    pool: 'a',
    lane,
    messages: lane === 'background' ? 250 : 2,
    executors: 2,
  }));
  const workers = [{ pool: 'b', concurrency: 8, inHand: 1 }];
  expect(poolLoads({ pools: [backlog], lanes }, workers)).toMatchObject([
    { backlog, interactiveMessages: 4, waiting: 100_004, busy: 3, executors: 2, slots: 0 },
    { backlog: { pool: 'b', waiting: 0 }, waiting: 0, busy: 1, executors: 1, slots: 8 },
  ]);
});
