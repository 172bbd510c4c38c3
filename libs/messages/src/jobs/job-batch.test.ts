import fc from 'fast-check';
import { readJobBatch, writeJobBatch } from '../index';

test('the jobs of a batch are those that were written', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 4 }), (jobs) => {
      const texts = jobs.map((job) => JSON.stringify(job));
      expect(readJobBatch(writeJobBatch(texts.map((text) => Buffer.from(text))))).toEqual(
        texts.map((text) => JSON.parse(text) as unknown),
      );
    }),
    { numRuns: 1_000 },
  );
});

test('a body that is not a list is no batch', () => {
  for (const body of ['', '{}', 'null', '[1', 'text']) expect(readJobBatch(Buffer.from(body))).toBeNull();
});
