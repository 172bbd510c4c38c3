import type { PythonValue } from '@millrace/python-text';
import { ReplayedText } from './replayed-text';

async function textOf(stream: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of stream) text += part;
  return text;
}

test('a text is produced once and read by several readers', async () => {
  let starts = 0;
  const text = new ReplayedText(async function* (): AsyncGenerator<PythonValue, PythonValue, undefined> {
    starts += 1;
    yield 'a';
    await Promise.resolve();
    yield 'b';
    return { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
  });
  expect(await Promise.all([textOf(text), textOf(text)])).toEqual(['ab', 'ab']);
  expect(await textOf(text)).toBe('ab');
  expect(starts).toBe(1);
  expect(text.usage).toEqual({ input_tokens: 1, output_tokens: 2, total_tokens: 3 });
});

test('every reader receives the failure', async () => {
  const text = new ReplayedText(async function* (): AsyncGenerator<PythonValue, PythonValue, undefined> {
    yield 'a';
    await Promise.resolve();
    throw new Error('over');
  });
  await expect(textOf(text)).rejects.toThrow('over');
  await expect(textOf(text)).rejects.toThrow('over');
});
