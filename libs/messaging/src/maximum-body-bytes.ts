/** What RabbitMQ 4 takes by default; larger bodies belong in a store, with their key in the message. */
export const MAXIMUM_BODY_BYTES = 16 * 1024 * 1024;
