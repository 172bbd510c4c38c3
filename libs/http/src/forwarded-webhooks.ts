/**
 * A header of the webhooks that a gateway forwards. Ingest answers them with 102 when the sender waits for the run, so that
 * the gateway waits too.
 */
export const GATEWAY_HEADER = 'x-millrace-gateway';

/** How many senders of webhooks can wait at one ingest process. */
export const MAXIMUM_WAITING_SENDERS = 1_000;
