import { recordingLogger, until } from '@millrace/service/testing';
import { UserBacklogs } from './user-backlogs';

test('a backlog that cannot be counted is logged, and the runs seen here count', async () => {
  const logger = recordingLogger();
  const error = new Error('away');
  const backlogs = new UserBacklogs({
    runs: { countBacklog: () => Promise.reject(error) },
    logger,
    maximum: 2,
  });
  for (let run = 0; run < 2; run += 1) backlogs.increment('user');
  await until(() => logger.lines.length > 0);
  expect(logger.fieldsOf('counting the backlog failed')).toEqual([{ error, userId: 'user' }]);
  expect(backlogs.refusal('user')?.text).toContain('the limit is 2');
});
