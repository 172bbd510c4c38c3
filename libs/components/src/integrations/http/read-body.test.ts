import { limitedParts, readBody } from './read-body';

const call = { service: 'The fake', url: new URL('http://fake.test/'), maximumBytes: 1_000 };
const tooLarge = { message: 'The fake answered with more than 0.00 MiB.', reason: 'too_large' };

/** A body of ten parts of `bytes` each, or without end if these are too many, and whether its reader has left it early. */
function parts(
  bytes: number,
  headers: Record<string, string> = {},
): { response: Response; left: () => boolean } {
  let [count, left] = [0, false];
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (count === 10 && bytes <= 100) return controller.close();
      count += 1;
      controller.enqueue(Buffer.alloc(bytes));
    },
    cancel: () => void (left = true),
  });
  return { response: new Response(stream, { headers }), left: () => left };
}

test.each([{}, { 'content-length': '20', 'content-encoding': 'gzip' }])(
  'parts are added up where no length is declared that counts: %j',
  async (headers) => {
    let seen = 0;
    const read = async (bytes: number) => {
      const { response, left } = parts(bytes, headers);
      const length = (async () => {
        for await (const part of limitedParts(response, call, () => (seen += 1)))
          expect(part).toHaveLength(bytes);
      })();
      return { length, left };
    };
    const whole = await read(100);
    await whole.length;
    expect([seen, whole.left()]).toEqual([10, false]);
    const long = await read(101);
    await expect(long.length).rejects.toMatchObject(tooLarge);
    expect([seen, long.left()]).toEqual([19, true]);
    await expect(readBody(parts(101, headers).response, call)).rejects.toMatchObject(tooLarge);
    expect(await readBody(parts(100, headers).response, call)).toHaveLength(1_000);
  },
);

test('a body whose declared length is too large is not read', async () => {
  const { response, left } = parts(1, { 'content-length': '1001' });
  await expect(readBody(response, call)).rejects.toMatchObject(tooLarge);
  expect(left()).toBe(true);
});
