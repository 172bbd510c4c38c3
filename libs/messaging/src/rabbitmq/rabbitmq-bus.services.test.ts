import { RabbitMqBus } from './rabbitmq-bus';
import { describeMessageBus } from '../message-bus.contract';
import { recordingLogger } from '../recording-logger.fixture';
import { brokerUrl, removeFromBroker } from './broker.fixture';

describeMessageBus('RabbitMQ', async () => ({
  bus: await RabbitMqBus.connect({
    url: brokerUrl(),
    logger: recordingLogger(),
    connectionName: 'messaging test',
  }),
  remove: removeFromBroker,
}));
