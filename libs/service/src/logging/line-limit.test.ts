import { setTimeout as pause } from 'node:timers/promises';
import { createMetrics, LineLimit } from '../index';

function limited(options: { linesPerSubject?: number; lines?: number } = {}) {
  const written: { fields: object; message: string }[] = [];
  const metrics = createMetrics();
  const limit = new LineLimit({
    logger: { warn: (fields, message) => void written.push({ fields, message }) },
    about: 'failed runs',
    metrics,
    ...options,
  });
  return { limit, written, metrics };
}

const times = (count: number) => Array.from({ length: count }, (_, index) => index);

test('counts suppressed lines and summarizes them in one line', async () => {
  const { limit, written, metrics } = limited({ linesPerSubject: 2, lines: 3 });
  expect(times(10).filter(() => limit.allows('flow-1'))).toEqual([0, 1]);
  expect(times(10).filter(() => limit.allows('flow-2'))).toEqual([0]);
  expect(written).toEqual([]);
  limit.close();
  const fields = { suppressed: 17, subjects: { 'flow-1': 8, 'flow-2': 9 } };
  expect(written).toEqual([{ fields, message: 'lines about failed runs suppressed' }]);
  limit.close();
  expect(written).toHaveLength(1);
  expect(await metrics.prometheusText()).toContain(
    'millrace_log_lines_suppressed_total{about="failed runs"} 17',
  );
  await metrics.close();
});

test('names only some of many subjects', () => {
  const { limit, written } = limited({ lines: 1 });
  for (const index of times(1_000)) limit.allows(`flow-${index}`);
  limit.close();
  expect(written).toMatchObject([{ fields: { suppressed: 999 } }]);
  expect(JSON.stringify(written).length).toBeLessThan(500);
});

test('writes the summary after its interval', async () => {
  const { limit, written } = limited({ lines: 1 });
  times(5).forEach(() => limit.allows('flow'));
  while (written.length === 0) await pause(20);
  expect(written).toMatchObject([{ fields: { suppressed: 4, subjects: { flow: 4 } } }]);
});
