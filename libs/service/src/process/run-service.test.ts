import { setTimeout as pause } from 'node:timers/promises';
import { startProgram } from '../testing/start-program';

const logger = `const logger = service.createLogger({ name: 'test', level: 'info' });`;
const run = (start: string, shutdownMilliseconds = 5000) =>
  startProgram(`${logger}
    service.runService({ name: 'test', logger, shutdownMilliseconds: ${shutdownMilliseconds}, start: ${start} });`);
const keepAlive = `const timer = setInterval(() => {}, 1000); console.log('started');`;

test('closes on SIGTERM and exits with 0', async () => {
  const program = run(
    `async () => { ${keepAlive} return { close: async () => { console.log('closed'); } }; }`,
  );
  await program.line('started');
  program.signal('SIGTERM');
  const { code, output } = await program.ended;
  expect({ code, closed: output.includes('closed') }).toEqual({ code: 0, closed: true });
});

test('logs warnings about the settings once, not in each worker process', async () => {
  const program = startProgram(`${logger}
    service.runService({
      name: 'test', logger, shutdownMilliseconds: 5000, workers: 2, warnings: ['A is not a setting'],
      start: async () => { ${keepAlive} return { close: async () => clearInterval(timer) }; },
    });`);
  await program.line('all worker processes');
  program.signal('SIGTERM');
  const { code, output } = await program.ended;
  expect({ code, lines: output.match(/test: A is not a setting/g) }).toEqual({
    code: 0,
    lines: ['test: A is not a setting'],
  });
});

test('exits with 1 when closing exceeds the shutdown time', async () => {
  const program = run(`async () => { ${keepAlive} return { close: () => new Promise(() => {}) }; }`, 100);
  await program.line('started');
  program.signal('SIGINT');
  const { code, output } = await program.ended;
  expect(code).toBe(1);
  expect(output).toContain('did not stop within 100 ms');
});

test('a signal delivered several times in quick succession counts once', async () => {
  const closing = `close: () => new Promise((resolve) => setTimeout(resolve, 500))`;
  const program = run(`async () => { ${keepAlive} return { ${closing} }; }`);
  await program.line('started');
  program.signal('SIGINT');
  await program.line('stopping');
  program.signal('SIGINT');
  program.signal('SIGTERM');
  const { code, output } = await program.ended;
  expect(code).toBe(0);
  expect(output).not.toContain('second signal');
});

test('exits at once on a second signal', async () => {
  const program = run(`async () => { ${keepAlive} return { close: () => new Promise(() => {}) }; }`, 60_000);
  await program.line('started');
  program.signal('SIGTERM');
  await program.line('stopping');
  await pause(1_100);
  program.signal('SIGTERM');
  expect((await program.ended).code).toBe(1);
});

test('closes a service that receives the signal while starting', async () => {
  const program = run(`async () => {
    ${keepAlive}
    await new Promise((resolve) => setTimeout(resolve, 300));
    return { close: async () => { console.log('closed'); } };
  }`);
  await program.line('started');
  program.signal('SIGTERM');
  const { code, output } = await program.ended;
  expect({ code, closed: output.includes('closed') }).toEqual({ code: 0, closed: true });
});

test('exits with 78 and names every wrong setting', async () => {
  const program = startProgram(
    `${logger}
    const definition = service.defineSettings({
      PORT: service.integer({ description: 'Port.' }),
      PLACE: service.text({ description: 'Place.' }),
    });
    service.runService({ name: 'test', logger, shutdownMilliseconds: 1000, start: async () => {
      service.readSettings(definition, process.env);
      return { close: async () => {} };
    } });`,
    { PORT: 'many' },
  );
  const { code, faults } = await program.ended;
  expect(code).toBe(78);
  expect(faults).toContain('PORT must be a whole number, but is "many"');
  expect(faults).toContain('PLACE must be set: Place.');
});

test('a StartError prints one sentence and exits with its own code', async () => {
  const program = run(`async () => { throw new service.StartError('the mill is closed', { exitCode: 3 }); }`);
  expect(await program.ended).toEqual({ code: 3, output: '', faults: 'the mill is closed\n' });
});

test('any other failed start prints a sentence with its causes in addition to the log, without secrets', async () => {
  const program = run(`async () => {
    const refused = new Error('connect ECONNREFUSED amqp://guest:hunter22@broker:5672');
    throw new Error('no connection', { cause: refused });
  }`);
  const { code, output, faults } = await program.ended;
  expect(code).toBe(1);
  expect(faults).toBe(
    'test could not start: no connection: connect ECONNREFUSED amqp://guest:[hidden]@broker:5672\n',
  );
  expect(output).toContain('"msg":"test: could not start"');
});

test('exits with 1 and logs a fatal line when the start fails or an error is unhandled', async () => {
  const failed = run(`async () => { throw new Error('no broker'); }`);
  const thrown = run(`async () => {
    ${keepAlive}
    setTimeout(() => { throw new Error('lost exception'); }, 10);
    return { close: async () => {} };
  }`);
  const rejected = run(`async () => {
    ${keepAlive}
    void Promise.reject(new Error('lost rejection'));
    return { close: async () => {} };
  }`);
  for (const [program, message] of [
    [failed, 'no broker'],
    [thrown, 'lost exception'],
    [rejected, 'lost rejection'],
  ] as const) {
    const { code, output } = await program.ended;
    expect(code).toBe(1);
    expect(output).toContain('"level":"fatal"');
    expect(output).toContain(message);
  }
});
