/** The names of the GenAI semantic conventions, by the display names of providers. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['OpenAI', 'openai'],
  ['Azure OpenAI', 'azure.ai.openai'],
  ['Anthropic', 'anthropic'],
  ['Google Generative AI', 'gcp.gemini'],
  ['IBM WatsonX', 'ibm.watsonx.ai'],
  ['Groq', 'groq'],
  ['Mistral', 'mistral_ai'],
  ['Cohere', 'cohere'],
  ['DeepSeek', 'deepseek'],
  ['Perplexity', 'perplexity'],
  ['xAI', 'x_ai'],
]);

/** Returns `gen_ai.provider.name` for a provider: that of the conventions, or its own in their form. */
export function providerName(displayName: string): string {
  return NAMES.get(displayName) ?? displayName.toLowerCase().replace(/[^a-z0-9]+/g, '_');
}
