/** The errors of JSON-RPC 2.0, and those that the protocol of agents adds. */
export const rpcCodes = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodUnknown: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  taskUnknown: -32_001,
  taskEnded: -32_002,
  noPushNotifications: -32_003,
  unsupported: -32_004,
  contentRefused: -32_005,
  versionRefused: -32_009,
} as const;

/** An error without the member `data`. */
export const NO_DATA = Symbol('no data');

/** A message that cannot be served; its answer has status 200, as the protocol requires. */
export class RpcError extends Error {
  readonly code: number;
  /** More about it for a person; null without more. */
  readonly data: unknown;

  constructor(code: keyof typeof rpcCodes, message: string, data: unknown = null) {
    super(message);
    this.name = 'RpcError';
    this.code = rpcCodes[code];
    this.data = data;
  }

  /** Returns the member `error` of an answer. */
  toJson(): Readonly<Record<string, unknown>> {
    const { code, message, data } = this;
    return data === NO_DATA ? { code, message } : { code, message, data };
  }
}

/** Returns the error for a request that is no message of JSON-RPC, in the shape of the SDK of Langflow. */
export function invalidMessage(message: string, reason?: string): RpcError {
  return new RpcError('invalidRequest', message, [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'INVALID_REQUEST',
      domain: 'a2a-protocol.org',
      metadata: reason === undefined ? {} : { parseError: reason },
    },
  ]);
}
