/** Returns the resource name of a model for addresses, with or without `models/` in the author's text. */
export function googleModelPath(model: string): string {
  return `models/${encodeURIComponent(model.replace(/^models\//, ''))}`;
}
