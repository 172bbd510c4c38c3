import { ComponentError } from '@millrace/flow';
import { noResources } from '../run/no-resources';
import type { ObservedVertex, RunObserver } from '../run/run-observer';
import { combineObservers } from './combine-observers';

/** An observer that notes its calls, each with its name. */
function noting(name: string, calls: string[]): RunObserver {
  const step = (what: string) => ({
    within: <Value>(work: () => Value): Value => {
      calls.push(`${name} > ${what}`);
      const value = work();
      calls.push(`${name} < ${what}`);
      return value;
    },
    succeeded: (result: unknown) => void calls.push(`${name} ${what} ${String(result)}`),
    failed: (error: unknown) => void calls.push(`${name} ${what} failed: ${String(error)}`),
  });
  const begin = (what: string) => (given: unknown) => {
    calls.push(`${name} ${what} ${String(given)}`);
    return step(what);
  };
  const vertex = {
    ...step('vertex'),
    given: (values: unknown) => void calls.push(`${name} given ${String(values)}`),
    modelCall: begin('model'),
    toolCall: begin('tool'),
    retrieval: begin('retrieval'),
  };
  return { vertex: () => vertex as unknown as ObservedVertex };
}

test('combined observers are notified of each step, the first one innermost', () => {
  const calls: string[] = [];
  const silent = noting('b', calls);
  const observer = combineObservers(noting('a', calls), null, silent, undefined);
  const vertex = observer?.vertex({} as never);
  vertex?.given?.('values' as never);
  expect(vertex?.within(() => calls.push('work'))).toBe(5);
  vertex?.modelCall('m' as never).succeeded('answer' as never);
  vertex?.toolCall('t' as never).failed('no tool');
  expect(vertex?.retrieval('r' as never).within(() => 7)).toBe(7);
  vertex?.succeeded('record' as never);
  vertex?.failed('broken');
  expect(calls).toEqual([
    'a given values',
    'b given values',
    'b > vertex',
    'a > vertex',
    'work',
    'a < vertex',
    'b < vertex',
    'a model m',
    'b model m',
    'a model answer',
    'b model answer',
    'a tool t',
    'b tool t',
    'a tool failed: no tool',
    'b tool failed: no tool',
    'a retrieval r',
    'b retrieval r',
    'b > retrieval',
    'a > retrieval',
    'a < retrieval',
    'b < retrieval',
    'a vertex record',
    'b vertex record',
    'a vertex failed: broken',
    'b vertex failed: broken',
  ]);
});

test('one observer stays as it is, and of none there is none', () => {
  const one = noting('a', []);
  expect(combineObservers(undefined, one, null)).toBe(one);
  expect(combineObservers(null, undefined)).toBeUndefined();
});

test('a run without resources names the one that is missing', () => {
  const names = ['files', 'vectors', 'scripts', 'flows', 'mcpServers', 'python'] as const;
  const refusals = [
    ...names.map((name) => () => noResources[name]),
    () => noResources.dial('host' as never, 1 as never),
  ].map((use) => {
    try {
      return use();
    } catch (error) {
      return error instanceof ComponentError ? error.message : error;
    }
  });
  expect(refusals).toEqual(
    ['files', 'local vectors', 'scripts', 'other flows', 'stored MCP servers', 'Python', 'connections'].map(
      (what) => `This run has no ${what}.`,
    ),
  );
  expect(noResources.isAllowed('anything' as never)).toBe(false);
});
