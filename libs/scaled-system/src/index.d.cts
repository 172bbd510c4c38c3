import type { ChildProcess } from 'node:child_process';

export interface ServiceProcess {
  readonly name: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** The fields of the log line that said the service is ready. */
  readonly ready: Readonly<Record<string, unknown>>;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** SIGKILL. */
  kill(): void;
  /** SIGTERM, and SIGKILL when that takes too long. */
  stop(
    deadlineMilliseconds?: number,
  ): Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

export interface ScaledSystemOptions {
  readonly urls: { readonly database: string; readonly broker: string; readonly keyValue: string };
  /** How many executors of which pool. */
  readonly pools?: Readonly<Record<string, number>>;
  readonly concurrency?: number;
  readonly port?: number;
  readonly host?: string;
  readonly key?: string;
  readonly prefix?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** How many processes each app has, one where nothing is said. */
  readonly workers?: Readonly<Record<string, number>>;
  /** The folder of the bundles, for apps that are not of dist/apps. */
  readonly bundles?: Readonly<Record<string, string>>;
  readonly print?: (line: string) => void;
}

export interface StartServiceOptions {
  readonly app: string;
  readonly name?: string;
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The folder of the bundles: dist/apps unless given. */
  readonly bundles?: string;
}

export interface ScaledSystem {
  readonly url: string;
  readonly key: string;
  readonly gateway: ServiceProcess;
  readonly ingest: ServiceProcess;
  readonly executors: ServiceProcess[];
  readonly ingestPort: number;
  startExecutor(pool?: string, environment?: Readonly<Record<string, string>>): Promise<ServiceProcess>;
  startService(options: StartServiceOptions): Promise<ServiceProcess>;
  stop(): Promise<void>;
}

/** A whole scaled installation on this machine: gateway, ingest and executors as separate processes. */
export function startScaledSystem(options: ScaledSystemOptions): Promise<ScaledSystem>;

/** One service from its bundle, ready; rejects with its last lines when it ends before. */
export function startServiceProcess(
  options: StartServiceOptions & { readonly print?: (line: string) => void },
): Promise<ServiceProcess>;

export interface PgbouncerOptions {
  /** The path of the program. */
  readonly program: string;
  /** The database before which it stands. */
  readonly databaseUrl: string;
  readonly mode: 'session' | 'transaction';
  /** Further lines of its configuration. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

export interface Pgbouncer {
  /** The same database behind it. */
  readonly url: string;
  readonly pid: number;
  /** Brings a killed one back at its port. */
  start(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** A PgBouncer before a database that runs elsewhere, as an unprivileged user; rejects with its log when it fails. */
export function startPgbouncer(options: PgbouncerOptions): Promise<Pgbouncer>;
