import uPlot from 'uplot';
import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { axisLabels, interval } from './format';

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
  /** Opens what an interval of the chart counts, by its index. */
  readonly onOpen?: (index: number) => void;
}

const HEIGHT = 190;

/** A chart of some series over time. The pointer and the arrow keys show the values of an interval. */
export default function Chart({ label, times, series, isStacked = false, format, onOpen }: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot>(null);
  const [shown, setShown] = useState<number>();
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const draw = () => {
      element.replaceChildren();
      const plot = new uPlot(
        options(element, { times, series, isStacked, format, onShow: setShown }),
        data(times, series, isStacked),
        element,
      );
      drawn.current = plot;
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
  const show = (index: number) => {
    const at = Math.min(Math.max(index, 0), times.length - 1);
    const left = drawn.current?.valToPos(times[at] ?? 0, 'x') ?? 0;
    drawn.current?.setCursor({ left, top: 0 });
    setShown(at);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: (shown ?? times.length) - 1,
      ArrowRight: (shown ?? -1) + 1,
      Home: 0,
      End: times.length - 1,
    };
    const target = targets[event.key];
    if (event.key === 'Escape') setShown(undefined);
    if (event.key === 'Enter' && shown !== undefined) onOpen?.(shown);
    if (target === undefined) return;
    event.preventDefault();
    show(target);
  };
  const values = shown === undefined ? undefined : valuesAt(shown, { times, series, format });
  return (
    <div className="chart-frame">
      <div
        ref={host}
        className="chart"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(times.length - 1, 0)}
        aria-valuenow={shown ?? 0}
        aria-valuetext={
          values === undefined
            ? 'Press the arrow keys to read values, and Enter to open the runs'
            : textOf(values)
        }
        onKeyDown={onKeyDown}
        onBlur={() => setShown(undefined)}
        onClick={() => shown !== undefined && onOpen?.(shown)}
      />
      {values !== undefined && drawn.current !== null && (
        <div
          className="chart-values"
          style={{ left: placeOf(drawn.current, times[shown ?? 0] ?? 0) }}
          aria-hidden
        >
          <strong>{values.title}</strong>
          {values.rows.map(({ title, color, text }, index) => (
            <span key={index}>
              <i style={{ background: `var(${color})` }} /> <bdi>{title}</bdi> <b>{text}</b>
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

interface ShownValues {
  readonly title: string;
  readonly rows: readonly (Pick<Series, 'title' | 'color'> & { readonly text: string })[];
}

/** What the chart has of one interval; undefined outside of the chart. */
function valuesAt(
  index: number,
  { times, series, format }: Pick<ChartProps, 'times' | 'series' | 'format'>,
): ShownValues | undefined {
  const start = times[index];
  if (start === undefined) return undefined;
  const seconds = (times[1] ?? start) - (times[0] ?? start);
  const rows = series.map(({ title, color, values }) => {
    const value = values[index] ?? null;
    return { title, color, text: value === null ? '–' : format(value) };
  });
  return { title: interval(start * 1_000, (start + seconds) * 1_000), rows };
}

const textOf = ({ title, rows }: ShownValues): string =>
  `${title}: ${rows.map((row) => `${row.title} ${row.text}`).join(', ')}`;

const VALUES_WIDTH = 210;

/** Where the box of values begins, so that it is inside the chart. */
function placeOf(plot: uPlot, time: number): number {
  const at = plot.over.offsetLeft + plot.valToPos(time, 'x');
  return Math.max(0, at + 12 + VALUES_WIDTH > plot.width ? at - 12 - VALUES_WIDTH : at + 12);
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

interface Drawing extends Required<Pick<ChartProps, 'times' | 'series' | 'isStacked' | 'format'>> {
  readonly onShow: (index: number | undefined) => void;
}

function options(element: HTMLElement, { times, series, isStacked, format, onShow }: Drawing): uPlot.Options {
  const muted = colorOf(element, '--muted');
  const line = colorOf(element, '--line');
  const axis = {
    stroke: muted,
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
  };
  // A bar stands on the begin of its interval: the first and the last one are whole.
  const margin = isStacked ? ((times[1] ?? 0) - (times[0] ?? 0)) / 2 : 0;
  const drawn = isStacked ? [...series].reverse() : series;
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { show: false } },
    hooks: { setCursor: [({ cursor }) => onShow(cursor.idx ?? undefined)] },
    scales: {
      x: { range: (_plot, low, high) => [low - margin, high + margin] },
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] },
    },
    axes: [
      { ...axis, size: 30, space: 72, grid: { show: false }, values: (_plot, splits) => axisLabels(splits) },
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
