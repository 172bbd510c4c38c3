import { appendFileSync } from 'node:fs';

/** One figure, or the milliseconds of many cases. */
export type Figure = number | readonly number[];

/**
 * Records what a test measured, for a report (`npm run bad-input` prints it): times never fail a test. Writes nothing
 * unless `MILLRACE_FIGURES` names a file.
 */
export function noteFigures(row: string, figures: Readonly<Record<string, Figure>>): void {
  const file = process.env['MILLRACE_FIGURES'];
  if (file === undefined) return;
  const lines = Object.entries(figures).map(([name, figure]) =>
    typeof figure === 'number' ? `${name} ${rounded(figure)}` : `${name} ${summary(figure)}`,
  );
  appendFileSync(file, `${JSON.stringify({ row, figures: lines.join(', ') })}\n`);
}

function summary(milliseconds: readonly number[]): string {
  const sorted = [...milliseconds].sort((one, other) => one - other);
  const at = (share: number) =>
    rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${at(1)} ms of ${sorted.length}`;
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
