/** CPU time of one run in each part, in microseconds, and bytes that PostgreSQL takes for it. */
export interface RunCost {
  readonly gateway: number;
  readonly ingest: number;
  readonly executor: number;
  readonly rabbitmq: number;
  readonly redis: number;
  readonly postgresql: number;
  readonly storedBytes: number;
  readonly logBytes: number;
}

/** Where the figures below come from: the tables of docs/scaling.md, except those of memory. */
export const measuredOn = {
  date: '2026-11-22',
  machine: '2 × AMD EPYC, 24 GiB, PostgreSQL 15.20, RabbitMQ 3.10.8, Redis 7.0.15, all on one machine',
} as const;

/** Chat Input → Chat Output with a message of some bytes; the caller waits. Table `sync-sizing`. */
export const interactiveRun: RunCost = {
  ...{ gateway: 196, ingest: 4.66, executor: 395, rabbitmq: 132, redis: 10.9, postgresql: 104 },
  ...{ storedBytes: 5_544, logBytes: 4_905 },
};

/** A webhook with its run: the sums of the tables `accepted` and `drained`. */
export const durableRun: RunCost = {
  ...{ gateway: 5.4, ingest: 192, executor: 441, rabbitmq: 114, redis: 7, postgresql: 205 },
  ...{ storedBytes: 6_677, logBytes: 7_460 },
};

/** What a further vertex of pure components adds: the difference between 100 and 2 vertices, by 98. Table `vertices`. */
export const furtherVertex: RunCost = {
  ...{ gateway: 0.93, ingest: 0, executor: 3.23, rabbitmq: 0.77, redis: 0.08, postgresql: 0.35 },
  ...{ storedBytes: 0, logBytes: 0 },
};

/**
 * What a further kilobyte of question and answer adds: the difference between messages of 100 kB and 1 kB, by 99. Table
 * `payload`. Bytes are not those of the table, whose texts can be compressed well: a session stores question and answer, and
 * the run stores both again.
 */
export const furtherKilobyte: RunCost = {
  ...{ gateway: 28.7, ingest: 0.8, executor: 57.7, rabbitmq: 8.7, redis: 2.5, postgresql: 37.8 },
  ...{ storedBytes: 2_048, logBytes: 2_048 },
};

/** The vertices and the kilobytes of the measured runs. */
export const measuredRun = { vertices: 2, kilobytes: 1 } as const;

export const memory = {
  /** Of a gateway, ingest or executor process after 300,000 runs: 198, 121 and 206 MiB (scenario B10), rounded up. */
  processMebibytes: 256,
  /** A body in progress needs a multiple of its bytes: 20 bodies of 9 MB took a process 920 MiB (docs/security.md). */
  bodyFactor: 15,
  /** RabbitMQ's quorum queues keep a log of up to 512 MiB; three times that is what its documentation demands. */
  rabbitmqMebibytes: 1_536,
  rabbitmqBytesPerConnection: 100_000,
  redisMebibytes: 64,
  /** A run whose caller waits leaves its messages in a session that is kept for a day. */
  redisBytesPerRun: 1_700,
} as const;
