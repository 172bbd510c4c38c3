interface Family {
  /** HELP and TYPE lines. */
  readonly heads: string[];
  readonly samples: string[];
}

/**
 * Merges the Prometheus texts of several processes: each sample gets a label `worker`, and the samples of a metric stay
 * together under one head, as the format requires. Linear in the texts.
 */
export function mergeMetrics(texts: ReadonlyMap<string, string>): string {
  const families = new Map<string, Family>();
  for (const [worker, text] of texts) {
    let family: Family | undefined;
    const known = new Set(families.keys());
    for (const line of text.split('\n')) {
      if (line.startsWith('# HELP ') || line.startsWith('# TYPE ')) {
        const name = line.split(' ', 3)[2] ?? '';
        family = families.get(name) ?? { heads: [], samples: [] };
        families.set(name, family);
        if (!known.has(name)) family.heads.push(line);
      } else if (line !== '' && !line.startsWith('#')) family?.samples.push(labelled(line, worker));
    }
  }
  const lines = [...families.values()].flatMap(({ heads, samples }) => [...heads, ...samples]);
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function labelled(sample: string, worker: string): string {
  const end = sample.search(/[{ ]/);
  const rest = sample.slice(end);
  const label = `worker="${worker}"`;
  const name = sample.slice(0, end);
  return rest.startsWith('{') ? `${name}{${label},${rest.slice(1)}` : `${name}{${label}}${rest}`;
}
