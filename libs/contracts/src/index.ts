export type { Job, Lane } from './jobs/job';
export { ATTEMPT_HEADER, SEQUENCE_HEADER, STATUS_HEADER } from './jobs/reply';
export type { ReplyType, RunEnd, RunFailure } from './jobs/reply';
export type { ControlMessage } from './jobs/control';
export { brokerNames } from './jobs/topology';
export type { BrokerNames } from './jobs/topology';
