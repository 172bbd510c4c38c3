import { PythonFloat } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import fc from 'fast-check';
import { encodeFrame } from './encode-frame';
import { FrameDecoder, FrameError } from './frame-decoder';

const limit = 1_000_000;

test('frames arrive whole however their bytes are split', () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string(), fc.oneof(fc.string({ unit: 'binary' }), fc.integer())), {
        maxLength: 5,
      }),
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }),
      (frames, sizes) => {
        const bytes = Buffer.concat(frames.map((frame) => encodeFrame(frame, limit)));
        const decoder = new FrameDecoder(limit);
        const received: PythonObject[] = [];
        for (let position = 0, turn = 0; position < bytes.length; turn += 1) {
          const end = position + (sizes[turn % sizes.length] ?? 1);
          received.push(...decoder.push(bytes.subarray(position, end)));
          position = end;
        }
        expect(JSON.stringify(received)).toBe(JSON.stringify(frames));
      },
    ),
  );
});

test('floats and integers stay apart', () => {
  const [frame] = new FrameDecoder(limit).push(encodeFrame({ a: new PythonFloat(2), b: 2 }, limit));
  expect(frame).toEqual({ a: new PythonFloat(2), b: 2 });
});

test('a frame beyond the limit is refused before it arrives', () => {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(limit + 1);
  expect(() => [...new FrameDecoder(limit).push(header)]).toThrow(FrameError);
  expect(() => encodeFrame({ a: 'x'.repeat(limit) }, limit)).toThrow('larger than 1 MiB');
});

test.each(['{', '[]', '1', 'null'])('the body %s is no frame', (json) => {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(json.length);
  const bytes = Buffer.concat([header, Buffer.from(json)]);
  expect(() => [...new FrameDecoder(limit).push(bytes)]).toThrow(FrameError);
});
