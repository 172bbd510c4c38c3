/** What an agent is told when its author tells it nothing. */
export const defaultSystemPrompt =
  'You answer questions and do what you are asked. Use your tools where they help, and say what you found.';

/** Fills the gaps that agents' prompts may have; nobody gives a context of his own here, so that one stays empty. */
export function fillSystemPrompt(prompt: string, modelName: string, now: Date): string {
  const date = `${now.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  return prompt
    .replaceAll('{current_date}', date)
    .replaceAll('{model_name}', modelName)
    .replaceAll('{optional_user_context}', '');
}
