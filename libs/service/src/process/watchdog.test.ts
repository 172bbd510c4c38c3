import { setTimeout as pause } from 'node:timers/promises';
import { startProgram } from '../testing/start-program';

const start = `console.log('started');
  const keepAlive = setInterval(() => {}, 1000);
  const watchdog = service.startWatchdog({ name: 'test', limitMilliseconds: 600 });`;
const block = (milliseconds: number) =>
  `{ const until = Date.now() + ${milliseconds}; while (Date.now() < until) {} }`;

test('kills a process whose event loop is blocked, and logs that before', async () => {
  const { code, output } = await startProgram(`${start} setTimeout(() => { for (;;) {} }, 500);`).ended;
  expect(code).toBeNull();
  const lines = output
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject([
    { level: 'warn', name: 'test', msg: 'test: event loop blocked' },
    { level: 'fatal', name: 'test', msg: 'test: event loop blocked for too long; killing the process' },
  ]);
});

test('does not kill a process that is only slow or was frozen as a whole', async () => {
  const program = startProgram(`${start}
    let rounds = 0;
    const busy = setInterval(async () => {
      ${block(150)}
      rounds += 1;
      if (rounds === 10) console.log('half');
      if (rounds < 20) return;
      clearInterval(busy);
      clearInterval(keepAlive);
      await watchdog.close();
      console.log('done');
    }, 1);`);
  await program.line('half');
  program.signal('SIGSTOP');
  await pause(1_500);
  program.signal('SIGCONT');
  const { code, output } = await program.ended;
  expect(output).toContain('done');
  expect(code).toBe(0);
});
