import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './chart.css';
import { useEffect, useRef } from 'react';

export interface Series {
  readonly title: string;
  /** A custom property of the style sheet, such as `--good`. */
  readonly color: string;
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  readonly label: string;
  /** Unix seconds, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Bars on top of each other; otherwise lines. */
  readonly isStacked?: boolean;
  readonly format: (value: number) => string;
}

const HEIGHT = 190;

/** A chart of some series over time. The table beside it has the same numbers for screen readers. */
export default function Chart({ label, times, series, isStacked = false, format }: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const draw = () => {
      element.replaceChildren();
      const plot = new uPlot(
        options(element, { series, isStacked, format }),
        data(times, series, isStacked),
        element,
      );
      return plot;
    };
    let plot = draw();
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    resize.observe(element);
    // The canvas does not follow the style sheet by itself.
    const redraw = () => {
      plot.destroy();
      plot = draw();
    };
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    const theme = new MutationObserver(redraw);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      resize.disconnect();
      theme.disconnect();
      scheme.removeEventListener('change', redraw);
      plot.destroy();
    };
  }, [times, series, isStacked, format]);
  return <div ref={host} className="chart" role="img" aria-label={label} />;
}

/** Stacked series are drawn as sums, the highest first, so that each covers the upper part of the one before. */
function data(times: readonly number[], series: readonly Series[], isStacked: boolean): uPlot.AlignedData {
  if (!isStacked) return [[...times], ...series.map(({ values }) => [...values])];
  const sums = times.map(() => 0);
  const stacked = series.map(({ values }) =>
    values.map((value, index) => {
      sums[index] = (sums[index] ?? 0) + (value ?? 0);
      return sums[index] ?? 0;
    }),
  );
  return [[...times], ...stacked.reverse()];
}

type Drawing = Required<Pick<ChartProps, 'series' | 'isStacked' | 'format'>>;

function options(element: HTMLElement, { series, isStacked, format }: Drawing): uPlot.Options {
  const muted = colorOf(element, '--muted');
  const line = colorOf(element, '--line');
  const axis = {
    stroke: muted,
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
  };
  const drawn = isStacked ? [...series].reverse() : series;
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { show: false } },
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(high * 1.1, 1)] } },
    axes: [
      { ...axis, grid: { show: false } },
      { ...axis, size: 62, values: (_plot, values) => values.map(format) },
    ],
    series: [
      {},
      ...drawn.map(({ title, color }): uPlot.Series => {
        const stroke = colorOf(element, color);
        return isStacked
          ? { label: title, fill: stroke, width: 0, points: { show: false }, ...STACKED }
          : {
              label: title,
              stroke,
              width: 1.75,
              points: { show: true, size: 5, fill: stroke },
              spanGaps: true,
            };
      }),
    ],
  };
}

const bars = uPlot.paths.bars?.({ size: [0.72, 40] });
const STACKED: Partial<uPlot.Series> = bars === undefined ? {} : { paths: bars };

/** A color of the style sheet, resolved: a canvas knows neither custom properties nor `light-dark()`. */
function colorOf(element: HTMLElement, property: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${property})`;
  element.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}
