export { BacklogLimits } from './backlog-limits';
export type { LimitedFlow } from './backlog-limits';
export { CallerAddresses } from './caller-address';
export { FlowCache } from './flow-cache';
export { KeyUsage } from './key-usage';
export { PrincipalCache } from './principal-cache';
export { RequestLimits } from './request-limits';
export { shareRunLimits } from './share-run-limits';
export { RefusedSignIns } from './refused-sign-ins';
