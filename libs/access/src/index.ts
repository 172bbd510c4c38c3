export { CallerAddresses } from './caller-address';
export { FlowCache } from './flow-cache';
export { KeyRateLimit } from './key-rate-limit';
export { KeyUsage } from './key-usage';
export { PrincipalCache } from './principal-cache';
export { RefusedSignIns } from './refused-sign-ins';
