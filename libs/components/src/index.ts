export { componentRegistry } from './component-registry';
export { fillWebhookFields } from './input-output/shared/fill-webhook-fields';
export type { WebhookAddress } from './input-output/shared/fill-webhook-fields';
