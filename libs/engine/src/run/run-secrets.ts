import { namesVariable } from '@millrace/flow';
import type { Plan, PlanField, PlanVertex, RunOverrides, RunRequest } from '@millrace/flow';

/** What a run knows of its secrets. */
export interface SecretSources {
  readonly plan: Plan;
  readonly request: Pick<RunRequest, 'globalVariables'>;
  readonly overrides: RunOverrides;
  /** The values of variables that were looked up so far, and what components hid. */
  readonly foundSecrets: ReadonlySet<string>;
}

/** Fields and members that can contain credentials beside other values: their whole value counts as secret. */
const credentialNames: ReadonlySet<string> = new Set([
  'headers',
  'default_headers',
  'env',
  'database_url',
  'database_uri',
  'connection_string',
  'curl_input',
]);
/** The column of a table of headers that has their names. */
const KEY_COLUMN = 'key';
const MAXIMUM_DEPTH = 8;

const secretsByPlan = new WeakMap<Plan, ReadonlySet<string>>();

/** Returns true when the value that a vertex has for a setting in a run must not be shown. */
export function isSecretSetting({ overrides }: SecretSources, vertex: PlanVertex, name: string): boolean {
  if (isSecretField(vertex, name)) return true;
  const changes = overrides.get(vertex.index);
  if (changes?.values.has(name) === true) return false;
  return namesVariable(changes?.fields.get(name) ?? vertex.fields.get(name) ?? null);
}

/**
 * Returns the texts of a run that must not be shown, by where they come from: the values of all its variables, what the
 * flow or a tweak has in secret fields, in headers and in addresses with a password, and what components hid.
 */
export function runSecrets({ plan, request, overrides, foundSecrets }: SecretSources): ReadonlySet<string> {
  const secrets = new Set(secretsOfPlan(plan));
  for (const value of foundSecrets) addText(secrets, value);
  for (const value of Object.values(request.globalVariables)) addText(secrets, value);
  for (const vertex of plan.vertices) {
    const changes = overrides.get(vertex.index);
    if (changes !== undefined) addFields(secrets, vertex, changes.fields.values());
  }
  return secrets;
}

function secretsOfPlan(plan: Plan): ReadonlySet<string> {
  const known = secretsByPlan.get(plan);
  if (known !== undefined) return known;
  const secrets = new Set<string>();
  for (const vertex of plan.vertices) addFields(secrets, vertex, vertex.fields.values());
  secretsByPlan.set(plan, secrets);
  return secrets;
}

function isSecretField(vertex: PlanVertex, name: string): boolean {
  return (
    credentialNames.has(name) ||
    vertex.component?.inputs[name]?.password === true ||
    vertex.fields.get(name)?.password === true
  );
}

function addFields(secrets: Set<string>, vertex: PlanVertex, fields: Iterable<PlanField>): void {
  for (const field of fields) {
    if (!namesVariable(field)) addValue(secrets, field.value, isSecretField(vertex, field.name), 0);
  }
}

function addValue(secrets: Set<string>, value: unknown, isSecret: boolean, depth: number): void {
  if (typeof value === 'string') {
    if (isSecret) addText(secrets, value);
    else addPasswordOf(secrets, value);
  } else if (typeof value === 'number' && isSecret) addText(secrets, String(value));
  if (typeof value !== 'object' || value === null || depth === MAXIMUM_DEPTH) return;
  for (const [name, member] of Object.entries(value)) {
    if (isSecret && name === KEY_COLUMN) continue;
    addValue(secrets, member, isSecret || credentialNames.has(name), depth + 1);
  }
}

function addText(secrets: Set<string>, text: string | undefined): void {
  if (text === undefined || text === '') return;
  secrets.add(text);
  addPasswordOf(secrets, text);
  // "Bearer abc": the key alone is secret, too.
  const [, key] = /^\S+ (\S+)$/.exec(text) ?? [];
  if (key !== undefined) secrets.add(key);
}

/** Adds an address that contains a password, and the password alone. */
function addPasswordOf(secrets: Set<string>, text: string): void {
  if (!text.includes('://') || !text.includes('@') || !URL.canParse(text)) return;
  const { password } = new URL(text);
  if (password === '') return;
  secrets.add(text);
  secrets.add(password);
  try {
    secrets.add(decodeURIComponent(password));
  } catch {
    // The password is not encoded.
  }
}
