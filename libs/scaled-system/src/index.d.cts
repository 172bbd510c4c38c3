import type { ChildProcess } from 'node:child_process';

export interface ServiceProcess {
  readonly name: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** The fields of the log line that reports that the service is ready. */
  readonly ready: Readonly<Record<string, unknown>>;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Sends SIGKILL. */
  kill(): void;
  /** Sends SIGTERM, and SIGKILL after the deadline. */
  stop(
    deadlineMilliseconds?: number,
  ): Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

export interface ScaledSystemOptions {
  readonly urls: { readonly database: string; readonly broker: string; readonly keyValue: string };
  /** Number of executors by pool. */
  readonly pools?: Readonly<Record<string, number>>;
  readonly concurrency?: number;
  readonly port?: number;
  readonly host?: string;
  readonly key?: string;
  readonly prefix?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Number of processes by app; default 1. */
  readonly workers?: Readonly<Record<string, number>>;
  /** Folder of the bundles by app, for apps that are not in dist/apps. */
  readonly bundles?: Readonly<Record<string, string>>;
  readonly print?: (line: string) => void;
}

export interface StartServiceOptions {
  readonly app: string;
  readonly name?: string;
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Folder of the bundles; default dist/apps. */
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

/** Starts a scaled installation on this machine: gateway, ingest and executors as separate processes. */
export function startScaledSystem(options: ScaledSystemOptions): Promise<ScaledSystem>;

/** Starts a service from its bundle and resolves when it is ready; rejects with its last lines when it exits before. */
export function startServiceProcess(
  options: StartServiceOptions & { readonly print?: (line: string) => void },
): Promise<ServiceProcess>;

export interface PgbouncerOptions {
  /** Path of the PgBouncer program. */
  readonly program: string;
  /** URL of the database behind it. */
  readonly databaseUrl: string;
  readonly mode: 'session' | 'transaction';
  /** Additional settings of its configuration. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

export interface Pgbouncer {
  /** URL of the database through PgBouncer. */
  readonly url: string;
  readonly pid: number;
  /** Starts a killed PgBouncer again on its port. */
  start(): Promise<void>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a PgBouncer in front of a running database, as an unprivileged user; rejects with its log when it fails. */
export function startPgbouncer(options: PgbouncerOptions): Promise<Pgbouncer>;
