import { isObject } from '../json-object';
import type { JsonObject } from '../json-object';
import { ModelServerError } from '../model-server-error';
import type { OfferedTool, ToolOffer } from '../offered-tools';

const validName = /^[a-zA-Z0-9_-]{1,64}$/;

/** Reads `tools` and `tool_choice`; throws ModelServerError 400 for what OpenAI's API refuses. */
export function readToolOffer({ tools = [], tool_choice: choice }: JsonObject): ToolOffer {
  if (!Array.isArray(tools)) throw new ModelServerError(400, "'tools' must be an array.");
  const offered = tools.map(readTool);
  const names = new Set(offered.map(({ name }) => name));
  if (names.size < offered.length) throw new ModelServerError(400, 'Tool names must be unique.');
  if (choice === undefined || choice === null) return { tools: offered, choice: 'auto' };
  if (offered.length === 0)
    throw new ModelServerError(400, "'tool_choice' is only allowed when 'tools' are given.");
  if (choice === 'required' || choice === 'auto' || choice === 'none') return { tools: offered, choice };
  const name = isObject(choice) && isObject(choice['function']) ? choice['function']['name'] : undefined;
  if (typeof name !== 'string' || !names.has(name))
    throw new ModelServerError(400, "'tool_choice' must name one of the 'tools'.");
  return { tools: offered, choice: { name } };
}

function readTool(tool: unknown, index: number): OfferedTool {
  const where = `'tools[${index}]`;
  if (!isObject(tool) || tool['type'] !== 'function' || !isObject(tool['function']))
    throw new ModelServerError(400, `${where}' must be an object with the type "function".`);
  const { name, parameters = { type: 'object', properties: {} } } = tool['function'];
  if (typeof name !== 'string' || !validName.test(name))
    throw new ModelServerError(400, `${where}.function.name' must match ${validName.source}.`);
  if (!isObject(parameters) || parameters['type'] !== 'object')
    throw new ModelServerError(400, `${where}.function.parameters' must be the schema of an object.`);
  return { name, parameters };
}
