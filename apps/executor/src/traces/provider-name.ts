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

/** Returns `gen_ai.provider.name`: the name in the conventions, else the display name in lower case with underscores. */
export function providerName(displayName: string): string {
  return NAMES.get(displayName) ?? displayName.toLowerCase().replace(/[^a-z0-9]+/g, '_');
}
