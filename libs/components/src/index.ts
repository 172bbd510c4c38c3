export { componentRegistry } from './component-registry';
export { fillWebhookFields } from './input-output/fill-webhook-fields';
export type { WebhookAddress } from './input-output/fill-webhook-fields';
