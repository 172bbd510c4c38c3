import { serverTiming } from './answer-headers';

test.each([
  ['1.5 20.0 Agent-b', 'run;dur=30.3, queue;dur=1.5, vertex;dur=20.0;desc="Agent-b"'],
  ['1.5 20.0 a "ž"\\ b', 'run;dur=30.3, queue;dur=1.5, vertex;dur=20.0;desc="a ???? b"'],
  [`1.5 20.0 ${'v'.repeat(200)}`, `run;dur=30.3, queue;dur=1.5, vertex;dur=20.0;desc="${'v'.repeat(100)}"`],
  ['unreadable', 'run;dur=30.3'],
  [null, 'run;dur=30.3'],
])('Server-Timing names the run, the queue and the slowest vertex: %s', (reported, header) => {
  expect(serverTiming(30.26, reported)).toBe(header);
});
