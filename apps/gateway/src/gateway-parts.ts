import { FlowCache, KeyRateLimit, KeyUsage, PrincipalCache } from '@millrace/access';
import { BacklogMeter, RunPublisher } from '@millrace/dispatch';
import { ConsoleSessionStore, FailedRunLog, FileStore, UserBacklogs } from '@millrace/runs';
import { fixedLimits, langflowRelease } from '@millrace/service';
import { Authenticator } from './authentication/authenticator';
import { KeyedStreams } from './authentication/keyed-streams';
import { SessionCookie } from './authentication/session-cookie';
import { findConsole, openConsoleFiles } from './console/console-files';
import { LiveRuns } from './live-runs/live-runs';
import { RunHistory } from './run-history/run-history';
import { FlowTraitsCache } from './flow-traits/flow-traits';
import { FlowClassifier } from './resources/flows/flow-classifier';
import { PythonEnvironments } from './resources/flows/python-environments';
import { StockCodeHeader } from './flow-traits/stock-code-header';
import { FlowService } from './resources/flows/flow-service';
import type { GatewayDependencies, GatewayLimits } from './gateway-dependencies';
import { EventIntake } from './run-events/event-intake';
import { FollowedRuns } from './run-events/followed-runs';
import { RunFrameLog } from './run-events/run-frame-log';
import { RequestLog } from './http/request-log';
import { RunAnswer } from './run-answers/run-answer';
import { RunObserver } from './run-answers/run-observer';
import { ControlChannel } from './runs/control-channel';
import { LiveVertices } from './runs/live-vertices';
import { DurableRuns } from './runs/durable-runs';
import { FairQueue } from './runs/fair-queue';
import { AnnouncedPools } from './runs/announced-pools';
import { PoolWatch } from './runs/pool-watch';
import { PendingRunMonitor } from './runs/pending-run-monitor';
import { RunDispatcher } from './runs/run-dispatcher';
import { ReadYourWrites } from './runs/read-your-writes';
import { UserConcurrencyLimit } from './runs/user-concurrency-limit';
import { PendingRuns } from './runs/pending-runs';
import { RunLocator } from './runs/run-locator';
import { TriggerService } from './resources/triggers/trigger-service';
import type { TriggerServiceOptions } from './resources/triggers/trigger-service';
import { ToolCalls } from './resources/mcp/tool-calls';
import { FlowWatch } from './resources/webhooks/flow-watch';
import { TweakGate } from './resources/runs/tweak-gate';
import { WorkflowRuns } from './resources/workflows/workflow-runs';

const DEFAULT_POOL = 'default';
const FLOW_TTL_MILLISECONDS = 5_000;
const FORMS = ['simple', 'advanced'];
const OUTCOMES = ['succeeded', 'failed', 'timed_out', 'cancelled', 'dead', 'lost'];
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** The connected parts of a gateway. */
export type GatewayParts = ReturnType<typeof createParts>;

/** Creates the parts. None of them uses the network before it is opened. */
export function createParts(dependencies: GatewayDependencies) {
  const { settings, logger, metrics, bus, names, instance } = dependencies;
  const { apiKeys, flows, runs, registry, clock, pythonPool } = dependencies;
  const limits = limitsOf(dependencies);
  const deadlineMilliseconds = settings.MILLRACE_RUN_DEADLINE_SECONDS * 1000;
  const principals = new PrincipalCache({ apiKeys, now: () => clock.now() });
  const streams = new KeyedStreams();
  const ofConsole = consoleParts(dependencies, streams);
  const usage = new KeyUsage({ apiKeys, logger });
  const processes = settings.MILLRACE_TOTAL_WORKERS ?? settings.MILLRACE_WORKERS;
  const authenticator = new Authenticator({
    principals,
    sessions: ofConsole.cookie,
    usage,
    queryKeys: settings.MILLRACE_QUERY_KEYS,
    limit: new KeyRateLimit({ perSecond: settings.MILLRACE_KEY_REQUESTS_PER_SECOND, processes }),
    refused: dependencies.refusedSignIns,
  });
  const cache = new FlowCache({ flows, ttlMilliseconds: FLOW_TTL_MILLISECONDS, pythonPool });
  const announced = new AnnouncedPools(dependencies);
  const control = new ControlChannel({
    bus,
    names,
    instance,
    logger,
    onExecutorAppeared: () => announced.executorAppeared(),
    onFlowChanged: (flowId) => cache.invalidate(flowId),
    onCallCancelled: (call) => toolCalls.cancel(call),
    onAuthorCodeChanged: (sha256) => dependencies.approvedCode.forget(sha256),
    onKeyRevoked: (keyHash) => {
      principals.invalidate(keyHash);
      ofConsole.sessions.invalidateKey(keyHash);
      streams.end(keyHash);
    },
    onSessionEnded: ofConsole.endSession,
    onRunLookup: (question) => void runLocator.answer(question),
    onRunLocated: (response) => runLocator.handleResponse(response),
    onVertices: (answer) => liveVertices.handleAnswer(answer),
  });
  const liveVertices = new LiveVertices({ control, instance });
  const toolCalls = new ToolCalls();
  const files = new FileStore(dependencies);
  const watch = new FlowWatch({ bus, names, instance, logger, control });
  const environments = new PythonEnvironments(dependencies);
  const flowService = new FlowService({ ...dependencies, limits, cache, control, environments });
  const classifier = new FlowClassifier({
    ...dependencies,
    classified: metrics.counter(
      'millrace_flows_classified_total',
      'Flows of an earlier release, by whether they need Python',
      { labels: { outcome: ['python', 'native', 'failed'] } },
    ),
  });
  const pools = new PoolWatch({ bus, names });
  const readYourWrites = openReadYourWrites(metrics);
  const concurrencyLimit = new UserConcurrencyLimit(settings.MILLRACE_USER_CONCURRENT_RUNS, processes);
  const fairQueue = openFairQueue(dependencies, announced);
  const pendingRuns = new PendingRuns({
    bus,
    names,
    instance,
    logger,
    maximumRuns: limits.gatewayConcurrentRuns,
    concurrencyLimit,
    fairQueue,
    pools,
    readYourWrites,
    control,
    gaps: metrics.counter('millrace_stream_gaps_total', 'Gaps in the events of streamed runs, by outcome', {
      labels: { outcome: ['filled', 'gone'] },
    }),
  });
  const runLocator = new RunLocator({ pendingRuns, control, instance, deadlineMilliseconds });
  const backlogs = new UserBacklogs({ runs, logger, maximum: settings.MILLRACE_USER_BACKLOG_LIMIT });
  const dispatcher = new RunDispatcher({
    ...dependencies,
    pendingRuns,
    fairQueue,
    pools,
    announced,
    processes,
    control,
    deadlineMilliseconds,
    backgroundLimitMilliseconds: settings.MILLRACE_BACKGROUND_RUN_DEADLINE_SECONDS * 1000,
    maximumAttempts: fixedLimits.runAttempts,
    publishedRunsPerUser: settings.MILLRACE_USER_QUEUE_SHARE,
    backlogs,
  });
  const durable = new DurableRuns({ runs, pendingRuns, dispatcher });
  const triggers = triggerParts(dependencies, { limits, cache, backlogs });
  const traits = new FlowTraitsCache({ flows, registry });
  const release = langflowRelease(settings.MILLRACE_COMPATIBILITY);
  const tweaks = new TweakGate({ traits, release });
  const requests = new RequestLog({ logger, metrics });
  const failedRuns = new FailedRunLog({ logger, metrics });
  const observer = new RunObserver({ requests, failedRuns, ...answerMetrics(metrics) });
  const stockCode = new StockCodeHeader({ traits, logger });
  const answer = new RunAnswer({ dispatcher, durable, pendingRuns, control, stockCode, observer, requests });
  const meter = new BacklogMeter({
    ...dependencies,
    pools: pythonPool === null ? [DEFAULT_POOL] : [DEFAULT_POOL, pythonPool],
    intervalMilliseconds: settings.MILLRACE_BACKLOG_INTERVAL_SECONDS * 1_000,
  });
  const followed = new FollowedRuns();
  const log = new RunFrameLog(dependencies);
  const intake = new EventIntake({ bus, names, log, followed, logger });
  const workflows = new WorkflowRuns({
    flows: cache,
    traits,
    answer,
    durable,
    runs,
    runLocator,
    readYourWrites,
    control,
    audit: dependencies.audit,
    release,
    tweaks,
  });
  const pendingRunMonitor = new PendingRunMonitor({ pendingRuns, pools, bus, runs, logger });
  metrics.gauge('millrace_runs_waiting', 'Runs whose callers wait at this gateway', () => pendingRuns.size);
  return {
    release,
    tweaks,
    principals,
    ...ofConsole,
    streams,
    usage,
    requests,
    failedRuns,
    authenticator,
    backlogs,
    cache,
    control,
    flowService,
    classifier,
    files,
    watch,
    readYourWrites,
    pendingRuns,
    concurrencyLimit,
    runLocator,
    liveVertices,
    durable,
    toolCalls,
    ...triggers,
    answer,
    meter,
    followed,
    intake,
    workflows,
    following: { log, runs, followed, logger, clock },
    pendingRunMonitor,
  };
}

/** Returns the limits of a gateway that are no settings. */
export function limitsOf({ limits }: Pick<GatewayDependencies, 'limits'>): GatewayLimits {
  return { ...fixedLimits, ...limits };
}

function openReadYourWrites(metrics: GatewayDependencies['metrics']): ReadYourWrites {
  const staleReads = metrics.counter(
    'millrace_stale_reads_total',
    'Reads that did not see all answered runs of their user, because a record was not stored in time',
  );
  return new ReadYourWrites({ onTimeout: () => staleReads.add(1) });
}

/** Returns the queue in which users with waiting callers take turns, and its metric. */
function openFairQueue({ metrics, maximumSent }: GatewayDependencies, announced: AnnouncedPools): FairQueue {
  const queue = new FairQueue({
    slots: (pool) => announced.slots(pool),
    ...(maximumSent && { maximumSent }),
  });
  metrics.gauge(
    'millrace_runs_held',
    "Runs whose callers wait at this gateway and whose jobs wait for their user's turn",
    () => queue.held,
  );
  return queue;
}

/** Returns what the web console needs: its files, its sessions and the changes of runs. */
function consoleParts(dependencies: GatewayDependencies, streams: KeyedStreams) {
  const { settings, clock, metrics, consoleFolder = findConsole() } = dependencies;
  const consoleSessions = new ConsoleSessionStore(dependencies);
  const sessions = new PrincipalCache({ apiKeys: consoleSessions, now: () => clock.now() });
  const isServed = settings.MILLRACE_CONSOLE && consoleFolder !== null;
  return {
    consoleSessions,
    sessions,
    cookie: new SessionCookie({ sessions, publicUrl: settings.MILLRACE_PUBLIC_URL }),
    runHistory: new RunHistory(dependencies),
    liveRuns: new LiveRuns({
      ...dependencies,
      failures: metrics.counter(
        'millrace_run_changes_failures_total',
        'Failed reads of the changes of runs, which the stream of runs needs',
      ),
    }),
    /** Forgets a session of the console and ends its streams. */
    endSession: (tokenHash: string) => {
      sessions.invalidate(tokenHash);
      streams.end(tokenHash);
    },
    consoleFiles: isServed ? openConsoleFiles(consoleFolder) : null,
  };
}

/** Returns what starts runs of triggers. */
function triggerParts(
  dependencies: GatewayDependencies,
  parts: Pick<TriggerServiceOptions, 'limits' | 'cache' | 'backlogs'>,
): { readonly publisher: RunPublisher; readonly triggerService: TriggerService } {
  const publisher = new RunPublisher({
    ...dependencies,
    // The run is stored: the publisher logs the failure, and the sweeper publishes the run.
    onFailure: () => undefined,
  });
  return { publisher, triggerService: new TriggerService({ ...dependencies, ...parts, publisher }) };
}

function answerMetrics(metrics: GatewayDependencies['metrics']) {
  const options = { unit: 's', boundaries: SECONDS };
  const description = 'Time from the request to the answer of a run';
  return {
    response: metrics.counter(
      'millrace_runs_answered_total',
      'Runs answered for waiting callers, by form and outcome',
      { labels: { form: FORMS, outcome: OUTCOMES } },
    ),
    seconds: metrics.histogram('millrace_run_answer_seconds', description, options),
    formerSeconds: metrics.histogram(
      'millrace_run_answer',
      'Deprecated: millrace_run_answer_seconds',
      options,
    ),
  };
}
