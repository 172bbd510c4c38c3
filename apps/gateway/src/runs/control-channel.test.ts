import { brokerNames } from '@millrace/messages';
import { BusUnavailableError } from '@millrace/messaging';
import { recordingLogger } from '@millrace/service/testing';
import { StockCodeHeader } from '../run-answers/answer-headers';
import { ControlChannel } from './control-channel';

test('a control message that cannot be sent is logged with its kind', async () => {
  const logger = recordingLogger();
  const error = new BusUnavailableError('away');
  const bus = { publish: () => Promise.reject(error) } as never;
  const channel = new ControlChannel({ bus, names: brokerNames(), instance: 'one', logger });
  await channel.send({ kind: 'limits-changed', scope: 'user' });
  expect(logger.fieldsOf('a control message could not be sent')).toEqual([{ error, kind: 'limits-changed' }]);
});

test('a header that is omitted because the flow version could not be read is logged', async () => {
  const logger = recordingLogger();
  const error = new Error('away');
  const traits = { peek: () => undefined, of: () => Promise.reject(error) } as never;
  await new StockCodeHeader({ traits, logger }).set({} as never, { id: 'flow', version: 2 });
  const omitted = 'x-millrace-stock-code omitted: the flow version could not be read';
  expect(logger.fieldsOf(omitted)).toEqual([{ error, flowId: 'flow', version: 2 }]);
});
