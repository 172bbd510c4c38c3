import { jsonDumpsCompactAscii } from '@millrace/python-text';
import type { PythonPool } from './index';
import { allCases } from './testing/stock/cases/all-cases';
import { compareAll } from './testing/stock/compare-all';
import type { ComparedCase } from './testing/stock/compare-all';
import { openTestPool } from './testing/test-pool.fixture';
import { testPython } from './testing/test-python.fixture';

const allCasesMilliseconds = 600_000;
jest.setTimeout(allCasesMilliseconds);
let pool: PythonPool;
let compared: readonly ComparedCase[];
beforeAll(async () => {
  pool = await openTestPool(testPython());
  compared = await compareAll(pool, testPython(), allCases);
}, allCasesMilliseconds);
afterAll(() => pool.close());

const types = [...new Set(allCases.map(({ type }) => type))];

test.each(types)('%s gives what the class of lfx gives, but for differences that are named', (type) => {
  const different = compared
    .filter(({ tried, comparison }) => tried.type === type && comparison.state === 'different')
    .map(({ tried, comparison }) => `${tried.name}: ${jsonDumpsCompactAscii(comparison)}`);
  expect(different).toEqual([]);
});

test('every case runs in Python', () => {
  const reasons = compared.flatMap(({ tried, comparison }) =>
    comparison.state === 'not runnable' ? [`${tried.type}: ${tried.name}: ${comparison.reason}`] : [],
  );
  expect(reasons).toEqual([]);
});

test('at least 95 of 100 cases are equal', () => {
  const equal = compared.filter(({ comparison }) => comparison.state === 'equal');
  expect(equal.length / compared.length).toBeGreaterThanOrEqual(0.95);
});

test('cases of a type have different names', () => {
  const names = allCases.map(({ type, name }) => `${type}: ${name}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
