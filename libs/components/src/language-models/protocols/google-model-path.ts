/** The resource name of a model as it stands in addresses, whether an author wrote `models/` before it or not. */
export function googleModelPath(model: string): string {
  return `models/${encodeURIComponent(model.replace(/^models\//, ''))}`;
}
