import { encodeFrame } from '../frames/encode-frame';
import { Requests } from './requests';

const maximumFrameBytes = 128 * 1024;

/** Requests of a process; `sent` are the frames that it got. */
function requests() {
  const sent: object[] = [];
  const all = new Requests((frame) => {
    encodeFrame(frame, maximumFrameBytes);
    sent.push(frame);
  });
  return { all, sent };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const callBytes = 100;
const long = 'é'.repeat(100_000);

test('a call with a long name of its method is answered, with a part of the name', async () => {
  const { all, sent } = requests();
  all.receive({ call: 1, run: 7, method: long }, callBytes);
  await settled();
  expect(sent).toEqual([{ answer: 1, error: expect.stringMatching(/^No component is running.*: é+…$/) }]);
});

test('a call that fails with a long text is answered with a part of it', async () => {
  const { all, sent } = requests();
  void all.start((run) => ({ run }), { call: () => Promise.reject(new Error(long)) });
  all.receive({ call: 1, run: 1, method: 'variable' }, callBytes);
  await settled();
  expect(sent[1]).toEqual({ answer: 1, error: `${'é'.repeat(10_000)}…` });
});

test('an answer that is too large for a frame fails the call', async () => {
  const { all, sent } = requests();
  void all.start((run) => ({ run }), { call: () => Promise.resolve(long) });
  all.receive({ call: 1, run: 1, method: 'variable' }, callBytes);
  await settled();
  expect(sent[1]).toMatchObject({ answer: 1, error: expect.stringContaining('are larger than') });
});

test.each([
  ['256 calls', 256, callBytes],
  ['calls of 128 MiB together', 4, 32 * 1024 * 1024],
])('%s can be in progress at a time', async (_title, count, bytes) => {
  const { all, sent } = requests();
  const answers: (() => void)[] = [];
  const call = () => new Promise<null>((resolve) => answers.push(() => resolve(null)));
  void all.start((run) => ({ run }), { call });
  for (let number = 1; number <= count + 1; number += 1)
    all.receive({ call: number, run: 1, method: 'variable' }, bytes);
  await settled();
  expect(sent.slice(1)).toEqual([
    { answer: count + 1, error: 'There are too many calls, so this call was refused: variable' },
  ]);
  answers[0]?.();
  await settled();
  all.receive({ call: count + 2, run: 1, method: 'variable' }, bytes);
  expect(answers).toHaveLength(count + 1);
});
