export { EgressProxy } from './seal/egress-proxy';
export type { EgressProxyOptions } from './seal/egress-proxy';
