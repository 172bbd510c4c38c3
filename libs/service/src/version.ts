/** Of this software; the interface it is compatible with has its own. */
export const version = '0.1.0';
