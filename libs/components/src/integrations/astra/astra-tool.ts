import { dictionary, integer, secret, text } from '@millrace/flow';
import type { ComponentContext, ComponentOutputs, ToolHandle } from '@millrace/flow';
import { Data, jsonDumpsCompact } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';

/** A database query that a model can call. */
export interface AstraTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: ToolHandle['parameters'];
  /** Returns the rows that the arguments select. */
  find(callArguments: PythonObject): Promise<readonly PythonObject[]>;
}

/** The inputs of all tools of Astra DB. */
export const astraToolInputs = {
  tool_name: text({ displayName: 'Tool Name', plain: true, required: true }),
  tool_description: text({ displayName: 'Tool Description', plain: true, required: true }),
  keyspace: text({
    displayName: 'Keyspace Name',
    plain: true,
    default: 'default_keyspace',
    advanced: true,
  }),
  token: secret({ displayName: 'Astra DB Application Token', required: true }),
  api_endpoint: text({ displayName: 'API Endpoint', required: true }),
  static_filters: dictionary({ displayName: 'Static Filters', advanced: true }),
  number_of_results: integer({ displayName: 'Number of Results', default: 5, advanced: true }),
} as const;

/** The members or columns to return: names separated by commas, `*` for all. */
export function projectionInput(displayName: string) {
  return text({ displayName, plain: true, required: true, default: '*', advanced: true });
}

/** The outputs of all tools of Astra DB: the rows without arguments, and the tool itself. */
export const astraToolOutputs = {
  api_run_model: { types: ['Data', 'JSON'], displayName: 'Data', tool: false },
  api_build_tool: { types: ['Tool'], displayName: 'Tool', tool: false },
} as const;

/** Returns the tool and, when the rows are requested, runs its query without arguments. */
export async function runAstraTool(tool: AstraTool, context: ComponentContext): Promise<ComponentOutputs> {
  const handle: ToolHandle = {
    kind: 'tool',
    name: tool.name.replace(/[^a-zA-Z0-9_-]/g, '-').slice(0, 64) || 'astra_db',
    description: tool.description,
    parameters: tool.parameters,
    call: async (callArguments) => jsonDumpsCompact(await tool.find(callArguments)),
  };
  if (!context.wants('api_run_model')) return { api_build_tool: handle };
  const rows = (await tool.find({})).map((row) => new Data(row));
  context.status(rows);
  return { api_build_tool: handle, api_run_model: rows };
}
