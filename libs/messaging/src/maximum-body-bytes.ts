/** The default limit of RabbitMQ 4; larger bodies belong in a store, with their key in the message. */
export const MAXIMUM_BODY_BYTES = 16 * 1024 * 1024;
