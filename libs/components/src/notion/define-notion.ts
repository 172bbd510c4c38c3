import { componentTools, defineComponent, secret } from '@millrace/flow';
import type { Component, ComponentContext, Input, InputValues } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { errorsAsData } from '../integrations/http/errors-as-data';

type Inputs = Readonly<Record<string, Input<unknown>>>;

export interface NotionWork<Fields extends Inputs> {
  readonly type: string;
  readonly aliases?: readonly string[];
  readonly displayName: string;
  readonly description: string;
  readonly inputs: Fields;
  /** The tool's name for a model. */
  readonly toolName: string;
  /** Whether the output is data, not a list of them. */
  readonly givesOne?: boolean;
  /** The text of the data that an error becomes; the component fails unless given. */
  readonly textOf?: (error: string) => string;
  do(inputs: InputValues<Fields>, secret: string, context: ComponentContext): Promise<readonly Data[]>;
}

/** Defines a component that sends a request to Notion; its outputs are data and a tool. */
export function defineNotion<const Fields extends Inputs>(work: NotionWork<Fields>): Component {
  const { do: execute, givesOne = false, textOf, toolName, inputs: fields, ...described } = work;
  const component: Component = defineComponent({
    ...described,
    inputs: { ...fields, notion_secret: secret({ displayName: 'Notion Secret', required: true }) },
    outputs: {
      api_run_model: { types: ['Data', 'JSON'], displayName: 'JSON', method: 'run_model' },
      api_build_tool: { types: ['Tool'], displayName: 'Tool', method: 'build_tool', tool: false },
      example_output: { types: ['Data', 'JSON'], displayName: 'Data of earlier versions', tool: 'named' },
      example_tool_output: { types: ['Tool'], displayName: 'Tool of earlier versions', tool: false },
    },
    deterministic: false,
    run: async (inputs, context) => {
      if (!context.wants('api_run_model') && !context.wants('example_output')) {
        const given = { inputs, connected: new Set<string>(), table: null, context };
        const [tool] = componentTools(component, given);
        const tools = tool === undefined ? [] : [{ ...tool, name: toolName }];
        return { api_build_tool: tools, example_tool_output: tools };
      }
      const { notion_secret, ...otherFields } = inputs;
      const make = () =>
        // The fields are the declared ones and the secret.
        execute(otherFields as InputValues<Fields>, String(notion_secret), context);
      const found =
        textOf === undefined
          ? await make()
          : await errorsAsData(make, (error) => [new Data({ text: textOf(error) })]);
      context.status(found);
      const [only = null, ...others] = found;
      return { api_run_model: givesOne && others.length === 0 ? only : found, example_output: found };
    },
  });
  return component;
}
