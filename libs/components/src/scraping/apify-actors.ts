import { boolean, ComponentError, defineComponent, isDict, jsonValue, secret, text } from '@millrace/flow';
import type { ComponentContext, ToolHandle } from '@millrace/flow';
import { Data, parsePythonJson } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { member } from '../integrations/http/json-members';
import { splitCommas } from '../parsing/split-commas';
import { describeActor, runActor } from '../integrations/apify/call-apify';

const maximumDescriptionCharacters = 250;

export default defineComponent({
  type: 'ApifyActors',
  displayName: 'Apify Actors',
  description: 'Runs an Apify actor and returns the data that it collects.',
  inputs: {
    apify_token: secret({ displayName: 'Apify Token', required: true }),
    actor_id: text({
      displayName: 'Actor',
      default: 'apify/website-content-crawler',
      required: true,
      plain: true,
    }),
    run_input: text({
      displayName: 'Run input',
      description: "The actor's input as JSON.",
      multiline: true,
      default: '{}',
      required: true,
    }),
    dataset_fields: text({ displayName: 'Output fields', multiline: true }),
    flatten_dataset: boolean({ displayName: 'Flatten output' }),
  },
  outputs: {
    output: { types: ['Data', 'JSON'], displayName: 'Output', method: 'run_model' },
    tool: { types: ['Tool'], displayName: 'Tool', tool: false },
  },
  deterministic: false,
  run: async ({ apify_token, actor_id, ...inputs }, context) => {
    if (context.wants('tool') && !context.wants('output'))
      return { tool: await actorTool(apify_token, actor_id, context) };
    const items = await runActor(apify_token, actor_id, parsed(inputs.run_input), context);
    const fields = splitCommas(inputs.dataset_fields.replace(/['"`]/g, ''));
    const rows = items
      .map((item) => (fields.length === 0 ? item : only(item, fields)))
      .map((item) => new Data(inputs.flatten_dataset ? flat(item) : item));
    context.status(rows);
    return { output: rows };
  },
});

async function actorTool(token: string, actor: string, context: ComponentContext): Promise<ToolHandle> {
  const { description, schema } = await describeActor(token, actor, context);
  const what = `The input as JSON, by this schema:\n\n${schema}`;
  return {
    kind: 'tool',
    name: `apify_actor_${actor.replace(/[^\w-]/g, '_')}`.slice(0, 64),
    description: `Runs an Apify actor with an input. Its description begins:\n\n${description.slice(0, maximumDescriptionCharacters)}`,
    parameters: {
      type: 'object',
      properties: { run_input: { type: 'string', description: what } },
      required: ['run_input'],
    },
    call: async ({ run_input = '{}' }) => {
      const input = typeof run_input === 'string' ? parsed(run_input) : run_input;
      const items = await runActor(token, actor, member(input, 'run_input') ?? input, context);
      return items.map((item) => JSON.stringify(jsonValue(item))).join('\n\n');
    },
  };
}

function parsed(json: string): PythonValue {
  try {
    return parsePythonJson(json);
  } catch (error) {
    throw new ComponentError('The run input is not JSON.', error);
  }
}

/** Returns the named members, those of nested objects by dotted names; dots become underscores in the result. */
function only(item: PythonObject, fields: readonly string[]): PythonObject {
  return Object.fromEntries(
    fields.map((field) => [field.replaceAll('.', '_'), member(item, ...field.split('.'))]),
  );
}

function flat(item: PythonObject): PythonObject {
  return Object.fromEntries(
    Object.entries(item).flatMap(([name, value]): readonly (readonly [string, PythonValue])[] =>
      isDict(value)
        ? Object.entries(flat(value)).map(([inner, one]) => [`${name}_${inner}`, one] as const)
        : [[name, value]],
    ),
  );
}
