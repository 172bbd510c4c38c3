/** Version of this software; the compatible interface has a separate version. */
export const version = '0.1.0';
