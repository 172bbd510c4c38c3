/** The default system prompt of an agent. */
export const defaultSystemPrompt =
  'You answer questions and do what you are asked. Use your tools where they help, and say what you found.';

/** Replaces the placeholders of a system prompt. The optional user context is not supported and always empty. */
export function fillSystemPrompt(prompt: string, modelName: string, now: Date): string {
  const date = `${now.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  return prompt
    .replaceAll('{current_date}', date)
    .replaceAll('{model_name}', modelName)
    .replaceAll('{optional_user_context}', '');
}
