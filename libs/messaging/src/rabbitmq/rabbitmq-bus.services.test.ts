import { recordingLogger } from '@millrace/service/testing';
import { RabbitMqBus } from './rabbitmq-bus';
import { describeMessageBus } from '../message-bus.contract';
import { brokerUrl, removeFromBroker } from './broker.fixture';

describeMessageBus('RabbitMQ', async () => ({
  bus: await RabbitMqBus.connect({
    url: brokerUrl(),
    logger: recordingLogger(),
    connectionName: 'messaging test',
  }),
  remove: removeFromBroker,
}));
