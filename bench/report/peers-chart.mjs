import { short, titleOf } from './peers-section.mjs';

/** @import { MachineEnvironment } from '../environment.mjs' */
/** @import { PeerRow } from './peers-section.mjs' */

const WIDTH = 760;
const MARGIN = 20;
const HEAD = 74;
const BAR = 14;
const ROW = 62;
/** The space for the figure after the longest bar. */
const FIGURE = 80;

/** The picture has its own background, because a page can have another theme than the browser asks for. */
const style = `
  .ground { fill: #ffffff }
  text { fill: #1f2328; font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif }
  .title { font-size: 16px; font-weight: 600 }
  .faint { fill: #59636e }
  .one { fill: #8c959f }
  .many { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 }
    text { fill: #f0f6fc }
    .faint { fill: #9198a1 }
    .one { fill: #6e7681 }
    .many { fill: #4493f8 }
  }
`;

/**
 * Returns an SVG with two bars for each product: requests a second at one caller and at 64, on one linear scale.
 * @param {readonly PeerRow[]} rows
 * @param {MachineEnvironment} environment
 */
export function peersChart(rows, { at, processors, processor }) {
  const rates = rows.flatMap(({ one, many }) => [one?.perSecond ?? 0, many?.perSecond ?? 0]);
  const scale = (WIDTH - 2 * MARGIN - FIGURE) / Math.max(1, ...rates);
  const height = HEAD + rows.length * ROW + 8;
  const described = rows.map(
    ({ product: { name }, one, many }) => `${name}: ${rate(one)} at 1 caller, ${rate(many)} at 64 callers`,
  );
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title description">`,
    '<title id="title">Requests a second, by product</title>',
    `<desc id="description">${escaped(described.join('. '))}.</desc>`,
    `<style>${style}</style>`,
    `<rect class="ground" width="${WIDTH}" height="${height}" rx="6"/>`,
    text(MARGIN, 28, 'Requests a second: a text that comes back', 'title'),
    text(MARGIN, 46, `${at.slice(0, 10)}, ${processors} × ${processor}; longer is better`, 'faint'),
    `<rect class="one" x="${MARGIN}" y="56" width="10" height="10"/>`,
    text(MARGIN + 16, 66, '1 caller', 'faint'),
    `<rect class="many" x="${MARGIN + 90}" y="56" width="10" height="10"/>`,
    text(MARGIN + 106, 66, '64 callers', 'faint'),
    ...rows.flatMap(({ product, one, many }, index) => {
      const top = HEAD + index * ROW;
      return [
        text(MARGIN, top + 18, titleOf(product)),
        ...bar(one, { top: top + 24, scale, name: 'one' }),
        ...bar(many, { top: top + 24 + BAR + 2, scale, name: 'many' }),
      ];
    }),
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * @param {import('../scenario.ts').Medians | undefined} figures
 * @param {{ readonly top: number, readonly scale: number, readonly name: string }} place
 */
function bar(figures, { top, scale, name }) {
  const length = Math.round((figures?.perSecond ?? 0) * scale * 10) / 10;
  const shown = figures === undefined ? 0 : Math.max(1, length);
  return [
    `<rect class="${name}" x="${MARGIN}" y="${top}" width="${shown}" height="${BAR}"/>`,
    text(MARGIN + shown + 6, top + 12, figures === undefined ? 'not measured' : short(figures.perSecond)),
  ];
}

/** @param {import('../scenario.ts').Medians | undefined} figures */
function rate(figures) {
  return figures === undefined ? 'not measured' : short(figures.perSecond);
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} content
 * @param {string} [name]
 */
function text(x, y, content, name) {
  return `<text${name === undefined ? '' : ` class="${name}"`} x="${x}" y="${y}">${escaped(content)}</text>`;
}

/** @param {string} content */
function escaped(content) {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
