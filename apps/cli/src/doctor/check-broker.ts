import { brokerNames, runsTopology } from '@millrace/messages';
import { dialBroker, queueOptions } from '@millrace/messaging';
import type { TlsMaterial } from '@millrace/service';
import { reasonOf } from '../client/reason-of';
import type { Findings } from './finding';

const CONNECT_MILLISECONDS = 5_000;

export interface BrokerCheck {
  readonly urls: readonly string[];
  readonly tls: TlsMaterial | undefined;
  readonly prefix: string;
  readonly pools: readonly string[];
  readonly findings: Findings;
}

/** Checks the queues of the lanes: existence, kind, consumers, messages. Creates and changes nothing. */
export async function checkBroker(check: BrokerCheck): Promise<void> {
  const { urls, findings } = check;
  for (const url of urls) await checkNode(url, check);
  if (urls.length === 0) findings.fact('in-process bus');
}

async function checkNode(url: string, check: BrokerCheck): Promise<void> {
  const { findings } = check;
  const host = URL.parse(url)?.host ?? '';
  let connection: Awaited<ReturnType<typeof dialBroker>>;
  try {
    connection = await dialBroker(url, {
      tls: check.tls,
      connectionName: 'millrace-doctor',
      connectTimeoutMilliseconds: CONNECT_MILLISECONDS,
      heartbeatSeconds: 10,
    });
  } catch (error) {
    return findings.error(
      'broker_unavailable',
      `RabbitMQ at ${host} cannot be used: ${reasonOf(error)}`,
      'Start the server, and check AMQP_URL, its user, its password and its virtual host.',
    );
  }
  connection.model.on('error', () => undefined);
  let blocked: string | undefined;
  connection.model.on('blocked', (reason) => void (blocked = String(reason)));
  try {
    findings.fact(`RabbitMQ ${serverVersion(connection.model)}`);
    await checkQueues(connection.model, check);
    if (blocked !== undefined)
      findings.error(
        'broker_blocked',
        `RabbitMQ accepts no messages: ${blocked}`,
        'Free memory or disk on its machine.',
      );
  } finally {
    await connection.model.close().catch(() => undefined);
    connection.destroy();
  }
}

type Model = Awaited<ReturnType<typeof dialBroker>>['model'];

function serverVersion(model: Model): string {
  const { serverProperties } = model.connection as { serverProperties?: { version?: unknown } };
  return String(serverProperties?.version ?? 'of an unknown version');
}

async function checkQueues(model: Model, { prefix, pools, findings }: BrokerCheck): Promise<void> {
  const names = brokerNames(prefix);
  for (const queue of runsTopology(names, pools).queues) {
    const status = await onChannel(model, (channel) => channel.checkQueue(queue.name));
    if ('reason' in status) {
      const remedy = 'Start a gateway or an executor, which declares it.';
      if (status.code === 404)
        findings.warn('queue_missing', `The queue ${queue.name} does not exist.`, remedy);
      else
        findings.error(
          'queue_unusable',
          `The queue ${queue.name} cannot be used: ${status.reason}`,
          'Check the node of the queue with rabbitmqctl list_queues name state.',
        );
      continue;
    }
    // It exists, so that this declares nothing: it compares.
    const compared = await onChannel(model, (channel) =>
      channel.assertQueue(queue.name, queueOptions(queue)),
    );
    if ('reason' in compared)
      findings.error(
        'queue_kind_wrong',
        `The queue ${queue.name} has other settings than this release declares (${queue.kind}): ${compared.reason}`,
        `Stop the services, delete the queue when it is empty (rabbitmqadmin delete queue name=${queue.name}), and start them.`,
      );
    checkLane(queue.name, status.result, names, findings);
  }
}

function checkLane(
  queue: string,
  { messageCount, consumerCount }: { readonly messageCount: number; readonly consumerCount: number },
  names: ReturnType<typeof brokerNames>,
  findings: Findings,
): void {
  if (queue === names.deadQueue) {
    if (messageCount > 0)
      findings.warn(
        'dead_letters',
        `${queue} has ${messageCount} messages.`,
        'millrace dead list; remove them once handled.',
      );
    return;
  }
  if (consumerCount > 0) return;
  if (messageCount > 0)
    findings.error(
      'lane_without_consumer',
      `${queue} has ${messageCount} messages and no executor.`,
      'Start an executor of this pool.',
    );
  else findings.warn('lane_idle', `${queue} has no executor.`, 'Start an executor of this pool.');
}

type Channel = Awaited<ReturnType<Model['createChannel']>>;

/** RabbitMQ closes a channel with the error of a command, so each has its own. */
async function onChannel<T>(
  model: Model,
  command: (channel: Channel) => Promise<T>,
): Promise<{ readonly result: T } | { readonly reason: string; readonly code: number | undefined }> {
  const channel = await model.createChannel();
  channel.on('error', () => undefined);
  try {
    const result = await command(channel);
    await channel.close();
    return { result };
  } catch (error) {
    return { reason: reasonOf(error), code: (error as { code?: number }).code };
  }
}
