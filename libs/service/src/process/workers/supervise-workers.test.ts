import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { startProgram } from '../../testing/start-program';

/** Starts a service of several processes that share a port: answers with the pid, slowly at /slow, and all metrics. */
function startWorkers({ atStart = '', workers = 2 } = {}) {
  return startProgram(`
    const http = require('node:http');
    const logger = service.createLogger({ name: 'test', level: 'info' });
    service.runService({
      name: 'test', logger, shutdownMilliseconds: 5000, workers: ${workers},
      restarts: { initialMilliseconds: 20, maximumMilliseconds: 100, limit: 5, steadyMilliseconds: 500 },
      start: async () => {
        ${atStart}
        const metrics = service.shareMetrics(service.createMetrics());
        metrics.counter('millrace_pids', 'Processes.').add(1);
        const server = http.createServer(async (request, response) => {
          if (request.url === '/metrics') return response.end(await metrics.prometheusText());
          if (request.url === '/slow') console.log('slow');
          setTimeout(() => response.end(String(process.pid)), request.url === '/slow' ? 1000 : 0);
        });
        await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
        logger.info({ port: server.address().port }, 'listens');
        return { close: () => new Promise((resolve) => {
          server.close(resolve);
          server.closeIdleConnections();
          console.log('closed');
        }) };
      },
    });`);
}

type Program = ReturnType<typeof startWorkers>;

async function portOf(program: Program): Promise<number> {
  await program.line('all worker processes are ready');
  return (JSON.parse(await program.line('listens')) as { port: number }).port;
}

/** Sends one request on a separate connection. */
function ask(port: number, path = '/'): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ port, path, host: '127.0.0.1', agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.once('end', () => resolve(text));
    });
    call.once('error', reject).end();
  });
}

async function pidsOf(port: number, wanted: number): Promise<Set<string>> {
  const pids = new Set<string>();
  for (let tries = 0; pids.size < wanted; tries += 1) {
    if (tries === 500) throw new Error(`only ${[...pids].join(', ')} answered`);
    pids.add(await ask(port));
  }
  return pids;
}

test('replaces a killed process without disturbing callers of the others', async () => {
  const program = startWorkers({ workers: 3 });
  const port = await portOf(program);
  const [victim = '', ...others] = await pidsOf(port, 3);
  const kept = others.map(() => ask(port, '/slow'));
  await program.line('slow');
  // Any process may serve the slow requests; later requests go to processes that are not killed.
  const answers = await Promise.all(kept);
  process.kill(Number(victim), 'SIGKILL');
  await program.line('another one follows');
  const after = await Promise.all(Array.from({ length: 50 }, () => ask(port)));
  expect(after).not.toContain(victim);
  const now = await pidsOf(port, 3);
  expect(now.has(victim)).toBe(false);
  expect([...now]).toEqual(expect.arrayContaining(others));
  expect(answers.every((pid) => pid !== '')).toBe(true);
  const metrics = await ask(port, '/metrics');
  expect(metrics).toContain('millrace_worker_restarts_total{worker="supervisor"} 1');
  expect(metrics).toContain('millrace_workers{worker="supervisor",state="ready"} 3');
  for (const worker of ['1', '2', '3'])
    expect(metrics).toContain(`millrace_pids_total{worker="${worker}"} 1`);
  program.signal('SIGTERM');
  expect((await program.ended).code).toBe(0);
});

test('SIGTERM lets all processes answer current requests, and exits with 0', async () => {
  const program = startWorkers();
  const port = await portOf(program);
  const answers = [ask(port, '/slow'), ask(port, '/slow'), ask(port, '/slow')];
  await program.line('slow');
  await pause(200);
  program.signal('SIGTERM');
  for (const pid of await Promise.all(answers)) expect(pid).toMatch(/^\d+$/);
  const { code, output } = await program.ended;
  expect(code).toBe(0);
  expect(output.match(/^closed$/gm)).toHaveLength(2);
});

test('the supervisor exits when a process keeps ending soon after its start', async () => {
  const program = startWorkers({
    atStart: "if (require('node:cluster').worker.id > 1) process.exit(3);",
  });
  const { code, output } = await program.ended;
  expect(code).toBe(1);
  expect(output).toContain('ended too often soon after its start');
  expect(output.match(/another one follows/g)).toHaveLength(5);
  // The other process, which worked, has stopped cleanly.
  expect(output.match(/^closed$/gm)).toHaveLength(1);
});

test('wrong settings stop all processes with 78, without a retry', async () => {
  const program = startWorkers({ atStart: "throw new service.SettingsError(['PORT is wrong']);" });
  const { code, output, faults } = await program.ended;
  expect(code).toBe(78);
  expect(faults).toContain('PORT is wrong');
  expect(output).not.toContain('another one follows');
});

test('processes stop cleanly when their supervisor is killed', async () => {
  const program = startWorkers();
  const port = await portOf(program);
  await pidsOf(port, 2);
  program.signal('SIGKILL');
  // Resolves when no process can write to its output any more.
  const { output } = await program.ended;
  expect(output.match(/^closed$/gm)).toHaveLength(2);
});

test('a process group that receives the signal as a whole stops cleanly', async () => {
  const program = startWorkers();
  const port = await portOf(program);
  const answers = [ask(port, '/slow'), ask(port, '/slow')];
  const pids = await pidsOf(port, 2);
  for (const pid of pids) process.kill(Number(pid), 'SIGINT');
  program.signal('SIGINT');
  expect((await Promise.all(answers)).every((pid) => pids.has(pid))).toBe(true);
  expect((await program.ended).code).toBe(0);
});
