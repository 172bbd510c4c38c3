import fc from 'fast-check';
import { readReplyBatch, writeReplyBatch } from '../index';
import type { BatchedReply } from '../index';

const reply: fc.Arbitrary<BatchedReply> = fc.record({
  type: fc.constantFrom('events' as const, 'final' as const),
  correlationId: fc.uuid(),
  headers: fc.record({
    'x-attempt': fc.integer(),
    'x-timing': fc.string({ unit: 'binary', maxLength: 10 }),
  }),
  body: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
});

test('the replies of a batch are those that were written', () => {
  fc.assert(
    fc.property(fc.array(reply, { minLength: 1, maxLength: 5 }), (replies) => {
      // A lone surrogate is replaced when it is written as UTF-8, as in the headers of a message.
      const written = replies.map((one) => ({ ...one, headers: wellFormed(one.headers) }));
      expect(readReplyBatch(writeReplyBatch(written))).toEqual(written);
    }),
    { numRuns: 250 },
  );
});

test('a batch that was cut or extended is refused', () => {
  const batch = writeReplyBatch([
    { type: 'final', correlationId: 'run', headers: { 'x-attempt': 1 }, body: Buffer.from('{}') },
  ]);
  for (let length = 0; length < batch.length; length += 1)
    expect(() => readReplyBatch(batch.subarray(0, length))).toThrow();
  expect(() => readReplyBatch(Buffer.concat([batch, Buffer.from(' ')]))).toThrow(RangeError);
});

function wellFormed(headers: BatchedReply['headers']): BatchedReply['headers'] {
  return JSON.parse(Buffer.from(JSON.stringify(headers)).toString()) as BatchedReply['headers'];
}
