export { componentRegistry } from './component-registry';
export { readBackWebhookFields } from './input-output/read-back-webhook-fields';
export type { WebhookAddress } from './input-output/read-back-webhook-fields';
