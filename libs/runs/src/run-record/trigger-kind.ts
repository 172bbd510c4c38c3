/** What can start runs of a flow besides a request for one. */
export const triggerKinds = ['inbound_webhook', 'schedule', 'rabbitmq'] as const;
export type TriggerKind = (typeof triggerKinds)[number];
