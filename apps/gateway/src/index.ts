export { createGateway } from './gateway';
export type { Gateway } from './gateway';
export type { GatewayDependencies, GatewayOptions } from './gateway-dependencies';
export { needsPython } from './resources/flows/inspect-flow';
export { ensureFirstUser } from './authentication/ensure-first-user';
export type { FirstUserOptions } from './authentication/ensure-first-user';
export { openGateway } from './open-gateway';
export type { OpenGateway, OpenGatewayOptions } from './open-gateway';
export type { Webhooks } from './resources/webhooks/webhook-proxy';
