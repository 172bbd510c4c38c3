import { until } from '@millrace/service/testing';
import { RefusedError, UnroutableError } from '../message-bus-errors';
import { messageTo, texts, type BusFixture } from './bus-fixture.contract';

/** Contract for the outcomes of a publish. */
export function describeOutcomes(given: BusFixture): void {
  test('refuses a body of more than sixteen mebibytes and stays usable', async () => {
    const queue = await given.declareQueue();
    const tooLarge = Buffer.alloc(16 * 1024 * 1024 + 1);
    await expect(given.bus.publish({ ...messageTo(queue), body: tooLarge })).rejects.toThrow(RefusedError);
    await given.bus.publish(messageTo(queue));
    expect(await given.readyMessages(queue)).toBe(1);
  });

  test('rejects when no queue takes a mandatory message', async () => {
    const exchange = `${given.prefix}exchange`;
    await given.provision({ exchanges: [{ name: exchange, kind: 'direct' }] });
    await expect(given.bus.publish(messageTo(`${given.prefix}nowhere`))).rejects.toThrow(UnroutableError);
    const unbound = { ...messageTo('unbound'), exchange };
    await expect(given.bus.publish(unbound)).rejects.toThrow(UnroutableError);
    await expect(given.bus.publish({ ...unbound, mandatory: false })).resolves.toBeUndefined();
  });

  test('sends a message to its alternative when no queue takes the first routing key', async () => {
    const queue = await given.declareQueue();
    const missing = messageTo(`${given.prefix}nowhere`, 'redirected', { alternativeRoutingKey: queue });
    await given.bus.publish(missing);
    const { deliveries } = await given.collect(queue);
    await until(() => deliveries.length === 1, 'the message');
    expect(texts(deliveries)).toEqual(['redirected']);
    const nowhere = { ...missing, alternativeRoutingKey: `${given.prefix}nowhere-else` };
    await expect(given.bus.publish(nowhere)).rejects.toThrow(UnroutableError);
  });

  test('rejects exactly those messages that no queue takes', async () => {
    const queue = await given.declareQueue();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) =>
        given.bus.publish(
          messageTo(index % 3 === 0 ? `${given.prefix}nowhere` : queue, 'x', { messageId: 'the same' }),
        ),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(
      outcomes.map((_, index) => (index % 3 === 0 ? 'rejected' : 'fulfilled')),
    );
  });

  test('rejects when the exchange does not exist, and continues to publish', async () => {
    const queue = await given.declareQueue();
    const lost = { ...messageTo(queue), exchange: `${given.prefix}no-exchange`, mandatory: false };
    await expect(given.bus.publish(lost)).rejects.toThrow(UnroutableError);
    await until(
      () =>
        given.bus.publish(messageTo(queue)).then(
          () => true,
          () => false,
        ),
      'a publish that works',
    );
    expect(await given.readyMessages(queue)).toBe(1);
  });

  test('refuses messages to a full queue, and accepts them again when there is room', async () => {
    const queue = await given.declareQueue({ maximumLength: 3, overflow: 'reject-publish' });
    for (const text of ['one', 'two', 'three']) await given.bus.publish(messageTo(queue, text));
    await expect(given.bus.publish(messageTo(queue, 'four'))).rejects.toThrow(RefusedError);
    const { deliveries } = await given.collect(queue);
    await until(() => deliveries.length === 3, 'three deliveries');
    await given.bus.publish(messageTo(queue, 'five'));
    await until(() => deliveries.length === 4, 'the fifth');
    expect(texts(deliveries)).toEqual(['one', 'two', 'three', 'five']);
  });
}
