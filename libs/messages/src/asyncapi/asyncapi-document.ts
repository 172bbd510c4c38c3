import { uuid } from './json-schema';
import { callbackReportSchema } from './callback-report-schema';
import { FLOW_HEADER } from '../jobs/flow-event';
import { JOB_BATCH, REDELIVERED_HEADER } from '../jobs/job-batch';
import {
  ATTEMPT_HEADER,
  CACHE_HEADER,
  REPLY_BATCH,
  SEQUENCE_HEADER,
  STATUS_HEADER,
  RECORD_HEADER,
  TEXTS_HEADER,
  TIMING_HEADER,
} from '../jobs/reply';
import {
  controlTopology,
  flowEventsTopology,
  replyTopology,
  runEventsTopology,
  runsTopology,
  standbyTopology,
} from '../jobs/runs-topology';
import { brokerNames } from '../jobs/topology';
import type { BrokerNames } from '../jobs/topology';
import {
  controlSchemas,
  deadLetterSchema,
  flowEventSchema,
  jobSchema,
  replySchemas,
  reportPropertiesSchema,
} from './message-schemas';

type Topology = ReturnType<typeof runsTopology>;
type Queue = Topology['queues'][number];
type Part = Readonly<Record<string, unknown>>;

const JOB = 'job';
const DEAD_RUN = 'dead-run';
const FLOW_EVENT = 'flow-event';
const REPORT = 'run-report';
const USER_EXCHANGE = 'user-exchange';
const USER_REPLY_QUEUE = 'user-reply-queue';
const POOL = '{pool}';
const INSTANCE = '{instance}';

/** What executors send to gateways. */
const REPLIES = Object.keys(replySchemas);
/** What is in the queue of a gateway. */
const GATEWAY_REPLIES = [...REPLIES, REPLY_BATCH];
const CONTROLS = Object.keys(controlSchemas);

/**
 * Returns the AsyncAPI 3.0 document of the messages between processes: queues from the topology, bodies from the
 * contracts.
 */
export function asyncApiDocument(version: string): Part {
  const names = brokerNames();
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Millrace internal messages',
      version,
      description:
        'Messages on RabbitMQ. `pool` names a group of executors, `instance` one process. An installation can put a prefix before every name. The channels `user-exchange` and `user-reply-queue` are on brokers of users.',
    },
    defaultContentType: 'application/json',
    channels: allChannels(names),
    operations: {
      ...jobOperations(names),
      ...replyOperations(names),
      sendControl: operation('send', names.controlExchange, [], 'Any process notifies all others.'),
      receiveControl: operation(
        'receive',
        names.control(INSTANCE),
        CONTROLS,
        'Every process receives control messages.',
      ),
      sendReport: operation(
        'send',
        USER_EXCHANGE,
        [REPORT],
        'Ingest reports the end of a run to the exchange that a callback of its flow names.',
      ),
      sendReportAsReply: operation(
        'send',
        USER_REPLY_QUEUE,
        [REPORT],
        'Ingest replies to the message that started a run.',
      ),
    },
    components: { messages: messages() },
  };
}

function allChannels(names: BrokerNames): Part {
  return {
    ...exchanges(runsTopology(names, [POOL])),
    ...channels(runsTopology(names, [POOL]), [JOB], {
      [names.deadQueue]: [DEAD_RUN, JOB],
      [names.lane('interactive', POOL)]: [JOB, JOB_BATCH],
    }),
    ...channels(standbyTopology(names, POOL), [JOB, JOB_BATCH]),
    ...channels(replyTopology(names, INSTANCE), GATEWAY_REPLIES),
    ...channels(runEventsTopology(names), REPLIES),
    ...channels(flowEventsTopology(names, INSTANCE), [FLOW_EVENT]),
    ...exchanges(controlTopology(names, INSTANCE)),
    ...channels(controlTopology(names, INSTANCE), CONTROLS),
    ...userChannels(),
  };
}

/** The way of a job: to a lane, the standby lane or the quarantine, or to the dead runs. */
function jobOperations(names: BrokerNames): Part {
  return {
    sendJob: operation('send', names.runsExchange, [], 'A gateway or the sweeper requests an attempt.'),
    ...Object.fromEntries(
      (['interactive', 'background'] as const).map((lane) => [
        `receive${lane === 'interactive' ? 'Interactive' : 'Background'}Job`,
        operation(
          'receive',
          names.lane(lane, POOL),
          lane === 'interactive' ? [JOB, JOB_BATCH] : [JOB],
          `An executor receives a job of the ${lane} lane.`,
        ),
      ]),
    ),
    receiveStandbyJob: operation(
      'receive',
      names.standbyLane(POOL),
      [JOB, JOB_BATCH],
      'An executor receives a job of the interactive lane while the queue of that lane is unavailable.',
    ),
    receiveQuarantinedJob: operation(
      'receive',
      names.quarantineQueue,
      [JOB],
      'An executor runs, in isolation, a job whose earlier attempts crashed.',
    ),
    sendDeadRun: operation(
      'send',
      names.deadQueue,
      [DEAD_RUN],
      'The sweeper reports a run that was marked dead. No process consumes the queue: it is for operators.',
    ),
  };
}

/** The way of the replies and events of a run, to the gateway of its caller or of its watchers. */
function replyOperations(names: BrokerNames): Part {
  return {
    sendReply: operation(
      'send',
      names.reply(INSTANCE),
      GATEWAY_REPLIES,
      'An executor sends a reply to the gateway that requested the attempt.',
    ),
    receiveReply: operation(
      'receive',
      names.reply(INSTANCE),
      GATEWAY_REPLIES,
      'A gateway receives replies for its runs.',
    ),
    sendFlowEvent: operation(
      'send',
      names.flowEvents(INSTANCE),
      [FLOW_EVENT],
      'An executor notifies the watchers of a flow of its background runs.',
    ),
    receiveFlowEvent: operation(
      'receive',
      names.flowEvents(INSTANCE),
      [FLOW_EVENT],
      'A gateway receives events of the flows that its clients watch.',
    ),
    sendRunEvents: operation(
      'send',
      names.runEvents,
      REPLIES,
      'An executor sends the reply of a run that any gateway can follow.',
    ),
    receiveRunEvents: operation(
      'receive',
      names.runEvents,
      REPLIES,
      'Any gateway stores the events of followed runs.',
    ),
  };
}

function messages(): Part {
  const replyHeaders = {
    type: 'object',
    properties: {
      [ATTEMPT_HEADER]: { type: 'integer' },
      [SEQUENCE_HEADER]: { type: 'integer' },
      [STATUS_HEADER]: { enum: ['succeeded', 'failed', 'cancelled', 'timed_out', 'dead', 'suspended'] },
      [CACHE_HEADER]: { enum: ['hit', 'miss', 'bypass'] },
      [TIMING_HEADER]: { type: 'string' },
      [RECORD_HEADER]: { enum: ['lean', 'messages', 'none'] },
      [TEXTS_HEADER]: { type: 'string' },
    },
    required: [ATTEMPT_HEADER, SEQUENCE_HEADER],
  };
  return {
    [JOB]: {
      summary: 'Requests an attempt from an executor',
      headers: { type: 'object', properties: { [REDELIVERED_HEADER]: { type: 'boolean' } } },
      payload: jobSchema,
    },
    [JOB_BATCH]: {
      summary: 'Several jobs of one gateway and one pool, whose runs have no rows',
      payload: { type: 'array', items: jobSchema },
    },
    [DEAD_RUN]: { summary: 'A run that was marked dead, and the reason', payload: deadLetterSchema },
    [FLOW_EVENT]: {
      summary: 'An event of a background run of a watched flow',
      headers: { type: 'object', properties: { [FLOW_HEADER]: uuid }, required: [FLOW_HEADER] },
      payload: flowEventSchema,
    },
    ...Object.fromEntries(
      Object.entries(replySchemas).map(([type, payload]) => [type, { headers: replyHeaders, payload }]),
    ),
    [REPLY_BATCH]: {
      summary: 'Several replies: the length of an index (4 bytes, big-endian), the index, then the bodies',
      contentType: 'application/octet-stream',
      payload: { type: 'string', format: 'binary' },
    },
    ...Object.fromEntries(Object.entries(controlSchemas).map(([kind, payload]) => [kind, { payload }])),
    [REPORT]: {
      summary: 'The end of a run; the body is that of a callback over HTTP',
      payload: callbackReportSchema,
      'x-amqp-properties': reportPropertiesSchema,
    },
  };
}

/** What is published to brokers of users, whose names only they know. */
function userChannels(): Part {
  const carried = { [REPORT]: { $ref: `#/components/messages/${REPORT}` } };
  return {
    [USER_EXCHANGE]: {
      address: null,
      description: 'The exchange and the routing key that `settings.callbacks` of a flow name.',
      messages: carried,
      bindings: { amqp: { is: 'routingKey' } },
    },
    [USER_REPLY_QUEUE]: {
      address: null,
      description: 'The queue that `reply_to` of a message of a source names, by the default exchange.',
      messages: carried,
      bindings: { amqp: { is: 'routingKey', exchange: { name: '', type: 'default', durable: true } } },
    },
  };
}

function exchanges({ exchanges: all, bindings }: Topology): Part {
  return Object.fromEntries(
    all.map(({ name, kind }) => [
      name,
      {
        address: name,
        messages: {},
        bindings: { amqp: { is: 'routingKey', exchange: { name, type: kind, durable: true } } },
        'x-bindings': bindings.filter(({ exchange }) => exchange === name),
      },
    ]),
  );
}

function channels(
  { queues }: Topology,
  carried: readonly string[],
  overrides: Readonly<Record<string, readonly string[]>> = {},
): Part {
  return Object.fromEntries(
    queues.map((queue) => [queue.name, channel(queue, overrides[queue.name] ?? carried)]),
  );
}

function channel({ name, exclusive = false, ...limits }: Queue, carried: readonly string[]): Part {
  const parameters = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => [parameter, {}]);
  return {
    address: name,
    messages: Object.fromEntries(
      carried.map((message) => [message, { $ref: `#/components/messages/${message}` }]),
    ),
    ...(parameters.length > 0 ? { parameters: Object.fromEntries(parameters) } : {}),
    bindings: {
      amqp: { is: 'queue', queue: { name, durable: !exclusive, exclusive, autoDelete: exclusive } },
    },
    'x-limits': limits,
  };
}

function operation(
  action: 'send' | 'receive',
  channelName: string,
  carried: readonly string[],
  summary: string,
): Part {
  const channelReference = `#/channels/${channelName}`;
  return {
    action,
    summary,
    channel: { $ref: channelReference },
    ...(carried.length > 0
      ? { messages: carried.map((message) => ({ $ref: `${channelReference}/messages/${message}` })) }
      : {}),
  };
}
