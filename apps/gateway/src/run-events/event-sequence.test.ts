import { closingEventId, eventId } from './event-id';
import { EventSequence } from './event-sequence';

const events = (attempt: number, sequence: number, ...texts: string[]) => ({
  attempt,
  sequence,
  isFinal: false,
  lines: texts.map((text) => `${text}\n`).join(''),
});
const final = (attempt: number, sequence: number) => ({ attempt, sequence, isFinal: true, lines: '' });

test('frames are delivered in order, each once, in any order of arrival', () => {
  const sequence = new EventSequence();
  expect(sequence.add(events(1, 1, 'c'))).toEqual([]);
  expect(sequence.add(events(1, 0, 'a', 'b'))).toEqual([
    { id: 1, text: 'a' },
    { id: 2, text: 'b' },
    { id: 3, text: 'c' },
  ]);
  expect(sequence.add(events(1, 1, 'c'))).toEqual([]);
  expect(sequence.isComplete).toBe(false);
  sequence.add(final(1, 2));
  expect(sequence.isComplete).toBe(true);
});

test('a new attempt is announced and ends the one before', () => {
  const sequence = new EventSequence();
  sequence.add(events(1, 0, 'a'));
  const again = sequence.add(events(2, 0, 'a'));
  expect(again.map(({ id }) => id)).toEqual([eventId(2, 0), eventId(2, 1)]);
  expect(again[0]?.text).toContain('restart');
  expect(sequence.add(events(1, 1, 'late'))).toEqual([]);
  expect(sequence.add(final(1, 2))).toEqual([]);
  expect(sequence.isComplete).toBe(false);
});

test('flush returns the frames after a lost frame', () => {
  const sequence = new EventSequence();
  sequence.add(events(1, 0, 'a'));
  expect([...sequence.add(events(1, 3, 'd')), ...sequence.add(events(1, 2, 'c'))]).toEqual([]);
  expect(sequence.flush().map(({ text }) => text)).toEqual(['c', 'd']);
  expect(sequence.flush()).toEqual([]);
});

test('ids increase over all attempts and the closing events', () => {
  const ids = [eventId(1, 1), eventId(1, 5_000_000), eventId(2, 0), eventId(900_000, 9), closingEventId(1)];
  expect([...new Set(ids)].sort((one, other) => one - other)).toEqual(ids);
});
