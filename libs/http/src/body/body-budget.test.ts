import { BodyBudget } from './body-budget';

test('bodies share the budget, and released bytes are available to others', () => {
  const budget = new BodyBudget({ maximumBytes: 100, freeBytes: 0 });
  const [first, second] = [budget.open(), budget.open()];
  expect(first.take(60)).toBe(true);
  expect(second.take(41)).toBe(false);
  expect(second.take(40)).toBe(true);
  expect(budget.heldBytes).toBe(100);
  first.close();
  first.close();
  expect(budget.heldBytes).toBe(40);
  expect(second.take(60)).toBe(true);
  second.close();
  expect(budget.heldBytes).toBe(0);
});

test('the first bytes of a body are free, even when the budget is full', () => {
  const budget = new BodyBudget({ maximumBytes: 100, freeBytes: 10 });
  const large = budget.open();
  expect(large.take(110)).toBe(true);
  expect(budget.heldBytes).toBe(100);
  const small = budget.open();
  expect(small.take(4)).toBe(true);
  expect(small.take(6)).toBe(true);
  expect(small.take(1)).toBe(false);
  small.close();
  expect(budget.heldBytes).toBe(100);
});

test('the bodies of one owner leave a quarter of the budget to others', () => {
  const budget = new BodyBudget({ maximumBytes: 100, freeBytes: 0 });
  const open = (owner: string) => {
    const body = budget.open();
    body.ownedBy(owner);
    return body;
  };
  const [first, second, other] = [open('one'), open('one'), open('another')];
  expect([first.take(50), second.take(26), second.take(25), first.take(1)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect([other.take(26), other.take(25)]).toEqual([false, true]);
  first.close();
  expect(second.take(50)).toBe(true);
  second.close();
  other.close();
  expect(budget.heldBytes).toBe(0);
  // One body alone can need the whole budget.
  expect(open('one').take(100)).toBe(true);
});

test('a closed body takes no bytes', () => {
  const budget = new BodyBudget({ maximumBytes: 100, freeBytes: 0 });
  const body = budget.open();
  body.close();
  expect(body.take(1)).toBe(false);
  expect(budget.heldBytes).toBe(0);
});
