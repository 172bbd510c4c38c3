import { RunMoment } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import { RunMessageLog } from './run-messages';

test('a message that is stored again takes the place of the first, for those who see both', async () => {
  const log = new RunMessageLog({ recent: () => Promise.resolve([]) }, 'user-1', 'flow-1');
  const run = new RunMoment();
  const [agent, between, output] = [run.next(), run.next(), run.next()];
  const message = new Message({ id: 'm-1', flowId: 'flow-1', sessionId: 's', text: 'agent', timestamp: '' });
  await log.store(message, agent);
  await log.store(message.with({ text: 'output' }), output);
  const read = async (at: RunMoment) => {
    const found = await log.read({ sessionId: 's', limit: 10, order: 'ascending' }, at);
    return found.map(({ text }) => text);
  };
  expect([await read(between), await read(run.next())]).toEqual([['agent'], ['output']]);
  expect(log.rows.map(({ text }) => text)).toEqual(['output']);
});
