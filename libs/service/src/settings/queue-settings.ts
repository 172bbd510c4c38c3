import { defineSettings } from './define-settings';
import { bytes, integer } from './kinds';

/** The limit of sources that the gateway checks and ingest obeys. */
export const prefetchSettings = defineSettings({
  MILLRACE_MAXIMUM_QUEUE_PREFETCH: integer({
    default: 500,
    minimum: 1,
    maximum: 2_000,
    description:
      'Maximum `prefetch` of a trigger of kind `rabbitmq`: how many messages of its queue are stored at a time.',
  }),
});

/** Settings of services that consume from queues of users. */
export const queueSettings = defineSettings({
  ...prefetchSettings,
  MILLRACE_MAXIMUM_QUEUE_MESSAGE_BYTES: bytes({
    default: 1_048_576,
    minimum: 1_024,
    description: 'Maximum size of the body of a message from a queue; a larger message is rejected.',
  }),
  MILLRACE_QUEUE_LEASE_SECONDS: integer({
    default: 10,
    minimum: 2,
    maximum: 300,
    description:
      'How long a queue stays with an ingest process that renews nothing, before another process consumes from it.',
  }),
  MILLRACE_MAXIMUM_QUEUE_SOURCES: integer({
    default: 100,
    minimum: 0,
    maximum: 10_000,
    description: 'Maximum number of queues from which an ingest process consumes at a time; 0 for none.',
  }),
});
