import type { BrokerNames, Job } from '@millrace/messages';
import type { Delivery, MessageBus } from '@millrace/messaging';
import { until } from '@millrace/service/testing';

/** Sends jobs and control messages, and collects the replies of executors. */
export async function testMessages(bus: MessageBus, names: BrokerNames) {
  const replyTo = names.reply('test');
  return { ...sentMessages(bus, names, replyTo), ...(await receivedReplies(bus, replyTo)) };
}

function sentMessages(bus: MessageBus, names: BrokerNames, replyTo: string) {
  async function sendText(text: string, { lane, runId }: Pick<Job, 'lane' | 'runId'>): Promise<void> {
    await bus.publish({
      exchange: names.runsExchange,
      routingKey: names.routingKey(lane, 'default'),
      body: Buffer.from(text),
      persistent: lane === 'background',
      mandatory: true,
      correlationId: runId,
      replyTo,
    });
  }

  const send = (job: Job): Promise<void> => sendText(JSON.stringify(job), job);

  /**
   * Sends a job to an executor that does not finish it; must be called while no other executor runs. The returned
   * function crashes that executor, so that the next one gets a redelivery.
   */
  async function sendToCrashingExecutor(job: Job): Promise<() => Promise<void>> {
    let onTaken: () => void = () => undefined;
    const taken = new Promise<void>((resolve) => {
      onTaken = resolve;
    });
    const crashingExecutor = await bus.consume(names.lane(job.lane, 'default'), { prefetch: 1 }, async () => {
      onTaken();
      return new Promise(() => undefined);
    });
    await send(job);
    await taken;
    return () => crashingExecutor.close({ deadlineMilliseconds: 0 });
  }

  /** Sends a job so that the next executor gets it as a redelivery. */
  async function sendAsRedelivery(job: Job): Promise<void> {
    const crash = await sendToCrashingExecutor(job);
    await crash();
  }

  const control = (message: unknown): Promise<void> =>
    bus.publish({
      exchange: names.controlExchange,
      routingKey: '',
      body: Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)),
      persistent: false,
      mandatory: false,
    });

  return { send, sendText, sendToCrashingExecutor, sendAsRedelivery, control };
}

async function receivedReplies(bus: MessageBus, replyTo: string) {
  const replies: Delivery[] = [];
  await bus.consume(replyTo, { prefetch: 100, noAck: true }, async (delivery) => {
    replies.push(delivery);
    return 'done';
  });

  const finals = (runId: string): Delivery[] =>
    replies.filter(({ correlationId, type }) => correlationId === runId && type === 'final');

  async function finalReply(runId: string): Promise<Delivery> {
    await until(() => finals(runId).length > 0, `run ${runId} was not answered`);
    return finals(runId)[0] as Delivery;
  }

  async function recorded(runId: string): Promise<void> {
    const isRecorded = () =>
      replies.some(({ type, body }) => type === 'recorded' && body.toString().includes(runId));
    await until(isRecorded, `run ${runId} was not recorded`);
  }

  return { replies, finals, finalReply, recorded };
}
