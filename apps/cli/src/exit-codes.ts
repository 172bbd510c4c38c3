/** The exit codes of every command; docs/use/cli.md lists them. */
export const exitCodes = {
  success: 0,
  /** The command ran, and its answer is negative: a run failed, a check found a fault, two sides differ. */
  negative: 1,
  usage: 64,
  /** A file that the command line names cannot be read. */
  input: 66,
  /** A server does not answer, or answers that it cannot serve now. */
  unavailable: 69,
  internal: 70,
  /** The server refused the request or the key. */
  refused: 77,
  /** Settings or a profile are wrong. */
  configuration: 78,
  interrupted: 130,
} as const;

export type ExitReason = keyof typeof exitCodes;
