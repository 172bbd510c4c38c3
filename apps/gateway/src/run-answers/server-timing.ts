/** Two numbers of milliseconds and an id. */
const TIMING = /^(\d+\.\d) (\d+\.\d) (.+)$/s;
/** What a quoted text in a header cannot contain. */
const UNQUOTABLE = /[^ !#-[\]-~]/g;
const MAXIMUM_NAME_LENGTH = 100;

/**
 * Returns the header `Server-Timing` of a run: the time that the gateway needed for all, and, if the executor reported
 * it (header `x-timing` of its reply), the time in the queue and that of the slowest vertex.
 */
export function serverTiming(milliseconds: number, reported: string | null): string {
  const run = `run;dur=${milliseconds.toFixed(1)}`;
  const [, waited, slowest, vertexId] = TIMING.exec(reported ?? '') ?? [];
  if (waited === undefined || slowest === undefined || vertexId === undefined) return run;
  const name = vertexId.slice(0, MAXIMUM_NAME_LENGTH).replaceAll(UNQUOTABLE, '?');
  return `${run}, queue;dur=${waited}, vertex;dur=${slowest};desc="${name}"`;
}
