const KIB = 1_024;
const MIB = 1_024 * KIB;
const GIB = 1_024 * MIB;

/** Limits that are no settings. Services take them as options, so that tests can choose others. */
export const fixedLimits = {
  /** Parsing this number of members blocks a process for about 40 ms. */
  bodyMembers: 25_000,
  /** The largest published flows have about 15,000 members, and one body can have many flows. */
  flowMembers: 500_000,
  /** Half of the connections that a gateway accepts, so that other requests have connections when runs wait. */
  gatewayConcurrentRuns: 10_000,
  /** A working day, with margin. */
  consoleSessionSeconds: 43_200,
  /** Within it, the sessions of an account that an issuer has disabled end. */
  sessionCheckMilliseconds: 60_000,
  /** At the same time; each is a connection to the issuer. */
  sessionChecksOfIssuer: 100,
  /** A trigger for each customer of a large flow, and still a bound for a script that creates them without end. */
  userTriggers: 10_000,
  /** Five users with this many fill one ingest process. */
  userQueueSources: 20,
  /** Each is a connection to a broker of a user. */
  processQueueSources: 100,
  /** Five times the default; messages of maximum size then occupy half a GiB of an ingest process. */
  queuePrefetch: 500,
  /** See `queuePrefetch`. */
  queueMessageBytes: MIB,
  /** Ten renewals, so that a busy process keeps its queues. */
  queueLeaseMilliseconds: 10_000,
  /** One for each of two crashed executors, and the last in a process of its own (decision 15). */
  runAttempts: 3,
  /** A receiver that stalls occupies no more of the callbacks of a process. */
  callbackConcurrency: 16,
  /** The least that Standard Webhooks recommends; it keeps senders of stalled receivers short. */
  callbackTimeoutMilliseconds: 15_000,
  /** Twice the nodes of the largest flow that is accepted, so that loops have room. */
  runVertices: 10_000,
  /** An answer is in the memory of executor, broker and gateway at the same time. */
  outputBytes: 32 * MIB,
  /** With `cachedResultCharacters`, a user occupies at most 1.3 GB of the key-value store. */
  userCachedResults: 10_000,
  cachedResultCharacters: 128 * KIB,
  /** Far above the lag of a loaded executor, and a sixteenth of the time after which the watchdog ends it. */
  eventLoopLagMilliseconds: 500,
  /** With more, a run can be taken over from a process that still executes it (decision 16). */
  watchdogMilliseconds: 8_000,
  /** A script converts values between vertices; a run waits for nothing else meanwhile. */
  scriptMilliseconds: 1_000,
  /** The engine alone needs a few MiB; the rest holds an input of maximum size several times. */
  scriptMemoryBytes: 64 * MIB,
  /** A process with the same code is needed again soon, or not at all; a kept one occupies memory. */
  pythonKeepMilliseconds: 60_000,
  /** Libraries reserve more address space than they use. */
  pythonMemoryBytes: 2 * GIB,
  /** A scratch folder is for the files of one run. */
  pythonFileBytes: 256 * MIB,
  /** Numeric libraries start a thread for each core. */
  pythonThreads: 128,
  /** Half of 1,024, the usual limit of a process. */
  pythonOpenFiles: 512,
  /** As long as a background run may take. */
  pythonCpuSeconds: 600,
  /** In the working folder of the standalone app, or in its image. */
  examplesDirectory: 'examples',
} as const;
