const WIDTH = 50;

/**
 * Returns a text chart with one line for each [name, value]; the longest bar has 50 blocks.
 * @param {string} title
 * @param {readonly (readonly [string, number])[]} bars
 */
export function barChart(title, bars) {
  const largest = Math.max(...bars.map(([, value]) => value));
  const nameWidth = Math.max(...bars.map(([name]) => name.length));
  const lines = bars.map(([name, value]) => {
    const blocks = '█'.repeat(Math.max(1, Math.round((value / largest) * WIDTH)));
    return `${name.padEnd(nameWidth)}  ${blocks} ${Number(value.toPrecision(4))}`;
  });
  return [title, ...lines].join('\n');
}
