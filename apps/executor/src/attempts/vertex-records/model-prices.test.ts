import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModelPrices, readPriceTable } from './model-prices';

const prices = new ModelPrices({
  'gpt-4o': { input: 2.5, output: 10 },
  'gpt-4o-2024-05-13': { input: 5, output: 15 },
  'groq/llama': { input: 1, output: 2 },
  free: { input: 0, output: 0 },
});
const NUMBERS = 'must have numbers "input" and "output", 0 or more, for the model "a"';
const MAXIMUM = 'must have a number "maximumOutput" above 0, or none, for the model "a"';
const million = { input: 1_000_000, output: 1_000_000 };

test.each([
  ['OpenAI', 'gpt-4o', 12.5],
  ['OpenAI', 'GPT-4o', 12.5],
  ['OpenAI', 'gpt-4o-2024-11-20', 12.5],
  ['OpenAI', 'gpt-4o-2024-05-13', 20],
  ['OpenAI', 'gpt-4o-latest', 12.5],
  ['Groq', 'llama', 3],
  ['Ollama', 'llama', null],
  ['OpenAI', 'gpt-4o-mini', null],
  ['', 'free', 0],
  ['', '', null],
])('a million tokens in and out of %s %s cost %p', (provider, model, dollars) => {
  expect(prices.cost(provider, model, million)).toBe(dollars);
});

test('costs have no binary fractions', () => {
  expect(prices.cost('OpenAI', 'gpt-4o', { input: 3, output: 1 })).toBe(0.0000175);
});

test('the built-in prices are valid and know common models', () => {
  const builtIn = new ModelPrices();
  for (const model of ['gpt-4o-mini', 'claude-sonnet-4-5-20250929', 'gemini-2.5-flash'])
    expect(builtIn.cost('', model, million)).toBeGreaterThan(0);
});

test('the most tokens of an answer are those of the table, or 128,000', () => {
  const own = new ModelPrices({
    'p/m': { input: 1, output: 1, maximumOutput: 5 },
    n: { input: 1, output: 1 },
  });
  const most = (provider: string, model: string) => own.maximumOutput(provider, model);
  expect([most('P', 'M-latest'), most('q', 'm'), most('', 'n'), most('', 'o')]).toEqual([
    5, 128_000, 128_000, 128_000,
  ]);
});

describe('a table in a file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-prices-'));
  const file = join(directory, 'prices.json');
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('replaces the built-in one', () => {
    writeFileSync(file, '{"models": {"my-model": {"input": 1, "output": 1}}}');
    const own = new ModelPrices(readPriceTable(file));
    expect(own.cost('', 'my-model', million)).toBe(2);
    expect(own.cost('', 'gpt-4o', million)).toBeNull();
  });

  test.each([
    ['{', 'must name a readable JSON file'],
    ['[]', 'must name a file that contains a JSON object with a member "models"'],
    ['{"models": []}', 'must name a file that contains a JSON object with a member "models"'],
    ['{"models": {"a": {"input": 1}}}', NUMBERS],
    ['{"models": {"a": {"output": 1}}}', NUMBERS],
    ['{"models": {"a": {"input": -1, "output": 1}}}', NUMBERS],
    ['{"models": {"a": {"input": 1, "output": "1"}}}', NUMBERS],
    ['{"models": {"a": null}}', NUMBERS],
    ['{"models": {"a": {"input": 1, "output": 1, "maximumOutput": 0}}}', MAXIMUM],
    ['{"models": {"a": {"input": 1, "output": 1, "maximumOutput": null}}}', MAXIMUM],
  ])('%s is refused', (text, reason) => {
    writeFileSync(file, text);
    expect(() => readPriceTable(file)).toThrow(reason);
  });
});
