import { ComponentError } from '@millrace/flow';

/** Where a text is split between two sentences. */
export interface Breakpoint {
  /** `percentile`, `standard_deviation` or `interquartile`. */
  readonly type: string;
  readonly amount: number;
  /** The number of chunks, from which the distance follows; null for the distance by type and amount. */
  readonly chunks: number | null;
}

/** Returns the distance of meanings above which two sentences belong to different chunks, as LangChain computes it. */
export function breakpoint(distances: readonly number[], { type, amount, chunks }: Breakpoint): number {
  const count = distances.length;
  if (chunks !== null) {
    // One chunk more or less for each sentence: from the 100th percentile (one chunk) to the lowest distance.
    const wanted = Math.min(Math.max(chunks, 1), count);
    return percentile(distances, count === 1 ? 100 : (100 * (count - wanted)) / (count - 1));
  }
  const mean = distances.reduce((sum, distance) => sum + distance, 0) / count;
  switch (type) {
    case 'percentile':
      return percentile(distances, amount);
    case 'standard_deviation': {
      const variance = distances.reduce((sum, distance) => sum + (distance - mean) ** 2, 0) / count;
      return mean + amount * Math.sqrt(variance);
    }
    case 'interquartile':
      return mean + amount * (percentile(distances, 75) - percentile(distances, 25));
    default:
      throw new ComponentError(
        `An error occurred during semantic splitting: Got unexpected \`breakpoint_threshold_type\`: ${type}`,
      );
  }
}

/** Interpolates linearly between the two nearest values. */
function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  const place = (Math.min(Math.max(percent, 0), 100) / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}
