import { LongTexts } from '@millrace/messages';
import { answerBytes } from './answer-bytes';

const written = (answer: unknown, texts: readonly string[], maximumBytes = Infinity) =>
  answerBytes(answer, { texts: new LongTexts(texts), maximumBytes }).toString();

test('refuses more bytes than the limit', () => {
  const text = 'é'.repeat(20_000);
  const { length } = Buffer.from(JSON.stringify([text, text]));
  expect(written([text, text], [text], length)).toBe(JSON.stringify([text, text]));
  const refused = () => written([text, text], [text], length - 1);
  expect(refused).toThrow(expect.objectContaining({ code: 'output_too_large' }));
  expect(() => written('short', [], 6)).toThrow('The response is larger than 6 bytes.');
});
