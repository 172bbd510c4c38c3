import { createHash } from 'node:crypto';
import { compile, parseFlowDocument } from '@millrace/flow';
import type { ComponentContext, ComponentRegistry, VertexCall } from '@millrace/flow';
import type { PythonPool } from '@millrace/python';
import { ApprovedCode } from '@millrace/runs';
import type { AuthorCodeStatus, SubmittedCode } from '@millrace/runs';
import { AttemptPython } from './attempt-python';

const text = 'class Mine(Component): pass';
const sha256 = createHash('sha256').update(text).digest('hex');
const environment = {
  python: '3.11.7',
  lfx: '1.13.0',
  components: new Map<string, string>(),
  modules: new Set<string>(),
};
const registry: ComponentRegistry = {
  all: [],
  find: () => undefined,
  python: { mode: 'approved', environment },
};
const node = { template: { code: { type: 'code', value: text } }, outputs: [] };
const document = { nodes: [{ id: 'Mine-1', data: { type: 'Mine', node } }], edges: [] };
const plan = compile(parseFlowDocument(document), { flowId: 'f', version: 1, registry });

/** An attempt of a run; `decide` stores what an admin decided about the text. */
function attempt(first: AuthorCodeStatus) {
  let status = first;
  let pools = 0;
  const leased: unknown[] = [];
  const submitted: SubmittedCode[] = [];
  const approvedCode = new ApprovedCode({
    store: { statuses: async () => new Map([[sha256, status]]) },
    mode: 'approved',
  });
  const python = {
    // A text that is refused does not reach it.
    openPool: async () => {
      pools += 1;
      const lease = (key: unknown) => {
        leased.push(key);
        throw new Error('No process is free.');
      };
      return { lease } as unknown as PythonPool;
    },
    approvedCode,
    authorCode: {
      submit: async (_userId: string, texts: readonly SubmittedCode[]) => submitted.push(...texts),
    },
  };
  return {
    submitted,
    leased,
    opened: () => pools,
    attempt: new AttemptPython(python, { userId: 'u', flowId: 'f' }),
    decide(next: AuthorCodeStatus) {
      status = next;
      approvedCode.forget(sha256);
    },
  };
}

const call = { source: { sha256, text }, type: 'Mine' } as VertexCall;

test('a run with a text that waits is refused, and the text is recorded', async () => {
  const { attempt: waiting, submitted } = attempt('waiting');
  await expect(waiting.refuseUnapproved(plan)).rejects.toMatchObject({
    code: 'flow_refused',
    message: expect.stringContaining(sha256),
  });
  expect(submitted).toEqual([{ sha256, code: text, componentType: 'Mine' }]);
});

test('an approval that is withdrawn during a run holds for no further vertex', async () => {
  const { attempt: running, decide } = attempt('approved');
  await running.refuseUnapproved(plan);
  decide('refused');
  await expect(running.compute(call, {} as ComponentContext)).rejects.toThrow(
    `The Python text is not approved: an admin must approve its Python text before it runs: PUT /api/v1/author-code/${sha256}`,
  );
});

test('a vertex that starts after the end of its run leases no process', async () => {
  const { attempt: closed } = attempt('approved');
  const computing = closed.compute(call, {} as ComponentContext);
  closed.close();
  await expect(computing).rejects.toThrow('The run has ended.');
});

test('a text of a sub-flow that waits is recorded when its vertex starts', async () => {
  const { attempt: running, submitted } = attempt('waiting');
  await expect(running.compute(call, {} as ComponentContext)).rejects.toThrow('is not approved');
  expect(submitted).toEqual([{ sha256, code: text, componentType: 'Mine' }]);
});

test('the pool is opened for the first vertex in Python, and not for a text that is refused', async () => {
  const { attempt: running, decide, opened } = attempt('refused');
  await expect(running.compute(call, {} as ComponentContext)).rejects.toThrow('is not approved');
  expect(opened()).toBe(0);
  decide('approved');
  const computing = running.compute(call, {} as ComponentContext);
  running.close();
  await expect(computing).rejects.toThrow('The run has ended.');
  expect(opened()).toBe(1);
});

test('a process is leased for the version of the flow', async () => {
  const { attempt: running, leased } = attempt('approved');
  await running.refuseUnapproved(compile(parseFlowDocument(document), { flowId: 'f', version: 7, registry }));
  await expect(running.compute(call, {} as ComponentContext)).rejects.toThrow('No process is free.');
  expect(leased).toEqual([{ ownerId: 'u', flowId: 'f', version: 7 }]);
});
