/** Limits of every public server: slow senders are disconnected, and idle connections outlive those of most balancers. */
export const serverLimits = {
  headersTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
} as const;
