import type { Delivery, MessageBus } from '@millrace/messaging';

/** Wraps a bus, and adds each delivery to `deliveries`. */
export function observedBus(bus: MessageBus, deliveries: Delivery[]): MessageBus {
  const consume: MessageBus['consume'] = (queue, options, handler) =>
    bus.consume(queue, options, (delivery) => {
      deliveries.push(delivery);
      return handler(delivery);
    });
  return new Proxy(bus, {
    get(_target, name) {
      if (name === 'consume') return consume;
      const member: unknown = Reflect.get(bus, name, bus);
      return typeof member === 'function' ? (member.bind(bus) as unknown) : member;
    },
  });
}
