/** Prints the goals of a scenario and its result line. */
export function printResult({ id, failure, goals = [], ...figures }) {
  for (const { what, value, bound, holds } of goals)
    console.log(`  ${holds ? 'held  ' : 'MISSED'} ${what}: ${round(value)} (${bound})`);
  console.log(failure === undefined ? closingLine(id, figures) : `${id} failed: ${failure}`);
}

function closingLine(id, { ratio, of, perSecond, p50, p99, errors }) {
  return `${id} ratio ${ratio.toFixed(2)} of ${of}, ${Math.round(perSecond)}/s, p50 ${round(p50)} ms, p99 ${round(p99)} ms, errors ${errors}`;
}

function round(value) {
  return Number(value.toPrecision(3));
}
