import { fixedLimits } from '@millrace/service';
import type { EgressProxyOptions } from '../seal/egress-proxy';

/** Where Python is, and how many processes run. */
export interface PoolSettings {
  /** The interpreter of the environment with lfx. */
  readonly python: string;
  /** The folder that contains the package `millrace_worker`. */
  readonly workerFolder: string;
  /**
   * The folder in which the pool makes its own, with a scratch folder for each process; null means the system's
   * temporary files. Its path has at most 70 bytes, since socket files are in it.
   */
  readonly folder: string | null;
  /** Processes that wait for a run, ready. The first process starts with the pool in any case. */
  readonly readyProcesses: number;
  /** All processes, ready, in a run and kept for the next run. */
  readonly maximumProcesses: number;
  /** `never` ends each process with its run. */
  readonly reuse: 'same-flow' | 'never';
  readonly seal: SealSettings;
  readonly limits: PoolLimits;
}

/** How processes are confined before they run authors' code. With `off` the limits have no effect. */
export interface SealSettings {
  /** The least that is enough: every layer, some layers, or none. */
  readonly level: 'required' | 'partial' | 'off';
  /** Address space of a process beyond that of the zygote; at least 1 GB, since libraries reserve more than they use. */
  readonly memoryBytes: number;
  /** CPU time of all runs of a process. A process that has used half of it is not kept. */
  readonly cpuSeconds: number;
  /** The largest file that a process can write. */
  readonly filesBytes: number;
  /** Threads of a process. */
  readonly processes: number;
  readonly openFiles: number;
}

/** The way of sealed processes to the network: the rules by which the executor dials for them, and its limits. */
export type EgressOptions = Omit<EgressProxyOptions, 'path' | 'logger' | 'metrics'>;

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
  // Its start takes 4 CPU seconds; on an overloaded machine it gets a fraction of a core.
  zygoteStartMilliseconds: 180_000,
  processStartMilliseconds: 10_000,
  keepMilliseconds: fixedLimits.pythonKeepMilliseconds,
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

/** The settings of a service that concern its pool, by their names. */
export interface PoolSettingValues {
  /** Empty for the system's temporary files. */
  readonly MILLRACE_PYTHON_FOLDER: string;
  readonly MILLRACE_PYTHON_SEAL: SealSettings['level'];
  readonly MILLRACE_PYTHON_PROCESSES: number;
  readonly MILLRACE_PYTHON_READY_PROCESSES: number;
  readonly MILLRACE_PYTHON_REUSE: PoolSettings['reuse'];
  readonly MILLRACE_PYTHON_WAIT_SECONDS: number;
}

/** Returns the settings of a pool. More ready processes than processes count as that many. */
export function poolSettings(
  values: PoolSettingValues,
  { python, workerFolder }: Pick<PoolSettings, 'python' | 'workerFolder'>,
): PoolSettings {
  const maximumProcesses = values.MILLRACE_PYTHON_PROCESSES;
  return {
    python,
    workerFolder,
    folder: values.MILLRACE_PYTHON_FOLDER || null,
    maximumProcesses,
    readyProcesses: Math.min(values.MILLRACE_PYTHON_READY_PROCESSES, maximumProcesses),
    reuse: values.MILLRACE_PYTHON_REUSE,
    seal: {
      level: values.MILLRACE_PYTHON_SEAL,
      memoryBytes: fixedLimits.pythonMemoryBytes,
      cpuSeconds: fixedLimits.pythonCpuSeconds,
      filesBytes: fixedLimits.pythonFileBytes,
      processes: fixedLimits.pythonThreads,
      openFiles: fixedLimits.pythonOpenFiles,
    },
    limits: {
      ...defaultPoolLimits,
      waitMilliseconds: values.MILLRACE_PYTHON_WAIT_SECONDS * 1000,
    },
  };
}
