import { until } from '@millrace/service/testing';
import { translateCommand } from './redis-commands';
import { RenewedExpiries } from './renewed-expiries';

test('a single append renews an expiry that was not renewed within a tenth of it', async () => {
  const renewed = new RenewedExpiries();
  const append = (ttlMilliseconds: number) =>
    translateCommand(
      { command: 'append', key: 'list', values: ['a'], options: { maximumLength: 10, ttlMilliseconds } },
      '',
      renewed,
    );
  const names = (ttlMilliseconds: number) => append(ttlMilliseconds).commands.map(([name]) => name);
  expect(names(600_000)).toEqual(['rpush', 'pexpire']);
  append(600_000).read([]);
  expect(names(600_000)).toEqual(['rpush']);
  await until(() => names(100).includes('pexpire'), 'the expiry was not renewed');
});
