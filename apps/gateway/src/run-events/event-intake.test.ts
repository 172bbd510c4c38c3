import { ATTEMPT_HEADER, brokerNames, SEQUENCE_HEADER } from '@millrace/messages';
import { openKeyValueStore } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import { openMessageBus } from '@millrace/messaging';
import type { MessageBus } from '@millrace/messaging';
import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { EventIntake } from './event-intake';
import { FollowedRuns } from './followed-runs';
import { RunFrameLog } from './run-frame-log';

const names = brokerNames('');
const lines: string[] = [];
const name = 'event-intake-test';
const logger = createLogger({ name, level: 'warn', destination: { write: (line) => void lines.push(line) } });
let bus: MessageBus;
let keyValue: KeyValueStore;

beforeEach(async () => {
  lines.splice(0);
  bus = await openMessageBus({ url: undefined, logger, name });
  keyValue = await openKeyValueStore({ url: undefined, prefix: '', logger, name });
});
afterEach(async () => {
  await bus.close();
  await keyValue.close();
});

/** Opens the intake on a store that refuses so many frames; returns the log of the run, as text. */
async function openIntake(refusals: number): Promise<() => Promise<string>> {
  let tries = 0;
  const log = new RunFrameLog({
    keyValue: {
      append: async (...given) => {
        tries += 1;
        if (tries <= refusals) throw new Error('away');
        await keyValue.append(...given);
      },
      range: (...given) => keyValue.range(...given),
    },
  });
  await new EventIntake({ bus, names, log, followed: new FollowedRuns(), logger }).open();
  return async () => (await log.read('run', 0)).map((frame) => frame.lines).join('');
}

const send = (text: string, sequence: number) =>
  bus.publish({
    exchange: '',
    routingKey: names.runEvents,
    body: Buffer.from(text),
    persistent: false,
    mandatory: true,
    correlationId: 'run',
    type: 'events',
    headers: { [ATTEMPT_HEADER]: 1, [SEQUENCE_HEADER]: sequence },
  });

test('no frame is lost while the key-value store restarts', async () => {
  const logged = await openIntake(5);
  await send('one;', 0);
  await until(async () => (await logged()) === 'one;');
  expect(lines).toEqual([]);
});

test('a frame is dropped, and logged, when the key-value store stays away', async () => {
  const logged = await openIntake(20);
  await send('one;', 0);
  await until(() => lines.length > 0);
  await send('two;', 1);
  await until(async () => (await logged()) !== '');
  expect(await logged()).toBe('two;');
  expect(lines).toEqual([expect.stringContaining('events of a followed run were dropped')]);
});

test('a reader gets at most 200 frames at once', async () => {
  const log = new RunFrameLog({ keyValue });
  for (let sequence = 0; sequence < 250; sequence += 1)
    await log.append('long', { attempt: 1, sequence, isFinal: false, lines: '' });
  const first = await log.read('long', 0);
  expect([first.length, (await log.read('long', first.length)).length]).toEqual([200, 50]);
});
