import { REDELIVERED_HEADER } from '@millrace/messages';
import type { Delivery } from '@millrace/messaging';
import { uuidv7 } from '@millrace/service';
import { testJobs } from '../testing/test-jobs';
import { isOfAnotherVersion, readJob } from './read-job';

const { job: jobOf } = testJobs({ runs: null as never, userId: uuidv7() });
const flow = { id: uuidv7(), version: 1 } as Parameters<typeof jobOf>[0];

function deliveryOf(job: object, changes: Partial<Delivery> = {}): Delivery {
  return {
    body: Buffer.from(JSON.stringify(job)),
    exchange: '',
    routingKey: 'queue',
    messageId: undefined,
    correlationId: undefined,
    replyTo: undefined,
    type: undefined,
    headers: {},
    redelivered: false,
    ...changes,
  };
}

test.each([
  [false, {}, false],
  [true, {}, true],
  [false, { [REDELIVERED_HEADER]: true }, true],
  [false, { [REDELIVERED_HEADER]: 'true' }, false],
])('a job is a repeated one by its delivery or its header: %j, %j', (redelivered, headers, expected) => {
  const read = readJob(deliveryOf(jobOf(flow), { redelivered, headers }), false);
  expect(read?.delivery.redelivered).toBe(expected);
});

test('only a durable run of the quarantine is isolated', () => {
  const isolated = (durable: boolean, isQuarantined: boolean) =>
    readJob(deliveryOf(jobOf(flow, { durable })), isQuarantined)?.isolated;
  expect([isolated(true, true), isolated(false, true), isolated(true, false)]).toEqual([true, false, false]);
});

test('a job of another version is not read, and known as one when its run has a row', () => {
  const later = (durable: boolean) => deliveryOf({ ...jobOf(flow, { durable }), schemaVersion: 1_000 });
  expect(readJob(later(true), false)).toBeNull();
  expect([isOfAnotherVersion(later(true)), isOfAnotherVersion(later(false))]).toEqual([true, false]);
  expect(isOfAnotherVersion(deliveryOf(jobOf(flow, { durable: true })))).toBe(false);
});
