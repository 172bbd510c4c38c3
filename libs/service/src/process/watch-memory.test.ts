import { startProgram } from '../testing/start-program';

const start = (ceiling: string) => `
  const logger = service.createLogger({ name: 'test', level: 'warn' });
  const keepAlive = setInterval(() => {}, 1000);
  const ceiling = ${ceiling};
  const stop = service.watchMemory({ logger, ceiling, onPassed: () => {
    console.log('passed');
    clearInterval(keepAlive);
  } });`;

test('calls back once when the ceiling is exceeded', async () => {
  const program = startProgram(`${start('process.memoryUsage.rss() + 200e6')}
    setTimeout(() => { globalThis.kept = Buffer.alloc(400e6, 1); }, 1500);
    setTimeout(() => console.log('calm'), 1400);`);
  const { code, output } = await program.ended;
  expect(code).toBe(0);
  expect(output.indexOf('calm')).toBeLessThan(output.indexOf('passed'));
  expect(output.match(/passed/g)).toHaveLength(1);
  expect(output).toContain('memory ceiling exceeded');
});

test('stops on request', async () => {
  const { output } = await startProgram(
    `${start('1')} stop(); setTimeout(() => clearInterval(keepAlive), 1500);`,
  ).ended;
  expect(output).toBe('');
});
