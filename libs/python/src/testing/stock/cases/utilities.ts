import { casesOf } from '../component-case';

const expressions = [
  '1+1',
  '2*3.5',
  '7/2',
  '6/3',
  '2**10',
  '-3',
  '10%3',
  '7//2',
  '(1+2)*3',
  '1/0',
  '',
  '1+',
  'a+1',
  '0.1+0.2',
  '1e3',
  '2 ** -1',
  '5-',
  '1/3',
  '10 ** 20',
  'abs(1)',
  '1 + 2 * 3 - 4 / 2',
  '((1))',
  '1_000',
  '3.0',
  '"a"',
  'True + 1',
  'a % 2',
  '10 ** 400',
];

export const calculator = casesOf(
  'CalculatorComponent',
  expressions.map((expression) => [`the expression "${expression}"`, { expression }] as const),
);

export const calculatorTool = casesOf(
  'CalculatorTool',
  ['1+1', '2**3', '1/0', 'x', '7/2', '-1', '5%2', 'abs(1)', '"a"', '10**400'].map(
    (expression) =>
      [`the expression "${expression}"`, { expression }, {}, { outputs: ['api_run_model'] }] as const,
  ),
);

export const idGenerator = casesOf('IDGenerator', [
  ['a given id', { unique_id: 'abc' }],
  ['a new id', {}],
]);

export const currentDate = casesOf('CurrentDate', [
  ['UTC', { timezone: 'UTC' }],
  ['a zone', { timezone: 'Europe/Prague' }],
  ['an unknown zone', { timezone: 'Nowhere/City' }],
]);
