import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { ApplyError } from './apply-error';
import type { AppliedFlow } from './diff-flows';

export const MANIFEST = 'millrace.yaml';

type Environment = Readonly<Record<string, string | undefined>>;

export interface WantedVariable {
  readonly name: string;
  readonly type: 'Credential' | 'Generic';
  readonly value: string;
}

export interface WantedTrigger {
  /** Endpoint name, id or name of the flow. */
  readonly flow: string;
  readonly name: string;
  readonly kind: string;
  readonly state?: 'active' | 'paused' | 'pending';
  readonly [member: string]: unknown;
}

/** What a folder says that a user has. */
export interface WantedState {
  /** Name of the user whose records these are; any user unless given. */
  readonly owner: string | undefined;
  readonly flows: readonly AppliedFlow[];
  readonly variables: readonly WantedVariable[];
  readonly triggers: readonly WantedTrigger[];
}

interface Manifest {
  readonly owner?: string;
  readonly flows?: string;
  readonly settings?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly variables?: readonly {
    readonly name: string;
    readonly type?: 'Credential' | 'Generic';
    readonly value?: string;
    readonly from_environment?: string;
    readonly from_file?: string;
  }[];
  readonly triggers?: readonly WantedTrigger[];
}

const text = { type: 'string', minLength: 1 };
const isManifest = new Ajv({ allErrors: true }).compile({
  type: 'object',
  additionalProperties: false,
  properties: {
    owner: text,
    flows: text,
    settings: { type: 'object', additionalProperties: { type: 'object' } },
    variables: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: {
          name: text,
          type: { enum: ['Credential', 'Generic'] },
          value: { type: 'string' },
          from_environment: text,
          from_file: text,
        },
      },
    },
    triggers: {
      type: 'array',
      items: {
        type: 'object',
        required: ['flow', 'name', 'kind'],
        properties: { flow: text, name: text, kind: text, state: { enum: ['active', 'paused', 'pending'] } },
      },
    },
  },
});

/**
 * Reads a folder: `millrace.yaml`, if there is one, and the export files of its folder of flows; without it, the export
 * files of the folder itself. Values of variables come from the environment or from files. Throws ApplyError.
 */
export function readFolder(folder: string, environment: Environment): WantedState {
  const manifest = readManifest(join(folder, MANIFEST));
  const directory = resolve(folder, manifest?.flows ?? (manifest === undefined ? '.' : 'flows'));
  const flows = flowsOf(directory).map((flow) => {
    const settings = manifest?.settings?.[flow.endpoint_name ?? ''] ?? manifest?.settings?.[flow.name];
    return settings === undefined ? flow : { ...flow, settings };
  });
  for (const name of Object.keys(manifest?.settings ?? {}))
    if (!flows.some((flow) => flow.endpoint_name === name || flow.name === name))
      throw new ApplyError(`${MANIFEST}: settings.${name} names no flow of the folder`);
  return {
    owner: manifest?.owner,
    flows,
    variables: (manifest?.variables ?? []).map((variable) => ({
      name: variable.name,
      type: variable.type ?? 'Credential',
      value: valueOf(variable, folder, environment),
    })),
    triggers: manifest?.triggers ?? [],
  };
}

function readManifest(file: string): Manifest | undefined {
  if (!existsSync(file)) return undefined;
  let value: unknown;
  try {
    value = parse(readFileSync(file, 'utf8')) ?? {};
  } catch (error) {
    throw new ApplyError(`${file} cannot be read: ${reasonOf(error)}`, error);
  }
  if (isManifest(value)) return value as Manifest;
  const faults = (isManifest.errors ?? []).map(({ instancePath, message, params }) => {
    const added = 'additionalProperty' in params ? `: ${String(params['additionalProperty'])}` : '';
    return `${instancePath.slice(1).replaceAll('/', '.') || 'it'} ${message}${added}`;
  });
  throw new ApplyError(`${file} is wrong: ${faults.join('; ')}`);
}

function valueOf(
  variable: NonNullable<Manifest['variables']>[number],
  folder: string,
  environment: Environment,
): string {
  const { name, value, from_environment: source, from_file: file } = variable;
  if ([value, source, file].filter((one) => one !== undefined).length !== 1)
    throw new ApplyError(`${MANIFEST}: variable ${name} needs one of value, from_environment and from_file`);
  if (value !== undefined) return value;
  const found = source === undefined ? readValue(resolve(folder, file ?? '')) : environment[source];
  if (!found)
    throw new ApplyError(`The value of variable ${name} is missing: ${source ?? file} is not set or empty`);
  return found;
}

function readValue(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function flowsOf(directory: string): AppliedFlow[] {
  let names: string[];
  try {
    names = readdirSync(directory).filter((name) => name.endsWith('.json'));
  } catch (error) {
    throw new ApplyError(`${directory} cannot be read: ${reasonOf(error)}`, error);
  }
  const flows = names.toSorted().flatMap((name) => flowsOfFile(join(directory, name)));
  const keys = flows.map(({ id, endpoint_name: endpoint }) => endpoint ?? id);
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined) throw new ApplyError(`Two files in ${directory} have the flow ${twice}`);
  return flows;
}

function flowsOfFile(file: string): AppliedFlow[] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ApplyError(`${file} cannot be read: ${reasonOf(error)}`, error);
  }
  const listed = (value as { flows?: unknown } | null)?.flows ?? value;
  return (Array.isArray(listed) ? listed : [listed]).map((flow: AppliedFlow | null) => {
    if (typeof flow?.name !== 'string') throw new ApplyError(`${file} contains no flow with a name`);
    // Otherwise each call would create it again.
    if (!flow.id && !flow.endpoint_name)
      throw new ApplyError(`${file}: the flow "${flow.name}" needs an id or an endpoint name`);
    return flow;
  });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
