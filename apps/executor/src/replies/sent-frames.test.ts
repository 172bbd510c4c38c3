import { SEQUENCE_HEADER } from '@millrace/messages';
import type { OutgoingMessage } from '@millrace/messaging';
import { SentFrames } from './sent-frames';

const frame = (sequence: number, bytes = 1): OutgoingMessage => ({
  exchange: '',
  routingKey: 'gateway',
  headers: { [SEQUENCE_HEADER]: sequence },
  body: Buffer.alloc(bytes),
  persistent: false,
  mandatory: false,
});
const sequences = (frames: readonly OutgoingMessage[]) =>
  frames.map(({ headers }) => headers?.[SEQUENCE_HEADER]);

test('the frames of a run are those of its newest attempt, from a number on', () => {
  const sent = new SentFrames();
  for (const sequence of [0, 1, 2]) sent.add('run', 1, frame(sequence));
  sent.add('other', 1, frame(7));
  expect(sequences(sent.since('run', 1, 0))).toEqual([0, 1, 2]);
  expect(sequences(sent.since('run', 1, 1))).toEqual([1, 2]);
  expect(sequences(sent.since('run', 2, 0))).toEqual([]);
  expect(sequences(sent.since('unknown', 1, 0))).toEqual([]);
  sent.add('run', 2, frame(0));
  sent.add('run', 2, frame(1));
  expect(sequences(sent.since('run', 1, 5))).toEqual([0, 1]);
  expect(sequences(sent.since('run', 2, 1))).toEqual([1]);
});

test('a run keeps its last four mebibytes', () => {
  const sent = new SentFrames();
  for (const sequence of [0, 1, 2, 3]) sent.add('run', 1, frame(sequence, 1_048_576));
  expect(sequences(sent.since('run', 1, 0))).toEqual([0, 1, 2, 3]);
  sent.add('run', 1, frame(4));
  expect(sequences(sent.since('run', 1, 0))).toEqual([1, 2, 3, 4]);
  sent.add('run', 1, frame(5, 4_194_305));
  expect(sequences(sent.since('run', 1, 0))).toEqual([]);
});

test('all runs together keep 32 MiB', () => {
  const sent = new SentFrames();
  for (let index = 0; index < 9; index += 1) sent.add(`run ${index}`, 1, frame(index, 4_000_000));
  expect([0, 1, 8].map((index) => sent.since(`run ${index}`, 1, 0).length)).toEqual([0, 1, 1]);
});
