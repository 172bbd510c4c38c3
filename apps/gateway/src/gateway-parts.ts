import { FailedRunLog, FileStore, UserBacklogs } from '@millrace/runs';
import { TokenBuckets } from '@millrace/service';
import { Authenticator } from './authentication/authenticator';
import { KeyedStreams } from './authentication/keyed-streams';
import { KeyUsage } from './authentication/key-usage';
import { PrincipalCache } from './authentication/principal-cache';
import { FlowCache } from './flows/flow-cache';
import { FlowTraitsCache } from './flows/flow-traits';
import { StockCodeHeader } from './flows/stock-code-header';
import { FlowDesk } from './flows/flow-desk';
import type { GatewayDependencies } from './gateway-dependencies';
import { EventIntake } from './run-events/event-intake';
import { FollowedRuns } from './run-events/followed-runs';
import { RunFrameLog } from './run-events/run-frame-log';
import { RequestLog } from './http/request-log';
import { RunAnswer } from './runs/run-answer';
import { RunObserver } from './runs/run-observer';
import { ControlChannel } from './runs/control-channel';
import { DurableRuns } from './runs/durable-runs';
import { PoolWatch } from './runs/pool-watch';
import { RoomKeeper } from './runs/room-keeper';
import { RunDispatcher } from './runs/run-dispatcher';
import { UnrecordedRuns } from './runs/unrecorded-runs';
import { WaitingCallers } from './runs/waiting-callers';
import { WaitingRoom } from './runs/waiting-room';
import { WaitingRuns } from './runs/waiting-runs';
import { FlowWatch } from './webhook-events/flow-watch';
import { WorkflowRuns } from './workflows/workflow-runs';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** The living parts of a gateway, wired to each other. */
export type GatewayParts = ReturnType<typeof createParts>;

/** Makes the parts; none of them talks to anybody before it is opened. */
export function createParts(dependencies: GatewayDependencies) {
  const { settings, logger, metrics, bus, names, instance, apiKeys, flows, runs, registry, clock } =
    dependencies;
  const deadlineMilliseconds = settings.MILLRACE_RUN_DEADLINE_SECONDS * 1000;
  const principals = new PrincipalCache({ apiKeys, now: () => clock.now() });
  const streams = new KeyedStreams();
  const usage = new KeyUsage({ apiKeys, logger });
  const perSecond = settings.MILLRACE_KEY_REQUESTS_PER_SECOND;
  const processes = settings.MILLRACE_LIMIT_PROCESSES ?? settings.MILLRACE_WORKERS;
  const authenticator = new Authenticator({
    principals,
    usage,
    queryKeys: settings.MILLRACE_QUERY_KEYS,
    limit:
      perSecond === undefined
        ? null
        : { perSecond, buckets: new TokenBuckets({ perSecond: perSecond / processes }) },
  });
  const cache = new FlowCache({ flows });
  const control = new ControlChannel({
    bus,
    names,
    instance,
    logger,
    onFlowChanged: (flowId) => cache.forget(flowId),
    onKeyRevoked: (keyHash) => {
      principals.forget(keyHash);
      streams.end(keyHash);
    },
    onWhoWaits: (question) => void waiting.answer(question),
    onWaitsHere: (answered) => waiting.answered(answered),
  });
  const files = new FileStore(dependencies);
  const watch = new FlowWatch({ bus, names, instance, logger, control });
  const desk = new FlowDesk({ ...dependencies, cache, control });
  const pools = new PoolWatch({ bus, names });
  const unrecorded = new UnrecordedRuns();
  const maximumRuns = settings.MILLRACE_MAXIMUM_WAITING_RUNS;
  const callers = new WaitingCallers(settings.MILLRACE_USER_CALLERS, processes);
  const room = new WaitingRoom({
    bus,
    names,
    instance,
    logger,
    maximumRuns,
    callers,
    pools,
    unrecorded,
    control,
    gaps: metrics.counter(
      'millrace_stream_gaps_total',
      'Gaps in the events of streamed runs, by whether they were filled or nobody had what was missing',
    ),
  });
  const waiting = new WaitingRuns({ room, control, instance, deadlineMilliseconds });
  const dispatcher = new RunDispatcher({
    ...dependencies,
    room,
    pools,
    control,
    deadlineMilliseconds,
    backgroundLimitMilliseconds: settings.MILLRACE_BACKGROUND_LIMIT_SECONDS * 1000,
    maximumAttempts: settings.MILLRACE_MAXIMUM_ATTEMPTS,
    runsAhead: settings.MILLRACE_USER_RUNS_AHEAD,
    backlogs: new UserBacklogs({ runs, logger, maximum: settings.MILLRACE_USER_RUNS_WAITING }),
  });
  const durable = new DurableRuns({ runs, room, dispatcher, deadlineMilliseconds });
  const traits = new FlowTraitsCache({ flows, registry });
  const requests = new RequestLog({ logger, metrics });
  const failedRuns = new FailedRunLog({ logger, metrics });
  const observer = new RunObserver({
    requests,
    failedRuns,
    answered: metrics.counter(
      'millrace_runs_answered_total',
      'Runs answered to waiting callers, by form and outcome',
    ),
    seconds: metrics.histogram('millrace_run_answer', 'From the request to the answer of a run', {
      unit: 's',
      boundaries: SECONDS,
    }),
  });
  const stockCode = new StockCodeHeader({ traits, logger });
  const answer = new RunAnswer({ dispatcher, durable, room, control, stockCode, observer, requests });
  const followed = new FollowedRuns();
  const log = new RunFrameLog(dependencies);
  const intake = new EventIntake({ bus, names, log, followed, logger });
  const workflows = new WorkflowRuns({
    flows: cache,
    traits,
    answer,
    durable,
    runs,
    waiting,
    unrecorded,
    control,
  });
  const keeper = new RoomKeeper({ room, pools, bus, runs, logger });
  metrics.gauge('millrace_runs_waiting', 'Runs whose callers wait at this gateway', () => room.size);
  return {
    principals,
    streams,
    usage,
    requests,
    failedRuns,
    authenticator,
    cache,
    control,
    desk,
    files,
    watch,
    unrecorded,
    room,
    callers,
    waiting,
    durable,
    answer,
    followed,
    intake,
    workflows,
    following: { log, runs, followed, logger, clock },
    keeper,
  };
}
