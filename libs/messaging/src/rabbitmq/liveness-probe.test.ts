import type { ChannelModel } from 'amqplib';
import { LivenessProbe } from './liveness-probe';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Opens a probe of a node that answers only when `answer` is called; `silences` counts its reports. */
function openProbe() {
  const waiting: (() => void)[] = [];
  const asked = () => new Promise<void>((resolve) => waiting.push(resolve));
  const channel = { on: () => channel, prefetch: asked };
  const createChannel = () => asked().then(() => channel);
  const silences = jest.fn();
  const probe = new LivenessProbe({ createChannel } as unknown as ChannelModel, silences);
  const answer = async () => {
    for (const resolve of waiting.splice(0)) resolve();
    await jest.advanceTimersByTimeAsync(0);
  };
  return { probe, answer, silences };
}

const pass = (seconds: number) => jest.advanceTimersByTimeAsync(seconds * 1_000);

test('a node that has not answered for five seconds is reported, once', async () => {
  const { silences } = openProbe();
  await pass(4);
  expect(silences).not.toHaveBeenCalled();
  await pass(1);
  expect(silences).toHaveBeenCalledTimes(1);
  await pass(60);
  expect(silences).toHaveBeenCalledTimes(1);
});

test('an answer begins the five seconds again', async () => {
  const { answer, silences } = openProbe();
  await pass(4);
  // The channel, then the request on it.
  await answer();
  await answer();
  await pass(4);
  expect(silences).not.toHaveBeenCalled();
  await answer();
  await pass(5);
  expect(silences).toHaveBeenCalledTimes(1);
});

test('the seconds of a connection that RabbitMQ blocks do not count, and none count after the end', async () => {
  const { probe, silences } = openProbe();
  await pass(4);
  probe.isPaused = true;
  await pass(60);
  probe.isPaused = false;
  await pass(3);
  expect(silences).not.toHaveBeenCalled();
  probe.stop();
  await pass(60);
  expect(silences).not.toHaveBeenCalled();
});
