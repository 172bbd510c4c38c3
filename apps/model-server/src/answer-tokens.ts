import { withoutDirectives } from './directives';
import type { Directives } from './directives';

const story =
  'Water falls on the wheel and the wheel turns the stone. The stone turns the grain to flour and the miller ' +
  'fills a sack. The sack goes down the road before the sun is up. Behind it the water runs on to the next mill.';
const storyTokens = toTokens(`${story} `.trim());

/**
 * Returns the tokens of the answer: those of the `reply` or `tokens` directive, else those that the model's name selects
 * (`story`, `story-200`), else the last user message without its directives. Deterministic.
 */
export function answerTokens(model: string, lastUserText: string, directives: Directives): readonly string[] {
  if (directives.reply !== undefined) return toTokens(directives.reply);
  const named = /^story(?:-(\d{1,6}))?$/.exec(model);
  const count = directives.tokens ?? (named === null ? undefined : Number(named[1] ?? storyTokens.length));
  if (count !== undefined) return repeatStory(Math.min(count, 100_000));
  return toTokens(withoutDirectives(lastUserText));
}

/** Splits a text into tokens, each a word with the white space before it; joined, they are the text. */
export function toTokens(text: string): string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? (text === '' ? [] : [text]);
}

function repeatStory(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const token = storyTokens[index % storyTokens.length] ?? '';
    return index > 0 && index % storyTokens.length === 0 ? ` ${token}` : token;
  });
}
