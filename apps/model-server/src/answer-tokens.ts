import { withoutDirectives } from './directives';
import type { Directives } from './directives';

const story =
  'Water falls on the wheel and the wheel turns the stone. The stone turns the grain to flour and the miller ' +
  'fills a sack. The sack goes down the road before the sun is up. Behind it the water runs on to the next mill.';
const storyTokens = toTokens(`${story} `.trim());

/**
 * What the model answers, token by token: the `reply` or `tokens` directive, else what the model's name says
 * (`story`, `story-200`), else the last user message without its directives. Always the same for the same request.
 */
export function answerTokens(model: string, lastUserText: string, directives: Directives): readonly string[] {
  if (directives.reply !== undefined) return toTokens(directives.reply);
  const named = /^story(?:-(\d{1,6}))?$/.exec(model);
  const count = directives.tokens ?? (named === null ? undefined : Number(named[1] ?? storyTokens.length));
  if (count !== undefined) return tellStory(Math.min(count, 100_000));
  return toTokens(withoutDirectives(lastUserText));
}

/** A token is a word with the blanks before it; joined again they give the text. */
export function toTokens(text: string): string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? (text === '' ? [] : [text]);
}

function tellStory(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const token = storyTokens[index % storyTokens.length] ?? '';
    return index > 0 && index % storyTokens.length === 0 ? ` ${token}` : token;
  });
}
