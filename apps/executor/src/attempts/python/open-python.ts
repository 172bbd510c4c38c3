import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ComponentRegistry } from '@millrace/flow';
import { PythonPool, poolSettings, readPythonEnvironment, workerFolder } from '@millrace/python';
import type { InstalledEnvironment } from '@millrace/python';
import { ApprovedCode } from '@millrace/runs';
import type { AuthorCodeStore } from '@millrace/runs';
import { machineTime, SettingsError, StartError } from '@millrace/service';
import type { Health, Logger, Metrics, OutgoingDial } from '@millrace/service';
import type { ExecutorSettings } from '../../settings';
import type { ExecutorPython } from './executor-python';

/** Imports of lfx on a busy machine, and the first process. */
const START_MILLISECONDS = 120_000;
const POLL_MILLISECONDS = 50;
const HEALTH_MILLISECONDS = 1_000;

/**
 * Resolves to the Python environment that the settings name; null while Python is off. Throws a SettingsError when
 * components cannot run in it.
 */
export async function installedPython(
  settings: Pick<ExecutorSettings, 'MILLRACE_PYTHON' | 'MILLRACE_PYTHON_ENVIRONMENT'>,
): Promise<InstalledEnvironment | null> {
  if (settings.MILLRACE_PYTHON === 'off') return null;
  const found = await readPythonEnvironment(resolve(settings.MILLRACE_PYTHON_ENVIRONMENT), {
    workerFolder: workerFolder(),
  });
  if (!('reason' in found)) return found;
  throw new SettingsError([
    `MILLRACE_PYTHON is "${settings.MILLRACE_PYTHON}", but Python cannot run. ${found.reason}`,
  ]);
}

/** Returns the same components with the Python of this executor. */
export function withPython(
  registry: ComponentRegistry,
  { MILLRACE_PYTHON: mode }: Pick<ExecutorSettings, 'MILLRACE_PYTHON'>,
  environment: InstalledEnvironment | null,
): ComponentRegistry {
  return { ...registry, python: { mode, environment } };
}

export interface OpenPythonOptions {
  readonly settings: ExecutorSettings;
  readonly environment: InstalledEnvironment;
  readonly authorCode: AuthorCodeStore;
  /** By the mode of the settings unless given. */
  readonly approvedCode?: ApprovedCode;
  /** Processes of one attempt start when it needs them. */
  readonly isForOneAttempt?: boolean;
  readonly dial: OutgoingDial;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Starts Python, and resolves when its first process has started. Throws a StartError when none starts, and when it is
 * not sealed as the settings demand.
 */
export async function openPython(options: OpenPythonOptions): Promise<ExecutorPython> {
  const { settings, environment, authorCode, isForOneAttempt = false } = options;
  const { dial, logger, metrics } = options;
  const shared = poolSettings(settings, { python: environment.interpreter, workerFolder: workerFolder() });
  const pool = await PythonPool.open({
    settings: isForOneAttempt ? { ...shared, readyProcesses: 0, maximumProcesses: 1 } : shared,
    egress: { dial },
    logger,
    metrics,
  });
  try {
    await started(pool);
  } catch (error) {
    await pool.close();
    throw error;
  }
  const approvedCode =
    options.approvedCode ?? new ApprovedCode({ store: authorCode, mode: settings.MILLRACE_PYTHON });
  return {
    pool,
    openPool: () => Promise.resolve(pool),
    announced() {
      const { seal } = pool.state;
      const { python, lfx, packageSet, components, modules } = environment;
      return seal && { python, lfx, packageSet, components, modules, seal: seal.level };
    },
    approvedCode,
    authorCode,
  };
}

/**
 * Starts the Python of an executor, and adds the versions of Python and each layer of the seal to the readiness of its service.
 * Resolves to undefined without an environment.
 */
export async function openExecutorPython({
  environment,
  health,
  ...options
}: Omit<OpenPythonOptions, 'environment'> & {
  readonly environment: InstalledEnvironment | null;
  readonly health: Health;
}): Promise<ExecutorPython | undefined> {
  if (environment === null) return undefined;
  const python = await openPython({ ...options, environment });
  const check = (): Promise<object> => {
    const { ready, failure, ...details } = python.pool.state;
    if (ready) return Promise.resolve({ ...details, processes: python.pool.counts });
    return Promise.reject(new Error(failure ?? 'Python is starting'));
  };
  health.add('python', check, { timeoutMilliseconds: HEALTH_MILLISECONDS, isNeeded: false });
  return python;
}

async function started(pool: PythonPool): Promise<void> {
  const end = machineTime() + START_MILLISECONDS;
  for (;;) {
    const { ready, failure } = pool.state;
    if (ready) return;
    if (failure !== null) throw new StartError(failure);
    if (machineTime() >= end)
      throw new StartError(`Python did not start within ${START_MILLISECONDS / 1000} s.`);
    await sleep(POLL_MILLISECONDS);
  }
}
