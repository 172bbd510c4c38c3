/** Where Python is, and how many processes run. */
export interface PoolSettings {
  /** The interpreter of the environment with lfx. */
  readonly python: string;
  /** The folder that contains the package `millrace_worker`. */
  readonly workerFolder: string;
  /** Processes that wait for a run, ready. */
  readonly readyProcesses: number;
  /** All processes, ready, in a run and kept for the next run. */
  readonly maximumProcesses: number;
  /** `never` ends each process with its run. */
  readonly reuse: 'same-flow' | 'never';
  /** The options of `seal.apply` in the worker, but for `scratch` and `keep_fds`; null leaves processes open. */
  readonly seal: Readonly<Record<string, unknown>> | null;
  readonly limits: PoolLimits;
}

export interface PoolLimits {
  /** The maximum wait for a process; then the run fails temporarily. */
  readonly waitMilliseconds: number;
  /** The maximum time from the start of the zygote until it is ready. */
  readonly zygoteStartMilliseconds: number;
  /** The maximum time from a fork until the process has connected. */
  readonly processStartMilliseconds: number;
  /** How long a process is kept for the next run of the same owner and flow version. */
  readonly keepMilliseconds: number;
  /** Runs of one process. */
  readonly maximumRuns: number;
  /** Private memory of a process that is kept. */
  readonly maximumKeptBytes: number;
  readonly maximumFrameBytes: number;
}

export const defaultPoolLimits: PoolLimits = {
  waitMilliseconds: 5_000,
  zygoteStartMilliseconds: 60_000,
  processStartMilliseconds: 10_000,
  keepMilliseconds: 60_000,
  maximumRuns: 500,
  maximumKeptBytes: 300 * 1024 * 1024,
  maximumFrameBytes: 64 * 1024 * 1024,
};

/** Identifies the runs that can use the same process one after the other. */
export interface LeaseKey {
  readonly ownerId: string;
  readonly flowId: string;
  readonly version: number;
}
