import type { AnswerShape } from '../chat-protocol';

/** Asks for JSON of a shape, in words. */
export function shapeInstructions({ schema }: AnswerShape): string {
  return `Answer with JSON and nothing else. It keeps to this schema:\n${JSON.stringify(schema)}`;
}
