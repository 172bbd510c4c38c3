import { uuid } from '../http/answer-schema';
import { FLOW_HEADER } from '../jobs/flow-event';
import { ATTEMPT_HEADER, CACHE_HEADER, SEQUENCE_HEADER, STATUS_HEADER } from '../jobs/reply';
import {
  controlTopology,
  flowEventsTopology,
  replyTopology,
  runEventsTopology,
  runsTopology,
  standbyTopology,
} from '../jobs/runs-topology';
import { brokerNames } from '../jobs/topology';
import {
  controlSchemas,
  deadLetterSchema,
  flowEventSchema,
  jobSchema,
  replySchemas,
} from './message-schemas';

type Topology = ReturnType<typeof runsTopology>;
type Queue = Topology['queues'][number];
type Part = Readonly<Record<string, unknown>>;

const JOB = 'job';
const DEAD_RUN = 'dead-run';
const FLOW_EVENT = 'flow-event';
const POOL = '{pool}';
const INSTANCE = '{instance}';

/** The AsyncAPI 3.0 document of what processes send each other: queues from the topology, bodies from the contracts. */
export function asyncApiDocument(version: string): Part {
  const names = brokerNames();
  const replies = Object.keys(replySchemas);
  const controls = Object.keys(controlSchemas);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Millrace, between its processes',
      version,
      description:
        'Messages on RabbitMQ. `pool` names a group of executors, `instance` one process. An installation may put a prefix before every name.',
    },
    defaultContentType: 'application/json',
    channels: {
      ...exchanges(runsTopology(names, [POOL])),
      ...channels(runsTopology(names, [POOL]), [JOB], { [names.deadQueue]: [DEAD_RUN, JOB] }),
      ...channels(standbyTopology(names, POOL), [JOB]),
      ...channels(replyTopology(names, INSTANCE), replies),
      ...channels(runEventsTopology(names), replies),
      ...channels(flowEventsTopology(names, INSTANCE), [FLOW_EVENT]),
      ...exchanges(controlTopology(names, INSTANCE)),
      ...channels(controlTopology(names, INSTANCE), controls),
    },
    operations: {
      sendJob: operation('send', names.runsExchange, [], 'A gateway, or the sweeper, asks for an attempt.'),
      ...Object.fromEntries(
        (['interactive', 'background'] as const).map((lane) => [
          `receive${lane === 'interactive' ? 'Interactive' : 'Background'}Job`,
          operation('receive', names.lane(lane, POOL), [JOB], `An executor takes a job of the ${lane} lane.`),
        ]),
      ),
      receiveStandbyJob: operation(
        'receive',
        names.standbyLane(POOL),
        [JOB],
        'An executor takes a job of the interactive lane while the queue of that lane does not answer.',
      ),
      receiveQuarantinedJob: operation(
        'receive',
        names.quarantineQueue,
        [JOB],
        'An executor tries alone what ended others.',
      ),
      sendDeadRun: operation(
        'send',
        names.deadQueue,
        [DEAD_RUN],
        'The sweeper tells of a run that is dead. Nobody here takes it: it is for whoever watches.',
      ),
      sendReply: operation(
        'send',
        names.reply(INSTANCE),
        replies,
        'An executor answers the gateway that asked.',
      ),
      receiveReply: operation('receive', names.reply(INSTANCE), replies, 'A gateway hears of its runs.'),
      sendFlowEvent: operation(
        'send',
        names.flowEvents(INSTANCE),
        [FLOW_EVENT],
        'An executor tells who watches a flow of its background runs.',
      ),
      receiveFlowEvent: operation(
        'receive',
        names.flowEvents(INSTANCE),
        [FLOW_EVENT],
        'A gateway hears of the flows that are watched there.',
      ),
      sendRunEvents: operation(
        'send',
        names.runEvents,
        replies,
        'An executor answers whichever gateway follows the run.',
      ),
      receiveRunEvents: operation(
        'receive',
        names.runEvents,
        replies,
        'Any gateway keeps the events of followed runs.',
      ),
      sendControl: operation('send', names.controlExchange, [], 'Any process tells all others.'),
      receiveControl: operation('receive', names.control(INSTANCE), controls, 'Every process listens.'),
    },
    components: { messages: messages() },
  };
}

function messages(): Part {
  const replyHeaders = {
    type: 'object',
    properties: {
      [ATTEMPT_HEADER]: { type: 'integer' },
      [SEQUENCE_HEADER]: { type: 'integer' },
      [STATUS_HEADER]: { enum: ['succeeded', 'failed', 'cancelled', 'timed_out', 'dead'] },
      [CACHE_HEADER]: { enum: ['hit', 'miss', 'bypass'] },
    },
    required: [ATTEMPT_HEADER, SEQUENCE_HEADER],
  };
  return {
    [JOB]: { summary: 'Asks an executor for an attempt', payload: jobSchema },
    [DEAD_RUN]: { summary: 'A run that was given up, and why', payload: deadLetterSchema },
    [FLOW_EVENT]: {
      summary: 'What happened to a background run of a watched flow',
      headers: { type: 'object', properties: { [FLOW_HEADER]: uuid }, required: [FLOW_HEADER] },
      payload: flowEventSchema,
    },
    ...Object.fromEntries(
      Object.entries(replySchemas).map(([type, payload]) => [type, { headers: replyHeaders, payload }]),
    ),
    ...Object.fromEntries(Object.entries(controlSchemas).map(([kind, payload]) => [kind, { payload }])),
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
  others: Readonly<Record<string, readonly string[]>> = {},
): Part {
  return Object.fromEntries(
    queues.map((queue) => [queue.name, channel(queue, others[queue.name] ?? carried)]),
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
