import { mergeMetrics } from './merge-metrics';

test('groups the samples of a metric under one head and labels them by worker', () => {
  const one =
    '# HELP runs Runs.\n# TYPE runs counter\nruns 3\n# HELP lag Lag.\n# TYPE lag gauge\nlag{of="a b"} 1\n';
  const other = '# HELP runs Runs.\n# TYPE runs counter\nruns{lane="x"} 4\n';
  expect(
    mergeMetrics(
      new Map([
        ['1', one],
        ['2', other],
      ]),
    ).split('\n'),
  ).toEqual([
    '# HELP runs Runs.',
    '# TYPE runs counter',
    'runs{worker="1"} 3',
    'runs{worker="2",lane="x"} 4',
    '# HELP lag Lag.',
    '# TYPE lag gauge',
    'lag{worker="1",of="a b"} 1',
    '',
  ]);
});

test('merges empty texts to an empty text', () => {
  expect(mergeMetrics(new Map([['1', '# no registered metrics']]))).toBe('');
});
