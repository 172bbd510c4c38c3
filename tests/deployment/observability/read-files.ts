import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const ROOT = join(__dirname, '..', '..', '..');
const FOLDER = join(ROOT, 'deploy', 'observability');
export const RULES = join(FOLDER, 'prometheus', 'rules', 'millrace.yml');
export const RULE_TESTS = join(FOLDER, 'prometheus', 'millrace.test.yml');
const DASHBOARDS = join(FOLDER, 'grafana', 'dashboards');

export interface Target {
  readonly refId: string;
  readonly expr: string;
  readonly datasource: { readonly type: string; readonly uid: string };
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly datasource: { readonly type: string; readonly uid: string };
  readonly targets: readonly Target[];
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig: { readonly defaults: { readonly unit?: string } };
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly schemaVersion: number;
  readonly templating: {
    readonly list: readonly {
      readonly name: string;
      readonly type: string;
      readonly query: unknown;
      readonly allValue?: string;
    }[];
  };
  readonly panels: readonly Panel[];
}

export interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Returns Grafana's dashboards by the name of their file. */
export function readDashboards(): Readonly<Record<string, Dashboard>> {
  const names = readdirSync(DASHBOARDS).sort();
  return Object.fromEntries(
    names.map((name) => [name, JSON.parse(readFileSync(join(DASHBOARDS, name), 'utf8')) as Dashboard]),
  );
}

/** Returns all recording and alert rules. */
export function readRules(): readonly Rule[] {
  const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: readonly { rules: readonly Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

/** Returns the path of a page of the documentation. */
export function pagePath(path: string): string {
  return join(ROOT, path);
}
