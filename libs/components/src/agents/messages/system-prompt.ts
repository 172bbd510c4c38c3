/** The default system prompt of an agent. */
export const defaultSystemPrompt =
  'You answer questions and do what you are asked. Use your tools where they help, and say what you found.';

/** Replaces the placeholders of a system prompt. The optional user context is not supported and always empty. */
export function fillSystemPrompt(prompt: string, modelName: string, now: Date): string {
  // Only the day, so that prompts of a day begin alike and a provider's cache can hold them.
  return prompt
    .replaceAll('{current_date}', now.toISOString().slice(0, 10))
    .replaceAll('{model_name}', modelName)
    .replaceAll('{optional_user_context}', '');
}
