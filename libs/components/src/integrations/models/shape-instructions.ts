import type { AnswerShape } from './chat-protocol';

/** Returns instructions for a model to answer with JSON of a shape. */
export function shapeInstructions({ schema }: AnswerShape): string {
  return `Answer with JSON and nothing else. It keeps to this schema:\n${JSON.stringify(schema)}`;
}
