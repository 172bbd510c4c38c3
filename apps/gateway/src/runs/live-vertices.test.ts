import type { ControlMessage } from '@millrace/messages';
import type { RunTrace } from '@millrace/runs';
import { until } from '@millrace/service/testing';
import { LiveVertices } from './live-vertices';

function asking() {
  const sent: ControlMessage[] = [];
  const send = async (message: ControlMessage) => void sent.push(message);
  const vertices = new LiveVertices({ control: { send }, instance: 'one' });
  const answer = (attempt: number, asker = 'one') =>
    vertices.handleAnswer({
      kind: 'vertices-so-far',
      runId: 'run',
      asker,
      trace: JSON.stringify({ attempt }),
    });
  return { sent, vertices, answer };
}

const attemptOf = async (trace: Promise<RunTrace | null>) => (await trace)?.attempt ?? null;

test('all who watch a run share a question and, for a moment, its answer', async () => {
  const { sent, vertices, answer } = asking();
  const asked = [vertices.ask('run'), vertices.ask('run')];
  answer(2, 'another gateway');
  answer(1);
  asked.push(vertices.ask('run'));
  expect(await Promise.all(asked.map(attemptOf))).toEqual([1, 1, 1]);
  expect(sent).toEqual([{ kind: 'which-vertices', runId: 'run', asker: 'one' }]);
  await until(() => {
    void vertices.ask('run');
    return sent.length === 2;
  }, 'the run was not asked about again');
});

test('a run whose executor did not answer is not asked about again at once, and a late answer is used', async () => {
  const { sent, vertices, answer } = asking();
  expect(await vertices.ask('run')).toBeNull();
  expect(await vertices.ask('run')).toBeNull();
  answer(1);
  expect(await attemptOf(vertices.ask('run'))).toBe(1);
  expect(sent).toHaveLength(1);
});
