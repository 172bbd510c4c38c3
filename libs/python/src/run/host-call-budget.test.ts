import { HostCallBudget } from './host-call-budget';

test('a run can call the executor 100 000 times', () => {
  const budget = new HostCallBudget();
  for (let call = 0; call < 100_000; call += 1) budget.take({ method: 'variable', bytes: 100 });
  expect(() => budget.take({ method: 'variable', bytes: 100 })).toThrow('call the executor 100000 times');
});

test('a run can store 10 000 messages, by all methods together', () => {
  const budget = new HostCallBudget();
  for (const method of ['messages.store', 'messages.send', 'history.add', 'messages.store'])
    for (let call = 0; call < 2_500; call += 1) budget.take({ method, bytes: 100 });
  expect(() => budget.take({ method: 'messages.send', bytes: 100 })).toThrow('store 10000 messages');
  expect(() => budget.take({ method: 'messages.read', bytes: 100 })).not.toThrow();
});

test('a run can store messages of 64 MiB together', () => {
  const budget = new HostCallBudget();
  budget.take({ method: 'messages.store', bytes: 60 * 1024 * 1024 });
  expect(() => budget.take({ method: 'messages.store', bytes: 5 * 1024 * 1024 })).toThrow('67108864 bytes');
});
