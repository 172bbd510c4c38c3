import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DataDirectoryInUseError, openDatabase } from '@millrace/database';
import type { Database } from '@millrace/database';
import { readPythonEnvironment, workerFolder } from '@millrace/python';
import { Encryption } from '@millrace/runs';
import { createLogger, postgresPlace, serverTls } from '@millrace/service';
import type { Environment } from '@millrace/service';
import { readFileSync } from 'node:fs';
import type { MillraceClient } from '../client/millrace-client';
import { checkBroker } from './check-broker';
import { checkDatabase, databaseUnavailable } from './check-database';
import { checkKeyValue } from './check-key-value';
import { checkDataFolder, checkNode, checkSettings } from './check-machine';
import type { DoctorSettings } from './check-machine';
import { checkObjectStore } from './check-object-store';
import { checkServer } from './check-server';
import { Findings } from './finding';
import type { CheckResult } from './finding';

export interface ExamineOptions {
  /** Without the variables of the command itself. */
  readonly environment: Environment;
  /** The server of the profile; undefined when none is chosen. */
  readonly api: MillraceClient | undefined;
  readonly nodeVersion: string;
  readonly machineClock: () => number;
  /** Called before each group of checks. */
  readonly onBegin: (name: string) => void;
}

/** Examines an installation by its settings. Changes nothing. */
export async function examine(options: ExamineOptions): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  const group = async <T>(name: string, check: (findings: Findings) => Promise<T> | T): Promise<T> => {
    options.onBegin(name);
    const findings = new Findings();
    const result = await check(findings);
    results.push({ name, facts: findings.facts, findings: findings.findings });
    return result;
  };
  await group('program', (findings) => checkNode(options.nodeVersion, findings));
  const settings = await group('settings', (findings) => checkSettings(options.environment, findings));
  if (settings !== undefined) {
    await group('data folder', (findings) => checkDataFolder(settings, findings));
    await group('database', (findings) => examineDatabase(settings, options, findings));
    await group('broker', (findings) =>
      checkBroker({
        urls: settings.AMQP_URL?.split(',') ?? [],
        tls: serverTls(settings).broker,
        prefix: settings.MILLRACE_PREFIX,
        pools: ['default', ...settings.MILLRACE_POOLS.filter((pool) => pool !== 'default')],
        findings,
      }),
    );
    await group('key-value store', (findings) =>
      checkKeyValue({ url: settings.REDIS_URL, tls: serverTls(settings).keyValue, findings }),
    );
    await group('object store', (findings) => checkObjectStore(settings.MILLRACE_OBJECT_STORE_URL, findings));
    await group('python', (findings) => examinePython(settings, findings));
  }
  const { api } = options;
  if (api !== undefined) await group('server', (findings) => checkServer(api, findings));
  return results;
}

async function examineDatabase(
  settings: DoctorSettings,
  { machineClock }: ExamineOptions,
  findings: Findings,
): Promise<void> {
  const folder = resolve(settings.MILLRACE_DATA_DIRECTORY);
  const directory = join(folder, 'database');
  const url = settings.DATABASE_URL;
  if (url === undefined && !existsSync(join(directory, 'PG_VERSION')))
    return findings.fact('the embedded database does not exist yet');
  const where = url === undefined ? directory : postgresPlace(url);
  let database: Database | undefined;
  try {
    database = await openDatabase({
      url,
      tls: serverTls(settings).database,
      ...(url === undefined ? { dataDirectory: directory } : {}),
      name: 'millrace-doctor',
      logger: createLogger({ name: 'doctor', level: 'silent' }),
      maximumConnections: 1,
    });
    const encryption = encryptionOf(settings, folder);
    const hasObjectStore = settings.MILLRACE_OBJECT_STORE_URL !== undefined;
    const isEmbedded = url === undefined;
    await checkDatabase({ database, encryption, hasObjectStore, isEmbedded, machineClock, findings });
  } catch (error) {
    if (error instanceof DataDirectoryInUseError)
      return findings.fact('a running process has the embedded database; its tables were not examined');
    databaseUnavailable(error, where, findings);
  } finally {
    await database?.close().catch(() => undefined);
  }
}

function encryptionOf(settings: DoctorSettings, folder: string): Encryption | undefined {
  const file = join(folder, 'encryption-key');
  try {
    if (settings.MILLRACE_ENCRYPTION_KEY !== undefined)
      return Encryption.from(settings.MILLRACE_ENCRYPTION_KEY);
    return settings.DATABASE_URL === undefined && existsSync(file)
      ? Encryption.from(readFileSync(file, 'utf8').trim().split(','))
      : undefined;
  } catch {
    // Reported with the data folder.
    return undefined;
  }
}

async function examinePython(settings: DoctorSettings, findings: Findings): Promise<void> {
  if (settings.MILLRACE_PYTHON === 'off') return findings.fact('off');
  const folder = settings.MILLRACE_PYTHON_ENVIRONMENT ?? join('.millrace', 'python');
  const environment = await readPythonEnvironment(folder, { workerFolder: workerFolder() });
  if ('reason' in environment)
    findings.error(
      'python_unusable',
      environment.reason,
      'npm run python-environment, or set MILLRACE_PYTHON=off.',
    );
  else findings.fact(`Python ${environment.python}, lfx ${environment.lfx}`);
}
