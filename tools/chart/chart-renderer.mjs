import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { workspaceRoot } from '../workspace/workspace-root.mjs';
import { chartValues } from './chart-values.mjs';

const CHART = join(workspaceRoot, 'deploy', 'helm', 'millrace');
const SOURCE = join(workspaceRoot, 'tools', 'chart', 'render.go');
/** Where Debian's packages have the sources of Sprig. */
export const GO_PATH = '/usr/share/gocode';
const MAXIMUM_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Renders the chart with these texts of values files; returns the manifests. Needs Go and Sprig from Debian's packages.
 * Throws when the values do not fit or a template fails.
 * @param {{ readonly values: readonly string[], readonly name?: string, readonly namespace?: string }} options
 */
export function renderChart({ values, name = 'millrace', namespace = 'millrace' }) {
  const { name: chartName, ...chart } = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'));
  const input = JSON.stringify({
    folder: CHART,
    // Templates name its members with capitals.
    chart: { Name: chartName, Version: chart.version, AppVersion: chart.appVersion },
    values: chartValues(CHART, values),
    name,
    namespace,
  });
  return run(renderer(), [], { input });
}

/** Builds the program once for each version of its source, below node_modules; returns its path. */
function renderer() {
  const hash = createHash('sha256').update(readFileSync(SOURCE)).digest('hex').slice(0, 12);
  const path = join(workspaceRoot, 'node_modules', '.cache', 'chart', `render-${hash}`);
  if (existsSync(path)) return path;
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  run('go', ['build', '-o', unfinished, SOURCE], {
    env: {
      ...process.env,
      GO111MODULE: 'off',
      GOPATH: GO_PATH,
      GOFLAGS: '',
      GOTOOLCHAIN: 'local',
      GOCACHE: join(dirname(path), 'go'),
    },
  });
  renameSync(unfinished, path);
  return path;
}

/**
 * @param {string} program
 * @param {readonly string[]} words
 * @param {{ readonly input?: string, readonly env?: NodeJS.ProcessEnv }} options
 */
function run(program, words, options) {
  const ended = spawnSync(program, words, { encoding: 'utf8', maxBuffer: MAXIMUM_OUTPUT_BYTES, ...options });
  if (ended.error !== undefined) throw new Error(`${program} cannot be started: ${ended.error.message}`);
  if (ended.status !== 0) throw new Error(ended.stderr.trim());
  return ended.stdout;
}
