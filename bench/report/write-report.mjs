import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFiles } from '../../tools/write-files.mjs';
import { barChart } from './bar-chart.mjs';
import { costTable } from './cost-table.mjs';
import { profileSections } from './profile-sections.mjs';
import { fillFigures } from './scaling-figures.mjs';

const figures = ['perSecond', 'tokensPerSecond', 'completedPerSecond', 'drainedPerSecond'];

const scalingPage = new URL('../../docs/scaling.md', import.meta.url);

/**
 * Writes a page from files of results and of profiles, and beside it scaling.md with their figures; of a scenario in
 * several of the files, the run with the middle ratio is shown, and the ratios of all. Resolves to the exit code.
 */
export async function writeReport(files, path) {
  if (files.length === 0) throw new Error('--report needs files of results');
  const contents = files.map((file) => JSON.parse(readFileSync(file, 'utf8')));
  const runs = contents.filter((content) => !Array.isArray(content));
  const profiles = contents.filter((content) => Array.isArray(content)).flat();
  const scenarios = middleRuns(runs);
  const byId = Object.fromEntries(scenarios.map((scenario) => [scenario.id, scenario]));
  const scaling = fillFigures(readFileSync(scalingPage, 'utf8'), byId);
  const pages = [
    { path, text: page(runs, scenarios, profiles) },
    { path: join(dirname(path), 'scaling.md'), text: scaling },
  ];
  return writeFiles(pages, { check: false, name: 'benchmarks' });
}

/** Of each scenario the run with the middle ratio, with the `ratios` of all of them. */
function middleRuns(runs) {
  const all = runs.flatMap(({ scenarios }) => scenarios);
  const broken = all.filter(({ errors }) => errors > 0);
  if (broken.length > 0) throw new Error(`${broken.map(({ id }) => id).join(', ')} had errors: no report`);
  return [...new Set(all.map(({ id }) => id))]
    .map((id) => {
      const sorted = all.filter((one) => one.id === id).sort((one, other) => one.ratio - other.ratio);
      return { ...sorted[Math.floor((sorted.length - 1) / 2)], ratios: sorted.map(({ ratio }) => ratio) };
    })
    .sort((one, other) => number(one) - number(other));
}

function number({ id }) {
  return Number(id.slice(1));
}

function page(runs, scenarios, profiles) {
  return [
    '# Benchmarks',
    '',
    'Written by `npm run bench -- --report` from the results of `npm run bench`: each scenario beside its bare limit, the',
    'same libraries with nothing around them, in the same run. [How it measures](../bench/README.md). Of several runs the',
    'one with the middle ratio is shown. [What the figures mean](performance.md).',
    '',
    ...runs.flatMap(circumstances),
    '| scenario | | ratio | in all runs | per second | p50 ms | p99 ms | errors | goals |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...scenarios.map(row),
    '',
    ...scenarios.flatMap(section),
    ...(profiles.length === 0 ? [] : profileSections(profiles)),
  ].join('\n');
}

function circumstances({ environment, seconds, rounds }) {
  const { revision, isModified, node, processors, processor, memoryGibibytes, system, servers } = environment;
  const named = (versions) =>
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ');
  return [
    `- ${environment.at}, revision \`${revision}\`${isModified ? ' with changes' : ''}, ${rounds} rounds of ${seconds} s`,
    `- Node ${node}; ${named(environment.libraries)}`,
    `- servers: ${named(servers)}`,
    `- ${processors} × ${processor}, ${memoryGibibytes} GiB, ${system}, load before ${environment.loadBefore.toFixed(2)}; servers, services and load generator together`,
    '',
  ];
}

function row({ id, title, ratio, ratios, of, perSecond, p50, p99, errors, goals }) {
  const held = goals.filter(({ holds }) => holds).length;
  const all = ratios.map((one) => one.toFixed(2)).join(', ');
  const cells = [
    id,
    title,
    `${ratio.toFixed(2)} of ${of}`,
    all,
    Math.round(perSecond),
    short(p50),
    short(p99),
  ];
  return `| ${[...cells, errors, `${held} of ${goals.length}`].join(' | ')} |`;
}

function section({ id, title, limit, goal, goals, sides }) {
  const charts = [...figures, 'p50', 'p99'].flatMap((figure) => {
    const bars = Object.entries(sides).filter(([, side]) => side[figure] > 0);
    return bars.length < 2
      ? []
      : [
          barChart(
            figure,
            bars.map(([name, side]) => [name, side[figure]]),
          ),
        ];
  });
  return [
    `## ${id}: ${title}`,
    '',
    `Beside: ${limit}. Goal: ${goal}.`,
    '',
    ...goals.map(
      ({ what, value, bound, holds }) =>
        `- ${holds ? 'held' : 'missed'}: ${what}: ${short(value)} (${bound})`,
    ),
    '',
    ...costs(sides),
    ...(charts.length === 0 ? [] : ['```text', charts.join('\n\n'), '```', '']),
  ];
}

/** What each side cost per request, where that was measured. */
function costs(sides) {
  const table = costTable(sides);
  return table.length === 0 ? [] : [...table, ''];
}

function short(value) {
  return Number(value.toPrecision(3));
}
