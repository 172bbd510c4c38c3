import type { MetricAttributes } from './metrics';

/** Returns each combination of the values of labels; one without labels for no labels. */
export function labelCombinations(labels: Readonly<Record<string, readonly string[]>>): MetricAttributes[] {
  return Object.entries(labels).reduce<MetricAttributes[]>(
    (combinations, [label, values]) =>
      combinations.flatMap((attributes) => values.map((value) => ({ ...attributes, [label]: value }))),
    [{}],
  );
}
