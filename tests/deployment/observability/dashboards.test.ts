import { readDashboards } from './read-files';
import type { Dashboard, Panel } from './read-files';

const COLUMNS = 24;
const PROMETHEUS = { type: 'prometheus', uid: '${datasource}' };
/** Units of Grafana that the panels use. */
const UNITS = ['bytes', 'currencyUSD', 'ops', 'percentunit', 'reqps', 's', 'short'];
const dashboards = readDashboards();
const each = Object.entries(dashboards);

test('there is a dashboard for each part of an installation', () => {
  expect(Object.keys(dashboards)).toEqual([
    'models.json',
    'overview.json',
    'pools.json',
    'runs.json',
    'servers.json',
    'webhooks.json',
  ]);
  expect(new Set(each.map(([, { uid }]) => uid)).size).toBe(each.length);
  expect(new Set(each.map(([, { title }]) => title)).size).toBe(each.length);
});

test.each(each)('%s has what Grafana needs of a dashboard', (_name, dashboard) => {
  const { uid, title, description, schemaVersion, tags, panels } = dashboard;
  expect(uid).toMatch(/^millrace-[a-z]+$/);
  expect(title).toMatch(/^Millrace: /);
  expect(description).not.toBe('');
  expect(schemaVersion).toBeGreaterThanOrEqual(36);
  expect(tags).toContain('millrace');
  expect(dashboard).not.toHaveProperty('id');
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(new Set(panels.map((panel) => panel.title)).size).toBe(panels.length);
});

test.each(each)('the panels of %s lie in the grid and do not overlap', (_name, { panels }) => {
  for (const [index, panel] of panels.entries()) {
    const { x, y, w, h } = panel.gridPos;
    expect(Math.min(x, y, w - 1, h - 1)).toBeGreaterThanOrEqual(0);
    expect(x + w).toBeLessThanOrEqual(COLUMNS);
    for (const other of panels.slice(index + 1))
      expect([panel.title, other.title, overlap(panel, other)]).toEqual([panel.title, other.title, false]);
  }
});

test.each(each)(
  'the panels of %s have a unit, expressions, and the data source of a variable',
  (_name, dashboard) => {
    expect(variable(dashboard, 'datasource')).toMatchObject({ type: 'datasource', query: 'prometheus' });
    for (const { title, type, datasource, targets, fieldConfig } of dashboard.panels) {
      expect(['stat', 'table', 'timeseries']).toContain(type);
      expect([title, UNITS.includes(fieldConfig.defaults.unit ?? '')]).toEqual([title, true]);
      expect(datasource).toEqual(PROMETHEUS);
      expect(targets.length).toBeGreaterThan(0);
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
      for (const target of targets) expect(target.datasource).toEqual(PROMETHEUS);
    }
  },
);

test.each(each)('%s uses the variables that it declares, and no others', (_name, dashboard) => {
  const text = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n');
  const used = new Set([...text.matchAll(/\$(?!__)\{?(\w+)/g)].map(([, name = '']) => name));
  const declared = dashboard.templating.list.map(({ name }) => name);
  expect([...used, 'datasource'].sort()).toEqual([...declared].sort());
  for (const name of used) expect(variable(dashboard, name)?.allValue).toBe('.+');
});

function variable({ templating }: Dashboard, wanted: string) {
  return templating.list.find(({ name }) => name === wanted);
}

function overlap({ gridPos: one }: Panel, { gridPos: other }: Panel): boolean {
  const isApart =
    one.x + one.w <= other.x ||
    other.x + other.w <= one.x ||
    one.y + one.h <= other.y ||
    other.y + other.h <= one.y;
  return !isApart;
}
