export { FlowCache } from './flow-cache';
export type { FlowCacheOptions } from './flow-cache';
export { KeyRateLimit } from './key-rate-limit';
export type { KeyRateLimitOptions } from './key-rate-limit';
export { KeyUsage } from './key-usage';
export type { KeyUsageOptions } from './key-usage';
export { PrincipalCache } from './principal-cache';
export type { PrincipalCacheOptions } from './principal-cache';
