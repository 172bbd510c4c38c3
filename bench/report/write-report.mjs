import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { writeFiles } from '../../tools/workspace/write-files.mjs';
import { peersChart } from './peers-chart.mjs';
import { peerRows, peersSection, peersSummary } from './peers-section.mjs';
import { profileSections } from './profile-sections.mjs';
import { costSection } from './run-costs.mjs';
import { missedGoals, sidesSection } from './scenario-sections.mjs';

/** @import { MachineEnvironment } from '../environment.mjs' */
/** @import { ProfileResult } from '../profile/profile-scenario.mjs' */
/** @import { MeasuredScenario, ScenarioResult } from '../scenario.ts' */

/**
 * @typedef {object} Results
 * @property {MachineEnvironment} environment
 * @property {number} seconds
 * @property {number} rounds
 * @property {ScenarioResult[]} scenarios
 */

const benchmarksPage = new URL('../../docs/operate/benchmarks.md', import.meta.url);
const readmePage = new URL('../../README.md', import.meta.url);

const peersPlace = /<!-- figures: peers -->[^]*?<!-- end -->/;

/**
 * Writes a page from files of results and profiles. Of a scenario in several files, the page shows the run with the median
 * ratio. With results of other products, it also writes their chart, peers.svg, to the same folder,
 * and `readme` with their summary. Results of other products alone leave the rest of the page as it is, and results without
 * them leave the section of the products. Resolves to the exit code.
 * @param {readonly string[]} files
 * @param {string} path
 * @param {string} [readme]
 */
export async function writeReport(files, path, readme = join(dirname(path), 'README.md')) {
  if (files.length === 0) throw new Error('--report needs files of results');
  const contents = files.map((file) => JSON.parse(readFileSync(file, 'utf8')));
  /** @type {Results[]} */
  const runs = contents.filter((content) => !Array.isArray(content));
  /** @type {ProfileResult[]} */
  const profiles = contents.filter((content) => Array.isArray(content)).flat();
  const all = middleRuns(runs);
  const byId = Object.fromEntries(all.map((scenario) => [scenario.id, scenario]));
  const scenarios = all.filter((scenario) => !isOfPeers(scenario));
  const current = existsSync(benchmarksPage) ? readFileSync(benchmarksPage, 'utf8') : '';
  const ownRuns = runs.filter((run) => run.scenarios.some((scenario) => !isOfPeers(scenario)));
  const own =
    scenarios.length + profiles.length === 0 ? withPeersPlace(current) : page(ownRuns, scenarios, profiles);
  const peerRuns = runs.filter((run) => run.scenarios.some(isOfPeers));
  const rows = peerRows(byId.P1, byId.P64);
  const peers =
    rows.length === 0
      ? (peersPlace.exec(current)?.[0] ?? emptyPeersPlace)
      : filledPlace(peersSection(rows, circumstances(peerRuns)));
  const pages = [
    // A function, because a replacement text has patterns such as `$&`.
    { path, text: own.replace(peersPlace, () => peers) },
  ];
  if (rows.length > 0) pages.push(...peerFiles(rows, peerRuns[0].environment, { path, readme }));
  return writeFiles(pages, { check: false, name: 'benchmarks' });
}

/**
 * Returns the chart of the products, and the README with their summary.
 * @param {readonly import('./peers-section.mjs').PeerRow[]} rows
 * @param {MachineEnvironment} environment
 * @param {{ readonly path: string, readonly readme: string }} files
 */
function peerFiles(rows, environment, { path, readme }) {
  const picture = join(dirname(path), 'peers.svg');
  const summary = filledPlace(peersSummary(rows, environment, relative(dirname(readme), path)));
  return [
    { path: picture, text: peersChart(rows, environment) },
    { path: readme, text: readFileSync(readmePage, 'utf8').replace(peersPlace, () => summary) },
  ];
}

const emptyPeersPlace = '<!-- figures: peers -->\n<!-- end -->';

/** @param {readonly string[]} lines */
function filledPlace(lines) {
  return ['<!-- figures: peers -->', '', ...lines, '', '<!-- end -->'].join('\n');
}

/** @param {string} text */
function withPeersPlace(text) {
  return peersPlace.test(text) ? text : `${text}\n## Other products\n\n${emptyPeersPlace}\n`;
}

/** @param {{ readonly id: string }} scenario */
function isOfPeers({ id }) {
  return id.startsWith('P');
}

/**
 * Returns for each scenario the run with the median ratio.
 * @param {readonly Results[]} runs
 * @returns {MeasuredScenario[]}
 */
function middleRuns(runs) {
  const results = runs.flatMap(({ scenarios }) => scenarios);
  const broken = results.filter(({ errors }) => errors > 0);
  if (broken.length > 0) throw new Error(`${broken.map(({ id }) => id).join(', ')} had errors: no report`);
  const all = results.filter((one) => one.failure === undefined);
  return [...new Set(all.map(({ id }) => id))]
    .map((id) => {
      const sorted = all.filter((one) => one.id === id).sort((one, other) => one.ratio - other.ratio);
      return sorted[Math.floor((sorted.length - 1) / 2)];
    })
    .sort((one, other) => number(one) - number(other));
}

/** @param {{ readonly id: string }} scenario */
function number({ id }) {
  return Number(id.slice(1));
}

/**
 * @param {readonly Results[]} runs
 * @param {readonly MeasuredScenario[]} scenarios
 * @param {readonly ProfileResult[]} profiles
 */
function page(runs, scenarios, profiles) {
  return [
    '# Benchmarks',
    '',
    'Generated by `npm run bench -- --report` from the results of `npm run bench`. Each scenario is compared in the same run',
    'with its bare limit: the same libraries without Millrace. [How it measures](../../bench/README.md). Of several runs the',
    'page shows the one with the median ratio. [Why goals are missed](../../bench/README.md#missed-goals).',
    '',
    ...circumstances(runs),
    '| scenario | | ratio | missed goals |',
    '| --- | --- | --- | --- |',
    ...scenarios.map(row),
    '',
    ...costSection(Object.fromEntries(scenarios.map((scenario) => [scenario.id, scenario]))),
    ...sidesSection(scenarios),
    ...(profiles.length === 0 ? [] : profileSections(profiles)),
    '## Other products',
    '',
    emptyPeersPlace,
  ].join('\n');
}

/**
 * Returns a line for each run, and what the runs have in common once.
 * @param {readonly Results[]} runs
 */
function circumstances(runs) {
  const lines = runs.map(circumstancesOf);
  const machines = new Set(lines.flatMap(([, ...machine]) => machine));
  return [...lines.map(([run]) => run), ...machines, ''];
}

/** @param {Results} results */
function circumstancesOf({ environment, seconds, rounds }) {
  const { revision, isModified, node, processors, processor, memoryGibibytes, system, servers } = environment;
  /** @param {Readonly<Record<string, string | undefined>>} versions */
  const named = (versions) =>
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ');
  return [
    `- ${environment.at}, revision \`${revision}\`${isModified ? ' with changes' : ''}, ${rounds} rounds of ${seconds} s, load before ${environment.loadBefore.toFixed(2)}`,
    `- Node ${node}; ${named(environment.libraries)}`,
    `- servers: ${named(servers ?? {})}`,
    `- ${processors} × ${processor}, ${memoryGibibytes} GiB, ${system}; servers, services and load generator together`,
  ];
}

/** @param {MeasuredScenario} scenario */
function row(scenario) {
  const { id, title, ratio, of } = scenario;
  return `| ${id} | ${title} | ${ratio.toFixed(2)} of ${of} | ${missedGoals(scenario)} |`;
}
