import { isJsonObject, member } from '../document/json-object';
import type { RunRequest } from './run-request';

const rivals = [
  { type: 'chat', keys: ['ChatInput', 'Chat Input'], name: 'chat' },
  { type: 'text', keys: ['TextInput', 'Text Input'], name: 'text' },
] as const;

/**
 * The sentence that refuses a request which gives the same input twice, as `input_value` and as a tweak; null when it
 * does not. Langflow goes by the tweak's key alone: any key that contains "ChatInput" counts, known or not.
 */
export function findInputTweakConflict(request: RunRequest): string | null {
  for (const { type, keys, name } of rivals) {
    if (!request.inputs.some((input) => input.type === type)) continue;
    for (const key of Object.keys(request.tweaks)) {
      if (!keys.some((word) => key.includes(word))) continue;
      const tweak = request.tweaks[key];
      if (!isJsonObject(tweak)) continue;
      if ((member(tweak, 'input_value') ?? null) !== null) {
        return `If you pass an input_value to the ${name} input, you cannot pass a tweak with the same name.`;
      }
    }
  }
  return null;
}
