export type * from './message-bus';
export { BusUnavailableError, RefusedError, UnconfirmedError, UnroutableError } from './message-bus-errors';
