import type { Delivery, MessageBus } from '@millrace/messaging';

/** Wraps a bus, and adds each delivery to `deliveries`, and to `handled` when its handler has a verdict. */
export function observedBus(
  bus: MessageBus,
  deliveries: Delivery[],
  handled = new Set<Delivery>(),
): MessageBus {
  const consume: MessageBus['consume'] = (queue, options, handler) =>
    bus.consume(queue, options, async (delivery) => {
      deliveries.push(delivery);
      try {
        return await handler(delivery);
      } finally {
        handled.add(delivery);
      }
    });
  return new Proxy(bus, {
    get(_target, name) {
      if (name === 'consume') return consume;
      const member: unknown = Reflect.get(bus, name, bus);
      return typeof member === 'function' ? (member.bind(bus) as unknown) : member;
    },
  });
}
