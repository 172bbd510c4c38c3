import {
  durableRun,
  furtherKilobyte,
  furtherVertex,
  interactiveRun,
  measuredRun,
  memory,
} from './measured-costs';
import type { RunCost } from './measured-costs';

const DAY_SECONDS = 86_400;
const MEBIBYTE = 1_048_576;
const GIGABYTE = 1e9;
const MICROSECONDS = 1e6;
/** How much of a core a process may use on average. */
const CORE_SHARE = 0.7;
/** So that one can be replaced or fail. */
const SPARE = 1;
const CONNECTIONS = { gateway: 10, ingest: 8, executor: 8 } as const;
const BROKER_CONNECTIONS = { gateway: 2, ingest: 2, executor: 5 } as const;
/** Free pages, and indexes that grew: a table that is pruned all the time. */
const TABLE_OVERHEAD = 1.3;
/** Log that PostgreSQL keeps: max_wal_size by default, and as much again for a backup or a replica that is behind. */
const KEPT_LOG_GIGABYTES = 2;

export interface CapacityInput {
  /** On average over a day. */
  readonly runsPerSecond: number;
  /** The busiest minutes, as a multiple of the average. */
  readonly peakFactor: number;
  /** Of all runs: webhooks, triggers and requests that do not wait. */
  readonly durableShare: number;
  /** How long a run waits for models and other services. */
  readonly secondsPerRun: number;
  readonly vertices: number;
  /** Question and answer together. */
  readonly kilobytes: number;
  readonly retentionDays: number;
  /** Messages are kept until they are deleted. */
  readonly messageDays: number;
  /** MILLRACE_CONCURRENCY. */
  readonly slots: number;
}

export interface ServiceCapacity {
  readonly processes: number;
  /** At the peak. */
  readonly cores: number;
  /** Of one process. */
  readonly memoryMebibytes: number;
}

export interface Capacity {
  readonly peakRunsPerSecond: number;
  /** At the peak. */
  readonly runsInProgress: number;
  readonly gateway: ServiceCapacity;
  readonly ingest: ServiceCapacity;
  readonly executor: ServiceCapacity;
  readonly postgresql: {
    readonly cores: number;
    readonly connections: number;
    readonly diskGigabytes: number;
    readonly growthGigabytesPerDay: number;
    readonly logMegabytesPerSecond: number;
  };
  readonly rabbitmq: {
    readonly cores: number;
    readonly connections: number;
    readonly memoryMebibytes: number;
  };
  readonly redis: { readonly cores: number; readonly memoryMebibytes: number };
}

/** Estimates what an installation needs: unit costs that were measured, times the rate. docs/capacity.md explains it. */
export function estimateCapacity(input: CapacityInput): Capacity {
  const { runsPerSecond, peakFactor, durableShare, secondsPerRun, kilobytes, slots } = input;
  const cost = costOf(input);
  const peak = runsPerSecond * peakFactor;
  const cores = (microseconds: number) => rounded((peak * microseconds) / MICROSECONDS, 2);
  const inProgress = Math.ceil(peak * secondsPerRun);
  const service = (microseconds: number, least: number, runs: number): ServiceCapacity => {
    const busy = Math.ceil(cores(microseconds) / CORE_SHARE);
    const processes = Math.max(busy, least, 1) + SPARE;
    const bytes = (runs / processes) * kilobytes * 1_024 * memory.bodyFactor;
    return {
      processes,
      cores: cores(microseconds),
      memoryMebibytes: memory.processMebibytes + Math.ceil(bytes / MEBIBYTE),
    };
  };
  const waiting = Math.ceil(inProgress * (1 - durableShare));
  const gateway = service(cost.gateway, 1, waiting);
  const ingest = service(cost.ingest, 1, Math.ceil(peak * durableShare));
  const executor = service(cost.executor, Math.ceil(inProgress / slots), inProgress);
  const processes = { gateway: gateway.processes, ingest: ingest.processes, executor: executor.processes };
  const brokerConnections = sumOf(processes, BROKER_CONNECTIONS);
  return {
    peakRunsPerSecond: rounded(peak, 2),
    runsInProgress: inProgress,
    ...{ gateway, ingest, executor },
    postgresql: {
      cores: cores(cost.postgresql),
      connections: sumOf(processes, CONNECTIONS),
      ...diskOf(input, cost),
      logMegabytesPerSecond: rounded((peak * cost.logBytes) / 1e6, 2),
    },
    rabbitmq: {
      cores: cores(cost.rabbitmq),
      connections: brokerConnections,
      memoryMebibytes:
        memory.rabbitmqMebibytes +
        Math.ceil(
          (brokerConnections * memory.rabbitmqBytesPerConnection + inProgress * bodyBytes(kilobytes)) /
            MEBIBYTE,
        ),
    },
    redis: {
      cores: cores(cost.redis),
      memoryMebibytes: memory.redisMebibytes + redisMebibytes(input),
    },
  };
}

/** The cost of an average run. */
export function costOf({ durableShare, vertices, kilobytes }: CapacityInput): RunCost {
  const moreVertices = Math.max(vertices - measuredRun.vertices, 0);
  const moreKilobytes = Math.max(kilobytes - measuredRun.kilobytes, 0);
  const of = (part: keyof RunCost) =>
    interactiveRun[part] * (1 - durableShare) +
    durableRun[part] * durableShare +
    furtherVertex[part] * moreVertices +
    furtherKilobyte[part] * moreKilobytes;
  return {
    ...{ gateway: of('gateway'), ingest: of('ingest'), executor: of('executor') },
    ...{ rabbitmq: of('rabbitmq'), redis: of('redis'), postgresql: of('postgresql') },
    ...{ storedBytes: of('storedBytes'), logBytes: of('logBytes') },
  };
}

/** A half of what is stored for a run are its messages, which are kept for longer. */
function diskOf(
  { runsPerSecond, retentionDays, messageDays }: CapacityInput,
  { storedBytes }: RunCost,
): Pick<Capacity['postgresql'], 'diskGigabytes' | 'growthGigabytesPerDay'> {
  const perDay = runsPerSecond * DAY_SECONDS * storedBytes;
  const kept = (perDay / 2) * retentionDays + (perDay / 2) * Math.max(messageDays, retentionDays);
  return {
    growthGigabytesPerDay: rounded(perDay / GIGABYTE, 2),
    diskGigabytes: Math.ceil((kept * TABLE_OVERHEAD) / GIGABYTE + KEPT_LOG_GIGABYTES),
  };
}

/** Sessions of a day. */
function redisMebibytes({ runsPerSecond, kilobytes, durableShare }: CapacityInput): number {
  const more = Math.max(kilobytes - measuredRun.kilobytes, 0) * 1_024;
  const perRun = (memory.redisBytesPerRun + more) * (1 - durableShare);
  return Math.ceil((runsPerSecond * DAY_SECONDS * perRun) / MEBIBYTE);
}

/** A request and its answer in a queue; larger requests go through Redis. */
function bodyBytes(kilobytes: number): number {
  return Math.min(kilobytes, 64) * 1_024 + 2_720;
}

function sumOf(
  processes: Readonly<Record<'gateway' | 'ingest' | 'executor', number>>,
  each: Readonly<Record<'gateway' | 'ingest' | 'executor', number>>,
): number {
  return (
    processes.gateway * each.gateway + processes.ingest * each.ingest + processes.executor * each.executor
  );
}

function rounded(value: number, digits: number): number {
  return Math.ceil(value * 10 ** digits - 1e-9) / 10 ** digits;
}
