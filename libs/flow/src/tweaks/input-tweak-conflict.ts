import { isJsonObject, member } from '../document/json-object';
import type { RunRequest } from '../run/run-request';

const conflictingInputs = [
  { type: 'chat', keys: ['ChatInput', 'Chat Input'], name: 'chat' },
  { type: 'text', keys: ['TextInput', 'Text Input'], name: 'text' },
] as const;

/**
 * Returns the error text for a request that sets the same input twice, as `input_value` and as a tweak; null for other
 * requests. As in Langflow, only the tweak's key counts: any key that contains "ChatInput", known or not.
 */
export function findInputTweakConflict(request: RunRequest): string | null {
  for (const { type, keys, name } of conflictingInputs) {
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
