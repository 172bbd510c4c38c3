import { CallerAddresses, FlowCache, KeyUsage, PrincipalCache, RequestLimits } from '@millrace/access';
import { RunPublisher } from '@millrace/dispatch';
import { FailedRunLog, IdentityStore, isMemberName, systemActor } from '@millrace/runs';
import type { GroupChange } from '@millrace/runs';
import { langflowRelease } from '@millrace/service';
import type { LangflowRelease } from '@millrace/service';
import { Authenticator } from './authentication/authenticator';
import { BoundCallers } from './authentication/bound-callers';
import { EndUsers } from './authentication/end-users/end-users';
import { KeyedStreams } from './authentication/keyed-streams';
import { SessionCookie } from './authentication/session-cookie';
import { GroupMembers } from './authentication/sign-on/group-members';
import { parseIssuers } from './authentication/sign-on/issuer-settings';
import { createSignOn } from './authentication/sign-on/sign-on';
import type { SignOn } from './authentication/sign-on/sign-on';
import { findConsole, openConsoleFiles } from './console/console-files';
import type { ConsoleFiles } from './console/console-files';
import { LiveRuns } from './live-runs/live-runs';
import { RunHistory } from './run-history/run-history';
import { FlowTraitsCache } from './flow-traits/flow-traits';
import { FlowClassifier } from './flow-changes/flow-classifier';
import { PythonEnvironments } from './flow-changes/python-environments';
import { StockCodeHeader } from './run-answers/answer-headers';
import { FlowService } from './flow-changes/flow-service';
import { limitsOf, processesOf } from './gateway-dependencies';
import type { GatewayDependencies } from './gateway-dependencies';
import { EventIntake } from './run-events/event-intake';
import type { FollowRunOptions } from './run-events/follow-run';
import { FollowedRuns } from './run-events/followed-runs';
import { RunFrameLog } from './run-events/run-frame-log';
import { endConsoleSession } from './resources/console/start-session';
import { forgetMembers } from './resources/projects/member-routes';
import { RequestLog } from './http/request-log';
import { RunAnswer } from './run-answers/run-answer';
import { RunObserver } from './run-answers/run-observer';
import { ControlChannel } from './runs/control-channel';
import type { ControlHandlers } from './runs/control-channel';
import { TriggerService } from './resources/triggers/trigger-service';
import { ToolCalls } from './resources/mcp/tool-calls';
import { FlowWatch } from './resources/webhooks/flow-watch';
import { HumanRequests } from './resources/workflows/human-requests';
import { WorkflowRuns } from './resources/workflows/workflow-runs';
import { runParts } from './run-parts';
import type { RunParts } from './run-parts';

const FLOW_TTL_MILLISECONDS = 5_000;
const FORMS = ['simple', 'advanced'];
const OUTCOMES = ['succeeded', 'failed', 'timed_out', 'cancelled', 'dead', 'suspended', 'lost'];
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** The connected parts of a gateway, grouped by what they serve. */
export interface GatewayParts {
  readonly release: LangflowRelease;
  readonly control: ControlChannel;
  readonly authentication: AuthenticationParts;
  /** Keeps keys with bounds within them. */
  readonly callers: BoundCallers;
  readonly console: ConsoleParts;
  readonly flows: FlowParts;
  readonly runs: RunParts;
  readonly triggers: TriggerParts;
  readonly events: EventParts;
  readonly answers: AnswerParts;
}

/** Creates the parts. None of them uses the network before it is opened. */
export function createParts(dependencies: GatewayDependencies): GatewayParts {
  const { settings, bus, names, instance, logger } = dependencies;
  const release = langflowRelease(settings.MILLRACE_COMPATIBILITY);
  const control = new ControlChannel({ bus, names, instance, logger });
  const flows = flowParts(dependencies, release, control);
  const runs = runParts(dependencies, control);
  return {
    release,
    control,
    authentication: authenticationParts(dependencies, control),
    callers: new BoundCallers({
      ...dependencies,
      ...runs,
      cache: flows.cache,
      refused: dependencies.refusedSignIns,
    }),
    console: consoleParts(dependencies),
    flows,
    runs,
    triggers: triggerParts(dependencies, flows, runs),
    events: eventParts(dependencies, control),
    answers: answerParts(dependencies, { release, control, flows, runs }),
  };
}

/** Returns what the gateway does on control messages of other processes. */
export function controlHandlers(
  { approvedCode }: Pick<GatewayDependencies, 'approvedCode'>,
  { authentication, callers, flows, runs, answers }: GatewayParts,
): ControlHandlers {
  const { principals, sessions, streams, endSession } = authentication;
  return {
    onExecutorAppeared: () => runs.announced.executorAppeared(),
    onFlowChanged: (flowId) => {
      flows.cache.invalidate(flowId);
      void streams.endOutside(
        flowId,
        async (bound) => (await callers.reached(bound, [{ id: flowId }])).length > 0,
      );
    },
    onCallCancelled: (call) => answers.toolCalls.cancel(call),
    onAuthorCodeChanged: (sha256) => approvedCode.forget(sha256),
    onKeyRevoked: (keyHash, keepsStreams) => {
      principals.invalidate(keyHash);
      sessions.invalidateKey(keyHash);
      if (!keepsStreams) streams.end(keyHash);
    },
    onLimitsChanged: () => [principals, sessions, flows.cache].forEach((cache) => cache.clear()),
    onSessionEnded: endSession,
    onRunLookup: (question) => void runs.runLocator.answer(question),
    onRunLocated: (response) => runs.runLocator.handleResponse(response),
    onVertices: (answer) => runs.liveVertices.handleAnswer(answer),
  };
}

/** Who calls, and the streams that end with a caller's access. */
export interface AuthenticationParts {
  readonly authenticator: Authenticator;
  readonly limits: RequestLimits;
  readonly principals: PrincipalCache;
  /** The principals of sessions of the web console. */
  readonly sessions: PrincipalCache;
  readonly cookie: SessionCookie;
  readonly streams: KeyedStreams;
  readonly usage: KeyUsage;
  /** Null where no issuer is configured. */
  readonly signOn: SignOn | null;
  readonly endUsers: EndUsers;
  /** Ends memberships of groups that the settings have no more. */
  readonly openMembers: () => Promise<void>;
  /** Forgets a session of the web console and ends its streams. */
  readonly endSession: (tokenHash: string) => void;
}

function authenticationParts(
  dependencies: GatewayDependencies,
  control: ControlChannel,
): AuthenticationParts {
  const { settings, logger, metrics, clock, database, apiKeys, members, audit, keyValue } = dependencies;
  const { consoleSessions, refusedSignIns } = dependencies;
  const now = () => clock.now();
  const resolve = (hash: string) => (isMemberName(hash) ? members : apiKeys).resolve(hash);
  const principals = new PrincipalCache({ apiKeys: { resolve }, now });
  const sessions = new PrincipalCache({ apiKeys: consoleSessions, now });
  const streams = new KeyedStreams();
  const usage = new KeyUsage({ apiKeys, logger });
  const forget = (tokenHash: string) => {
    sessions.invalidate(tokenHash);
    streams.end(tokenHash);
  };
  const configured = parseIssuers(settings.MILLRACE_ISSUERS ?? '[]');
  const forgetAll = (changed: readonly GroupChange[]) => forgetMembers({ principals, control }, changed);
  const groupMembers = new GroupMembers({ members, audit, forget: forgetAll, logger });
  const signOn = createSignOn({
    configured,
    members: groupMembers,
    identities: new IdentityStore({ database }),
    audit,
    principals,
    consoleSessions,
    sessions,
    streams,
    end: async (id) =>
      void (await endConsoleSession({ ...dependencies, control, endSession: forget }, systemActor, {
        id,
        userId: null,
      })),
    maximumMilliseconds: limitsOf(dependencies).sessionCheckMilliseconds,
    maximumOfIssuer: limitsOf(dependencies).sessionChecksOfIssuer,
    clock,
    logger,
    checked: metrics.counter(
      'millrace_session_checks_total',
      'Checks of sessions at the issuers that opened them, by outcome',
      { labels: { outcome: ['confirmed', 'ended', 'unanswered'] } },
    ),
  });
  const cookie = new SessionCookie({
    sessions,
    checks: signOn?.checks ?? null,
    publicUrl: settings.MILLRACE_PUBLIC_URL,
  });
  const limits = new RequestLimits({
    keyRequestsPerSecond: settings.MILLRACE_KEY_REQUESTS_PER_SECOND,
    keyValue,
    processes: processesOf(settings),
    logger,
  });
  return {
    authenticator: new Authenticator({
      principals,
      sessions: cookie,
      tokens: signOn?.tokens ?? null,
      usage,
      queryKeys: settings.MILLRACE_QUERY_KEYS,
      addresses: new CallerAddresses(settings.MILLRACE_TRUSTED_PROXIES),
      limits,
      refused: refusedSignIns,
    }),
    limits,
    principals,
    sessions,
    cookie,
    streams,
    usage,
    signOn,
    openMembers: () => groupMembers.open(configured),
    endUsers: new EndUsers({ tokens: signOn?.tokens ?? null, refused: refusedSignIns }),
    endSession: forget,
  };
}

/** What the web console shows. */
export interface ConsoleParts {
  /** Null when the console is not served. */
  readonly consoleFiles: ConsoleFiles | null;
  readonly runHistory: RunHistory;
  readonly liveRuns: LiveRuns;
}

function consoleParts(dependencies: GatewayDependencies): ConsoleParts {
  const { settings, logger, metrics, clock, database, reads = database, seal } = dependencies;
  const { consoleFolder = findConsole() } = dependencies;
  const isServed = settings.MILLRACE_CONSOLE && consoleFolder !== null;
  const failures = metrics.counter(
    'millrace_run_changes_failures_total',
    'Failed reads of the changes of runs, which the stream of runs needs',
  );
  return {
    consoleFiles: isServed ? openConsoleFiles(consoleFolder) : null,
    runHistory: new RunHistory({ database: reads, clock }),
    liveRuns: new LiveRuns({ database, seal, logger, failures }),
  };
}

/** Flows, what is known of their versions, and whether they need Python. */
export interface FlowParts {
  readonly cache: FlowCache;
  readonly traits: FlowTraitsCache;
  readonly flowService: FlowService;
  readonly classifier: FlowClassifier;
}

function flowParts(
  dependencies: GatewayDependencies,
  release: LangflowRelease,
  control: ControlChannel,
): FlowParts {
  const { logger, metrics, keyValue, flows, registry, pythonPool } = dependencies;
  const cache = new FlowCache({ flows, ttlMilliseconds: FLOW_TTL_MILLISECONDS, pythonPool });
  const flowService = new FlowService({
    ...dependencies,
    cache,
    control,
    limits: limitsOf(dependencies),
    environments: new PythonEnvironments({ keyValue, logger }),
  });
  const classified = metrics.counter(
    'millrace_flows_classified_total',
    'Flows of an earlier release, by whether they need Python',
    { labels: { outcome: ['python', 'native', 'failed'] } },
  );
  return {
    cache,
    traits: new FlowTraitsCache({ flows, registry, release }),
    flowService,
    classifier: new FlowClassifier({ flows, registry, keyValue, logger, classified }),
  };
}

/** What starts runs of triggers. */
export interface TriggerParts {
  readonly publisher: RunPublisher;
  readonly triggerService: TriggerService;
}

function triggerParts(
  dependencies: GatewayDependencies,
  { cache }: FlowParts,
  { backlogs, backlogLimits }: RunParts,
): TriggerParts {
  // The run is stored: the publisher logs the failure, and the sweeper publishes the run.
  const publisher = new RunPublisher({ ...dependencies, onFailure: () => undefined });
  const limits = limitsOf(dependencies);
  const triggerService = new TriggerService({
    ...dependencies,
    limits,
    cache,
    backlogs,
    backlogLimits,
    publisher,
  });
  return { publisher, triggerService };
}

/** Events of runs that callers follow, and of webhooks that they watch. */
export interface EventParts {
  readonly followed: FollowedRuns;
  readonly intake: EventIntake;
  readonly following: FollowRunOptions;
  readonly watch: FlowWatch;
}

function eventParts(dependencies: GatewayDependencies, control: ControlChannel): EventParts {
  const { bus, names, instance, logger, keyValue, runs, clock } = dependencies;
  const followed = new FollowedRuns();
  const log = new RunFrameLog({ keyValue });
  return {
    followed,
    intake: new EventIntake({ bus, names, log, followed, logger }),
    following: { log, runs, followed, logger, clock },
    watch: new FlowWatch({ bus, names, instance, logger, control }),
  };
}

/** The answers of runs, and what is logged of requests. */
export interface AnswerParts {
  readonly requests: RequestLog;
  readonly failedRuns: FailedRunLog;
  readonly answer: RunAnswer;
  readonly workflows: WorkflowRuns;
  readonly humanRequests: HumanRequests;
  readonly toolCalls: ToolCalls;
}

function answerParts(
  { logger, metrics, runs, audit, decisionLinks, endedRequests }: GatewayDependencies,
  { release, control, flows, runs: ofRuns }: Pick<GatewayParts, 'release' | 'control' | 'flows' | 'runs'>,
): AnswerParts {
  const { cache, traits } = flows;
  const { dispatcher, durable, pendingRuns, runLocator, readYourWrites } = ofRuns;
  const requests = new RequestLog({ logger, metrics });
  const failedRuns = new FailedRunLog({ logger, metrics });
  const observer = new RunObserver({ requests, failedRuns, ...answerMetrics(metrics) });
  const stockCode = new StockCodeHeader({ traits, logger });
  const answer = new RunAnswer({ dispatcher, durable, pendingRuns, control, stockCode, observer, requests });
  const humanRequests = new HumanRequests({
    runs,
    audit,
    readYourWrites,
    decisionLinks,
    endedRequests,
    logger,
  });
  const workflows = new WorkflowRuns({
    flows: cache,
    traits,
    answer,
    durable,
    runs,
    runLocator,
    readYourWrites,
    control,
    audit,
    release,
  });
  return { requests, failedRuns, answer, workflows, humanRequests, toolCalls: new ToolCalls() };
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
