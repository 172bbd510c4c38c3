import { brokerNames } from '@millrace/messages';
import { recordingLogger, until } from '@millrace/service/testing';
import { BacklogMeter } from './backlog-meter';
import { LostAttempts } from './lost-attempts';
import { RunPublisher } from './run-publisher';

const error = new Error('away');
const away = () => Promise.reject(error);

test('a run that could not be published, or not be marked as queued, is logged', async () => {
  const logger = recordingLogger();
  let failures = 0;
  const publisher = (publish: () => Promise<void>) =>
    new RunPublisher({
      bus: { state: 'connected', publish },
      names: brokerNames(),
      runs: { markQueued: away },
      logger,
      onFailure: () => (failures += 1),
    } as never);
  const run = { id: 'run', pool: 'default', lane: 'background', attempt: 0, traceparent: null } as never;
  const of = { runId: 'run', pool: 'default', error };
  expect(await publisher(away).publish(run)).toBe(false);
  expect(logger.fieldsOf('publishing a run failed; the sweeper will retry')).toEqual([of]);
  expect(failures).toBe(1);
  expect(await publisher(() => Promise.resolve()).publish(run)).toBe(true);
  const unmarked = 'a published run could not be marked as queued; it can be published twice';
  expect(logger.fieldsOf(unmarked)).toEqual([of]);
});

test('a backlog that cannot be counted, and spans that are not kept, are logged', async () => {
  const logger = recordingLogger();
  const meter = new BacklogMeter({ runs: { backlogCount: away }, logger, intervalMilliseconds: 1 } as never);
  meter.start();
  const uncounted = 'the backlog could not be counted; it will be retried';
  await until(() => logger.fieldsOf(uncounted).length > 0);
  await meter.close();
  expect(logger.fieldsOf(uncounted)[0]).toEqual({ error });
  const lost = new LostAttempts({ keyValue: { delete: away }, logger } as never);
  const attempt = { runId: 'run', attempt: 2 } as never;
  for (const spans of [[], []]) await lost.storeOf('executor').keep(attempt, spans);
  const unkept = 'started spans are not kept: the trace of a run whose executor is killed can lack spans';
  expect(logger.fieldsOf(unkept)).toEqual([{ error, runId: 'run', attempt: 2 }]);
});
