/** What an expression in PromQL reads. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

/** Names of metrics of a system, those that Prometheus makes, and those of recording rules. */
const METRIC = /\b((?:millrace|process|nodejs)_\w+|millrace:[\w:]+|up|ALERTS)\b(?!\s*\()(?:\{([^}]*)\})?/g;
const LABELS = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;

/** Returns each metric that an expression reads, with its matchers. */
export function selectorsOf(expression: string): Selector[] {
  return [...expression.replace(LABELS, ' ').matchAll(METRIC)].map(([, metric = '', matchers = '']) => ({
    metric,
    matchers: [...matchers.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(
      ([, label = '', operator = '', value = '']) => ({ label, operator, value }),
    ),
  }));
}

/** Returns the labels by which an expression groups or joins. */
export function groupingLabelsOf(expression: string): string[] {
  return [...expression.matchAll(LABELS)].flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );
}

/** Replaces the variables of Grafana: each one takes all values, and rates are those of a minute. */
export function withoutVariables(expression: string): string {
  return expression
    .replaceAll('$__rate_interval', '1m')
    .replaceAll('$__range', '5m')
    .replace(/\$(?!__)\w+/g, '.+');
}
