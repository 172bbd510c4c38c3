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
const long = 'é'.repeat(100_000);

test('a call with a long name of its method is answered, with a part of the name', async () => {
  const { all, sent } = requests();
  all.receive({ call: 1, run: 7, method: long });
  await settled();
  expect(sent).toEqual([{ answer: 1, error: expect.stringMatching(/^No component is running.*: é+…$/) }]);
});

test('a call that fails with a long text is answered with a part of it', async () => {
  const { all, sent } = requests();
  void all.start((run) => ({ run }), { call: () => Promise.reject(new Error(long)) });
  all.receive({ call: 1, run: 1, method: 'variable' });
  await settled();
  expect(sent[1]).toEqual({ answer: 1, error: `${'é'.repeat(10_000)}…` });
});

test('an answer that is too large for a frame fails the call', async () => {
  const { all, sent } = requests();
  void all.start((run) => ({ run }), { call: () => Promise.resolve(long) });
  all.receive({ call: 1, run: 1, method: 'variable' });
  await settled();
  expect(sent[1]).toMatchObject({ answer: 1, error: expect.stringContaining('are larger than') });
});
